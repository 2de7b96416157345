"""What the README shows is what the tool does."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from provision.adapters.files import environments_root
from provision.cli import exits
from provision.cli.main import cli, main
from tests.e2e.conftest import Azure, azure, simulator

README = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
BLOCKS = "\n".join(re.findall(r"```(?:bash|console)\n(.*?)```", README, re.DOTALL))

__all__ = ["azure", "simulator"]  # fixtures


def test_the_transcript_of_a_plan_is_what_plan_prints(
    azure: Azure, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = re.search(r"\$ provision plan environments/quickstart.yaml --simulate\n(.*?)```", README, re.DOTALL)
    assert shown is not None
    monkeypatch.chdir(environments_root().parent)

    assert main(["plan", "environments/quickstart.yaml", "--endpoint", azure.endpoint]) == 0

    printed = iter(capsys.readouterr().out.splitlines())
    for line in shown.group(1).splitlines():
        assert line.strip() == "…" or line in printed, line


def test_each_verb_that_the_readme_runs_exists() -> None:
    verbs = set(re.findall(r"^(?:\$ )?provision ([a-z]+)", BLOCKS, re.MULTILINE))

    assert verbs >= {"validate", "render", "plan", "apply", "status", "destroy"}
    for verb in verbs:
        assert cli.get_command(click.Context(cli), verb) is not None, verb


def test_the_table_of_exit_codes_says_what_the_code_says() -> None:
    listed = {int(code) for row in re.findall(r"^\| ([\d, ]+) \|", README, re.MULTILINE) for code in row.split(",")}
    known = {value for name, value in vars(exits).items() if name.isupper() and isinstance(value, int)}

    # 5 belongs to checks against Azure before a plan, which do not exist yet; 129 and 143 are signals.
    assert listed == known | {129, 143}
