"""Bases, `--set`, variables and suppressions as people use them on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from provision.adapters.files import environments_root
from provision.cli import exits
from provision.cli.main import main
from tests.e2e.conftest import Azure, azure, simulator

__all__ = ["azure", "simulator"]  # fixtures

KEY = (environments_root() / "keys" / "example.pub").read_text(encoding="utf-8")
BASE = """\
version: 1
name: base
subscription: ${SUBSCRIPTION}
network: {bastion: true}
regions: {southcentralus: {zone: "1"}}
pools:
  train: {size: Standard_ND96isr_H100_v5, nodes: 2, ssh_public_key_file: key.pub}
"""
PROD = "extends: bases/base.yaml\nname: prod\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to work in, with an environment that extends another; the subscription is in the process."""
    (tmp_path / "bases").mkdir()
    (tmp_path / "bases" / "base.yaml").write_text(BASE, encoding="utf-8")
    (tmp_path / "bases" / "key.pub").write_text(KEY, encoding="utf-8")
    (tmp_path / "prod.yaml").write_text(PROD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBSCRIPTION", "00000000-0000-0000-0000-000000000001")
    return tmp_path


@pytest.fixture
def provision(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that runs a command line in the folder: its exit code, output and messages."""

    def run(*args: str) -> tuple[int, str, str]:
        code = main(args)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_an_environment_that_extends_another_is_checked_as_a_whole(provision: Any) -> None:
    assert provision("validate", "prod.yaml") == (0, "no findings in 1 file\n", "")


def test_without_the_variable_it_is_refused_where_the_variable_stands(
    provision: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUBSCRIPTION")

    code, out, _ = provision("validate", "prod.yaml")

    assert code == exits.FINDINGS
    assert out.startswith(
        "bases/base.yaml:3:15: error: subscription is ${SUBSCRIPTION}, and there is no variable SUBSCRIPTION "
    )
    assert provision("validate", "prod.yaml", "--set", "subscription=00000000-0000-0000-0000-000000000002")[0] == 0


def test_a_mistake_in_a_setting_is_a_finding_that_shows_it(provision: Any) -> None:
    code, out, err = provision("validate", "prod.yaml", "--set", "pools.train.nodes=sixteen")

    assert (code, err) == (exits.FINDINGS, "")
    assert out == (
        '--set pools.train.nodes=sixteen: error: pools.train.nodes is the text "sixteen"; a whole number, or a map '
        "from region to number, is wanted [wrong-type]\n"
        "    1 | pools.train.nodes=sixteen\n"
        "      |                   ^^^^^^^\n"
        '  why: text, numbers and truth values are never taken for one another: "false" is no falsehood, 7.10 is not\n'
        "       7.1\n"
        "  fix: write a whole number, or a map from region to number, such as {southcentralus: 64, westus3: 32}\n"
        "\n"
        "1 error in 1 file\n"
    )


@pytest.mark.parametrize("verb", ["validate", "plan", "apply", "status", "destroy"])
def test_a_setting_that_is_none_is_wrong_usage_of_any_verb(verb: str, provision: Any) -> None:
    code, _, err = provision(verb, "prod.yaml", "--set", "nodes")

    assert code == exits.USAGE
    assert "--set nodes is no PATH=VALUE" in err


def test_the_effective_file_is_printed_with_the_place_of_each_value(provision: Any, folder: Path) -> None:
    code, out, err = provision("render", "prod.yaml", "--expand", "--set", "pools.train.nodes=3")

    assert (code, err) == (0, "")
    assert (
        out
        == """\
version: 1  # bases/base.yaml:1
name: prod  # prod.yaml:2
subscription: 00000000-0000-0000-0000-000000000001  # bases/base.yaml:3
network:
  bastion: true  # bases/base.yaml:4
regions:
  southcentralus:
    zone: "1"  # bases/base.yaml:5
pools:
  train:
    size: Standard_ND96isr_H100_v5  # bases/base.yaml:7
    nodes: 3  # --set pools.train.nodes=3
    ssh_public_key_file: bases/key.pub  # bases/base.yaml:7
"""
    )
    assert sorted(path.name for path in folder.iterdir()) == ["bases", "prod.yaml"]


def test_a_file_with_mistakes_is_expanded_too_and_they_are_told(provision: Any) -> None:
    code, out, err = provision("render", "prod.yaml", "--expand", "--set", "pools.train.nodes=-3")

    assert code == exits.FINDINGS
    assert "    nodes: -3  # --set pools.train.nodes=-3\n" in out
    assert "[invalid-value]" in err


def test_render_needs_a_folder_or_to_expand(provision: Any) -> None:
    code, _, err = provision("render", "prod.yaml")

    assert code == exits.USAGE
    assert "give --output DIR, or --expand" in err


def test_a_plan_records_its_settings_and_a_saved_one_takes_no_more(azure: Azure, provision: Any, folder: Path) -> None:
    plan = ("plan", "prod.yaml", "--endpoint", azure.endpoint, "--set", "pools.train.nodes=3", "--out", "plan.json")

    code, out, _ = provision(*plan)

    assert code == 0
    assert out.splitlines()[1] == "  with --set pools.train.nodes=3"
    assert json.loads((folder / "plan.json").read_text())["set"] == ["pools.train.nodes=3"]
    assert "bases/base.yaml:7 pools.train" in out

    code, _, err = provision("apply", "plan.json", "--endpoint", azure.endpoint, "--yes", "--set", "name=other")
    assert code == exits.USAGE
    assert "a saved plan is applied as it is" in err
    assert provision("apply", "plan.json", "--endpoint", azure.endpoint, "--yes")[0] == 0


def test_what_is_suppressed_is_counted_and_listed_in_json(provision: Any, folder: Path) -> None:
    (folder / "prod.yaml").write_text(
        PROD + "pools: {train: {image: microsoft-dsvm:ubuntu-hpc:2204:latest}}\n"
        "suppress: [{rule: image-version-latest, at: pools.train, reason: a trial, until: 9999-12-31}]\n",
        encoding="utf-8",
    )

    assert provision("validate", "prod.yaml", "--fail-on", "warning") == (
        0,
        "no findings in 1 file, 1 suppressed\n",
        "",
    )
    document = json.loads(provision("validate", "prod.yaml", "--format", "json")[1])
    assert document["findings"] == []
    assert [(each["rule"], each["path"], each["reason"], each["until"]) for each in document["suppressed"]] == [
        ("image-version-latest", "pools.train.image", "a trial", "9999-12-31")
    ]


def test_a_suppression_of_the_past_is_an_error(provision: Any, folder: Path) -> None:
    (folder / "prod.yaml").write_text(
        PROD + "suppress: [{rule: image-version-latest, at: pools, reason: a trial, until: 2020-01-01}]\n",
        encoding="utf-8",
    )

    code, out, _ = provision("validate", "prod.yaml")

    assert code == exits.FINDINGS
    assert "the suppression of image-version-latest at pools ended on 2020-01-01 [suppression-expired]" in out
