"""`provision validate` as people run it: whole processes, what they print where, and how they end."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from provision.adapters.files import environments_root

RULES = Path(__file__).parents[1] / "rules"


def provision(*args: str, cwd: Path | None = None, stdin: bytes = b"", **variables: str) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error of a run without a terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "provision.cli.main", *args],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **variables},
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def bad_and_good(rule: str) -> tuple[str, str]:
    return str(RULES / rule / "bad.yaml"), str(RULES / rule / "good.yaml")


def test_the_sample_environments_have_no_findings() -> None:
    samples = sorted(str(path) for path in environments_root().glob("*.yaml"))

    assert provision("validate", *samples) == (0, f"no findings in {len(samples)} files, 6 suppressed\n", "")


def test_findings_go_to_standard_output_and_end_with_3() -> None:
    folder = RULES / "job-exceeds-placement-group"

    assert provision("validate", "bad.yaml", cwd=folder) == (3, (folder / "bad.txt").read_text(), "")


def test_warnings_fail_only_when_asked_to() -> None:
    folder = RULES / "image-version-latest"
    shown = (folder / "bad.txt").read_text()

    assert provision("validate", "bad.yaml", cwd=folder) == (0, shown, "")
    assert provision("validate", "--fail-on", "warning", "bad.yaml", cwd=folder) == (3, shown, "")


def test_a_file_that_can_not_be_read_ends_with_1_and_hides_no_other() -> None:
    folder = RULES / "zone-not-in-region"

    code, out, err = provision("validate", "none.yaml", "bad.yaml", cwd=folder)

    assert code == 1
    assert out == (folder / "bad.txt").read_text()
    assert err == "none.yaml: error: there is no such file\n  fix: check the path, relative to where you are\n"


def test_standard_input_is_a_file_called_stdin() -> None:
    folder = RULES / "zone-not-in-region"

    code, out, err = provision("validate", "-", cwd=folder, stdin=(folder / "bad.yaml").read_bytes())

    assert (code, err) == (3, "")
    assert out == (folder / "bad.txt").read_text().replace("bad.yaml", "<stdin>")


def test_a_file_that_is_named_twice_is_checked_once() -> None:
    assert provision("validate", "good.yaml", "good.yaml", cwd=RULES / "zone-not-in-region") == (
        0,
        "no findings in 1 file\n",
        "",
    )


def test_json_is_all_that_standard_output_holds() -> None:
    bad, good = bad_and_good("zone-not-in-region")

    code, out, err = provision("validate", "--format", "json", bad, good, "none.yaml")

    document = json.loads(out)
    assert code == 1
    assert [(finding["rule"], finding["path"]) for finding in document["findings"]] == [
        ("zone-not-in-region", "regions.northcentralus.zone"),
        ("zone-not-in-region", "storage.data.zone"),
    ]
    assert document["summary"] == {"errors": 2, "warnings": 0, "files": 2}
    assert err.startswith("none.yaml: error: ")


def test_several_formats_at_once_each_go_to_their_place(tmp_path: Path) -> None:
    folder = RULES / "zone-not-in-region"
    files = {"sarif": tmp_path / "new" / "out.sarif", "junit": tmp_path / "out.xml"}
    formats = [f"--format={name}={file}" for name, file in files.items()]

    code, out, err = provision("validate", *formats, "--format", "text", "bad.yaml", cwd=folder)

    assert (code, out, err) == (3, (folder / "bad.txt").read_text(), "")
    (run,) = json.loads(files["sarif"].read_text("utf-8"))["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["zone-not-in-region", "zone-not-in-region"]
    assert 'failures="2"' in files["junit"].read_text("utf-8")


@pytest.mark.parametrize(
    ("formats", "message"),
    [
        (["txt"], "'txt' is not one of text, json, sarif, junit, github, markdown"),
        (["json="], "'json=' names no file"),
        (["json", "text"], "two formats can't go to the same place; give NAME=FILE"),
    ],
)
def test_formats_that_can_not_be_are_wrong_usage(formats: list[str], message: str) -> None:
    options = [word for name in formats for word in ("--format", name)]

    code, out, err = provision("validate", *options, bad_and_good("zone-not-in-region")[1])

    assert (code, out) == (64, "")
    assert message in err


def test_a_syntax_error_shows_its_line() -> None:
    assert provision("validate", "-", stdin=b"version: 1\nname: a: b\n") == (
        1,
        "",
        "<stdin>:2:8: error: a second `: ` in one line, or a line that is indented too far\n"
        "    2 | name: a: b\n"
        "      |        ^\n"
        "  fix: quote the value, or check the indentation\n",
    )


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_other_encodings_than_utf_8_are_refused(encoding: str) -> None:
    code, out, err = provision("validate", "-", stdin="name: größe\n".encode(encoding))

    assert (code, out) == (1, "")
    assert "UTF-8" in err


def test_six_mistakes_of_every_kind_come_in_one_run_in_the_files_order() -> None:
    text = b"""\
version: 1
name: my.env
subscription: 00000000-0000-0000-0000-000000000000
regions:
  "": {}
  southcentralus: {zone: 1}
pools:
  train:
    size: Standard_ND96isr_H100_v5
    nodes: 16
    setting: on
    ssh_public_key_file: nowhere.pub
network: {bastion: true}
"""

    _, out, _ = provision("validate", "--format", "json", "-", stdin=text)

    assert [(finding["line"], finding["rule"]) for finding in json.loads(out)["findings"]] == [
        (2, "invalid-value"),
        (3, "placeholder"),
        (5, "unsupported-yaml"),
        (6, "wrong-type"),
        (11, "unknown-key"),
        (11, "ambiguous-scalar"),
        (12, "ssh-key-unreadable"),
    ]


def test_nothing_is_coloured_without_a_terminal() -> None:
    assert "\x1b" not in provision("validate", bad_and_good("zone-not-in-region")[0], FORCE_COLOR="1")[1]


def test_a_private_key_never_reaches_the_output(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----\n")
    (tmp_path / "env.yaml").write_text(
        (RULES / "zone-not-in-region" / "good.yaml").read_text().replace("../key.pub", "key")
    )

    code, out, err = provision("validate", "env.yaml", cwd=tmp_path)

    assert code == 3
    assert "holds a private key" in out
    assert "c2VjcmV0" not in out + err


def test_an_unexpected_error_is_owned_up_to_and_its_traceback_only_shown_when_asked_for() -> None:
    program = (
        "import sys, provision.cli.validate as verb\n"
        "def broken(*args): raise RuntimeError('no idea')\n"
        "verb.checked_files = broken\n"
        "from provision.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    plain = subprocess.run(
        [sys.executable, "-c", program, "validate", "x"], capture_output=True, text=True, check=False
    )
    debug = subprocess.run(
        [sys.executable, "-c", program, "--debug", "validate", "x"], capture_output=True, text=True, check=False
    )

    assert (plain.returncode, debug.returncode) == (1, 1)
    assert plain.stderr.startswith("error: this is a bug in provision ")
    assert "RuntimeError: no idea" in plain.stderr
    assert "Traceback" not in plain.stderr
    assert "Traceback" in debug.stderr


def test_a_reader_that_goes_away_is_no_reason_to_complain() -> None:
    command = [sys.executable, "-m", "provision.cli.main", "validate", "--format", "json"]
    process = subprocess.Popen(
        [*command, *[path for rule in RULES.iterdir() for path in map(str, rule.glob("*.yaml"))]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as err:
        said = err.read()
    assert process.wait() == 1
    assert said == b""


def test_the_pre_commit_hook_runs_this_verb_on_environment_files() -> None:
    (hook,) = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text("utf-8"))
    samples = sorted(environments_root().rglob("*.y*ml"))
    chosen = [
        path for path in samples if re.search(hook["files"], f"environments/{path.relative_to(environments_root())}")
    ]

    assert {path.parent for path in chosen} == {environments_root()}
    program, *verb = hook["entry"].split()
    assert (program, hook["language"]) == ("provision", "python")
    assert provision(*verb, *map(str, chosen))[0] == 0
