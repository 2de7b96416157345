"""What the README shows is what the tool does."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from provision.adapters.files import environments_root
from provision.cli import exits
from provision.cli.main import cli, main
from provision.plan.model import CONSENT, Action, Drift
from tests.e2e.conftest import Azure, azure, simulator
from tests.support.worlds import QUICK, checked

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


PLANS = (Path(__file__).resolve().parents[2] / "docs" / "plans.md").read_text("utf-8")


def test_the_page_about_plans_has_every_action_its_consent_and_every_class_of_drift() -> None:
    rows = {name: told for _, name, told in re.findall(r"^\| (\S+) \| ([a-z-]+) \| (.*) \|$", PLANS, re.MULTILINE)}

    assert {action.label for action in Action} <= rows.keys()
    for action, consent in CONSENT.items():
        assert f"--allow {consent}`" in rows[action.label], action
    for kind in Drift:
        assert f"\n| {kind.label} | " in PLANS


def test_what_the_page_about_plans_leaves_to_others_can_be_left_to_them() -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PLANS, re.DOTALL)

    environment = checked(QUICK + text).environment

    assert environment is not None
    assert [entry.owner for entry in environment.ignore] == ["finops", "security"]
