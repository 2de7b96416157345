"""`provision explain`: every rule by its id, or all of them."""

from __future__ import annotations

import pytest

from provision.cli.main import main
from provision.environment.problems import LOADER_RULES
from provision.report.preflight import preflight_rules
from provision.rules import rules


def test_a_rule_is_explained_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "job-exceeds-placement-group"]) == 0
    assert capsys.readouterr().out == (
        "job-exceeds-placement-group: error\n"
        "  finds: each pool whose jobs span more nodes than a placement group or a scale set of it holds\n"
        "  why:   InfiniBand joins only VMs of one placement group, and Azure caps it at 100 VMs until support raises\n"
        "         it\n"
        "         https://learn.microsoft.com/azure/virtual-machines/setup-infiniband#cluster-configuration-options\n"
        "  fix:   make the jobs smaller, or ask Azure support for a raise and state it in placement_group_limit\n"
    )


@pytest.mark.parametrize("rule", [rule.id for rule in (*LOADER_RULES, *rules(), *preflight_rules())])
def test_every_rule_can_be_explained(rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", rule]) == 0
    assert capsys.readouterr().out.startswith(f"{rule}: ")


def test_without_a_rule_all_are_listed_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]

    assert listed == sorted(rule.id for rule in (*LOADER_RULES, *rules(), *preflight_rules()))


def test_an_unknown_rule_is_an_error_with_a_guess(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "missing-keys"]) == 1
    assert capsys.readouterr() == (
        "",
        "error: there is no rule missing-keys; did you mean missing-key?\n  fix: `provision explain` lists all rules\n",
    )
