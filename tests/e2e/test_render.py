"""`provision render`: a folder that holds exactly what would be deployed, and a check that it does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from provision.adapters.files import environments_root
from provision.cli.main import main

KEY = (environments_root() / "keys" / "example.pub").read_text(encoding="utf-8")
ENVIRONMENT = """\
version: 1
name: h100-test
subscription: 00000000-0000-0000-0000-000000000001
tags: {owner: ml}
regions:
  eastus: {}
  southcentralus: {}
pools:
  train: {size: Standard_ND96isr_H100_v5, nodes: 2, ssh_public_key_file: key.pub}
network: {bastion: true}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to work in, with an environment `train.yaml`; nothing is on PATH."""
    (tmp_path / "key.pub").write_text(KEY, encoding="utf-8")
    (tmp_path / "train.yaml").write_text(ENVIRONMENT, encoding="utf-8")
    (tmp_path / "bin").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


@pytest.fixture
def provision(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs a command line in the folder: its exit code, output and messages."""

    def run(*args: str) -> tuple[int, str, str]:
        code = main(args)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def change(folder: Path, before: str, after: str) -> None:
    file = folder / "train.yaml"
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


BOTH = [
    "eastus/network.bicep",
    "eastus/network.json",
    "eastus/train-0.bicep",
    "eastus/train-0.json",
    "manifest.json",
    "southcentralus/network.bicep",
    "southcentralus/network.json",
    "southcentralus/train-0.bicep",
    "southcentralus/train-0.json",
]


def test_both_languages_are_written_and_the_manifest_lists_them(folder: Path, provision: Any) -> None:
    assert provision("render", "train.yaml", "--output", "out") == (0, "wrote 9 files to out\n", "")

    assert files_in(folder / "out") == BOTH
    manifest = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert [(unit["region"], unit["unit"]) for unit in manifest["units"]] == [
        ("eastus", "network"),
        ("eastus", "train-0"),
        ("southcentralus", "network"),
        ("southcentralus", "train-0"),
    ]


def test_rendering_again_writes_the_same_bytes(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "one")
    provision("render", "train.yaml", "--output", "two")
    provision("render", "train.yaml", "--output", "two")

    for name in BOTH:
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes()
    assert files_in(folder / "two") == BOTH


def test_a_unit_that_vanished_is_removed_and_a_foreign_file_is_not(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")
    (folder / "out" / "README.md").write_text("ours", encoding="utf-8")
    (folder / "out" / "eastus" / "parameters.json").write_text("{}", encoding="utf-8")
    change(folder, "  eastus: {}\n", "")

    assert provision("render", "train.yaml", "--output", "out") == (
        0,
        "removed out/eastus/network.bicep\n"
        "removed out/eastus/network.json\n"
        "removed out/eastus/train-0.bicep\n"
        "removed out/eastus/train-0.json\n"
        "wrote 5 files to out\n",
        "",
    )
    assert files_in(folder / "out") == [
        "README.md",
        "eastus/parameters.json",
        "manifest.json",
        "southcentralus/network.bicep",
        "southcentralus/network.json",
        "southcentralus/train-0.bicep",
        "southcentralus/train-0.json",
    ]


def test_the_other_language_s_files_go_when_only_one_is_rendered(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")
    provision("render", "train.yaml", "--output", "out", "--format", "arm")

    assert files_in(folder / "out") == [name for name in BOTH if name.endswith(".json")]


def test_a_folder_of_a_region_that_vanished_goes_when_it_is_empty(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")
    change(folder, "  eastus: {}\n", "")
    provision("render", "train.yaml", "--output", "out")

    assert not (folder / "out" / "eastus").exists()


def test_an_environment_with_errors_is_not_rendered(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")
    before = {name: (folder / "out" / name).read_bytes() for name in BOTH}
    change(folder, "nodes: 2", "nodes: two")

    code, out, err = provision("render", "train.yaml", "--output", "out")

    assert (code, out) == (3, "")
    assert err.startswith("train.yaml:9:")
    assert {name: (folder / "out" / name).read_bytes() for name in BOTH} == before


def test_the_rendering_of_another_environment_is_not_touched(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")
    change(folder, "name: h100-test", "name: other")

    code, out, err = provision("render", "train.yaml", "--output", "out")

    assert (code, out) == (1, "")
    assert "the folder holds the rendering of environment h100-test, not of other" in err
    assert provision("render", "train.yaml", "--output", "new")[0] == 0


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ("[]", "this is no manifest of a rendering"),
        ("{", "this is no manifest of a rendering"),
        ('{"environment": "h100-test", "units": [{"files": 1}]}', "this is no manifest of a rendering"),
        (
            '{"environment": "h100-test", "units": [{"files": {"arm": "../key.json"}}]}',
            "the manifest lists files that no rendering has",
        ),
        (
            '{"environment": "h100-test", "units": [{"files": {"arm": "/key.json"}}]}',
            "the manifest lists files that no rendering has",
        ),
        (
            '{"environment": "h100-test", "units": [{"files": {"arm": "eastus/key.pub"}}]}',
            "the manifest lists files that no rendering has",
        ),
    ],
)
def test_a_manifest_that_is_not_ours_stops_everything(
    folder: Path, provision: Any, manifest: str, message: str
) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "manifest.json").write_text(manifest, encoding="utf-8")
    (folder / "key.json").write_text("{}", encoding="utf-8")

    code, out, err = provision("render", "train.yaml", "--output", "out")

    assert (code, out) == (1, "")
    assert message in err
    assert files_in(folder / "out") == ["manifest.json"]
    assert (folder / "key.json").exists()


NOT_BUILT = "the Bicep files were not built: there is no bicep on PATH\n"


def test_check_is_content_with_what_render_wrote_and_says_that_it_built_nothing(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")

    assert provision("render", "train.yaml", "--output", "out", "--check") == (
        0,
        "out is what would be written: 9 files\n",
        NOT_BUILT,
    )


def test_check_lists_each_difference_and_writes_nothing(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")
    (folder / "out" / "southcentralus" / "train-0.json").unlink()
    (folder / "out" / "southcentralus" / "network.json").write_text("{}", encoding="utf-8")
    change(folder, "  eastus: {}\n", "")

    assert provision("render", "train.yaml", "--output", "out", "--check") == (
        2,
        "no longer rendered: eastus/network.bicep\n"
        "no longer rendered: eastus/network.json\n"
        "no longer rendered: eastus/train-0.bicep\n"
        "no longer rendered: eastus/train-0.json\n"
        "differs: manifest.json\n"
        "differs: southcentralus/network.json\n"
        "missing: southcentralus/train-0.json\n",
        "",
    )
    assert (folder / "out" / "southcentralus" / "network.json").read_text(encoding="utf-8") == "{}"


def test_check_of_a_folder_that_is_not_there_makes_none(folder: Path, provision: Any) -> None:
    code, out, err = provision("render", "train.yaml", "--output", "out", "--format", "arm", "--check")

    assert (code, err) == (2, "")
    assert out.splitlines()[0] == "missing: eastus/network.json"
    assert not (folder / "out").exists()


def a_compiler(folder: Path, text: str) -> None:
    """Put a stand-in for Microsoft's compiler on PATH: a Python script that is given `build --stdout FILE`."""
    file = folder / "bin" / "bicep"
    file.write_text(f"#!{sys.executable}\nimport pathlib, sys\n{text}\n", encoding="utf-8")
    file.chmod(0o755)


def test_check_builds_the_bicep_files_and_compares_them_with_the_arm_templates(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")
    a_compiler(folder, "print(pathlib.Path(sys.argv[3]).with_suffix('.json').read_text())")

    assert provision("render", "train.yaml", "--output", "out", "--check") == (
        0,
        "out is what would be written: 9 files\n",
        "",
    )


def test_check_tells_what_is_built_differently(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")
    text = "pathlib.Path(sys.argv[3]).with_suffix('.json').read_text()"
    a_compiler(folder, f"print({text}.replace('\"capacity\": 2', '\"capacity\": 3'))")

    resource = "Microsoft.Compute/virtualMachineScaleSets h100-test-train-0: sku.capacity differs"
    assert provision("render", "train.yaml", "--output", "out", "--check") == (
        2,
        f"differs when built: eastus/train-0.bicep: {resource}\n"
        f"differs when built: southcentralus/train-0.bicep: {resource}\n",
        "",
    )


def test_check_tells_what_the_compiler_complains_about(folder: Path, provision: Any) -> None:
    provision("render", "train.yaml", "--output", "out")
    a_compiler(folder, "sys.exit('Error BCP018: Expected a character')")

    code, out, err = provision("render", "train.yaml", "--output", "out", "--check")

    assert (code, out) == (1, "")
    assert "bicep could not build it: Error BCP018: Expected a character" in err
