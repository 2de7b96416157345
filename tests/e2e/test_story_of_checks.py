"""What is read of Azure before the first write, as people see it: one table, codes 4 and 5, and nothing written."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.e2e.conftest import Azure, Shell
from tests.support.worlds import QUICK

LITTLE = {"quota": {"southcentralus": {"standardNDSH100v5Family": 96}}}
NO_ROLES = {"settings": {"permissions": [{"actions": ["*"], "notActions": ["Microsoft.Authorization/*/read"]}]}}
FAILED = "standardNDSH100v5Family in southcentralus: 192 vCPUs are added to 0 in use, 192 in all; the limit is 96"


def set_world(azure: Azure, part: dict[str, Any]) -> None:
    azure.ask("PUT", "/_simulator/world", part)
    azure.forget()


def test_a_table_tells_what_was_checked_and_what_would_help(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    set_world(azure, LITTLE)

    code = provision("validate", "--online", "--endpoint", azure.endpoint, "quick.yaml")

    assert code == 4
    lines = provision.out.splitlines()
    assert "ok        Microsoft.Compute: registered" in lines
    assert f"FAIL      {FAILED}" in lines
    assert "          fix: ask for a limit of 192 or more, or state fewer nodes" in lines
    assert "checked against Azure: 2 failed, 12 passed" in lines
    assert any(line.startswith("quick.yaml:10:5: error: ") and line.endswith("[quota-too-small]") for line in lines)
    assert azure.writes() == []


def test_other_tools_get_the_numbers_and_the_body_of_a_request(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    set_world(azure, LITTLE)
    sarif = provision.folder / "out.sarif"

    provision(
        "validate", "--online", "--endpoint", azure.endpoint, "--format=json", f"--format=sarif={sarif}", "quick.yaml"
    )

    failed, refused = (row for row in json.loads(provision.out)["checks"] if row["status"] == "fail")
    assert (failed["check"], refused["check"]) == ("quota-too-small", "azure-refuses")
    assert failed["numbers"] == {"required": 192, "used": 0, "limit": 96, "after": 192, "ask_for": 192}
    assert failed["request"]["method"] == "PUT"
    (run,) = json.loads(sarif.read_text("utf-8"))["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["no-way-in", "azure-refuses", "quota-too-small"]
    assert "quota-too-small" in {rule["id"] for rule in run["tool"]["driver"]["rules"]}


def test_every_format_tells_of_the_checks(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    set_world(azure, LITTLE)
    formats = [f"--format={name}=out.{name}" for name in ("markdown", "junit", "github")]

    assert provision("validate", "--online", "--endpoint", azure.endpoint, *formats, "quick.yaml") == 4
    markdown, junit, github = (
        (provision.folder / f"out.{each}").read_text() for each in ("markdown", "junit", "github")
    )
    assert "| ok | Microsoft.Compute | registered |\n" in markdown
    assert "| FAIL | standardNDSH100v5Family in southcentralus | 192 vCPUs are added to 0 in use" in markdown
    suite = next(each for each in ElementTree.fromstring(junit) if each.get("name") == "checks against Azure")
    assert (suite.get("tests"), suite.get("failures")) == ("12", "0")
    assert [each.get("type") for each in ElementTree.fromstring(junit).iter("failure")] == [
        "azure-refuses",
        "quota-too-small",
    ]
    assert "checked against Azure: 2 failed, 12 passed\n" in github


@pytest.mark.parametrize("verb", [["plan"], ["apply", "--yes"]])
def test_plan_and_apply_check_first_and_write_nothing(azure: Azure, provision: Shell, verb: list[str]) -> None:
    provision.write(QUICK)
    set_world(azure, LITTLE)

    assert provision(*verb, "quick.yaml") == 4
    assert f"FAIL      {FAILED}" in provision.err.splitlines()
    assert azure.writes() == []


def test_a_check_that_can_not_be_made_is_no_pass(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    set_world(azure, NO_ROLES)

    assert provision("apply", "--yes", "quick.yaml") == 5
    assert "NOT RUN   roles on the subscription: this could not be checked: AuthorizationFailed" in provision.err
    assert azure.writes() == []


def test_who_may_only_read_can_plan_and_is_told_what_an_apply_needs(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    assert provision("apply", "--yes", "quick.yaml") == 0
    provision.write(QUICK.replace("nodes: 2", "nodes: 3"))
    readers = {"actions": ["*/read", "Microsoft.Resources/deployments/validate/action"]}
    set_world(azure, {"settings": {"permissions": [readers]}})

    assert provision("plan", "quick.yaml") == 0, provision.err
    assert "warn      roles on resourceGroups quick-southcentralus: not allowed: " in provision.err
    assert provision("apply", "--yes", "quick.yaml") == 4
    assert azure.writes() == []


def test_a_check_may_be_left_out_and_that_is_told(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    set_world(azure, NO_ROLES)
    left_out = ["--skip-check", "permission-missing", "--skip-check", "lock-in-the-way"]

    assert provision("plan", *left_out, "quick.yaml") == 0, provision.err
    assert "not checked, as asked: lock-in-the-way, permission-missing" in provision.err.splitlines()
    online = ["validate", "--online", "--endpoint", azure.endpoint]
    assert provision(*online, "quick.yaml") == 5
    assert provision(*online, *left_out, "quick.yaml") == 0
    assert provision.err == "not checked, as asked: lock-in-the-way, permission-missing\n"
    assert provision("plan", "--skip-check", "permissions", "quick.yaml") == 64
    assert provision("validate", *left_out, "quick.yaml") == 64


ACCEPTED = (
    QUICK
    + """\
suppress:
  - {rule: quota-too-small, at: pools.train, reason: asked for in ticket 4711, until: 2099-01-01}
  - {rule: azure-refuses, at: regions, reason: the same quota}
"""
)


def test_a_file_may_accept_what_a_check_finds_for_a_reason_and_a_time(azure: Azure, provision: Shell) -> None:
    provision.write(ACCEPTED)
    set_world(azure, LITTLE)

    assert provision("plan", "quick.yaml") == 0, provision.err
    lines = provision.err.splitlines()
    at = lines.index(f"accepted  {FAILED}")
    assert lines[at + 1] == "          because: asked for in ticket 4711, until 2099-01-01"
    assert "checked against Azure: 2 accepted, 12 passed" in lines
    code = provision("validate", "--online", "--endpoint", azure.endpoint, "--format=json", "quick.yaml")
    assert code == 0
    found = json.loads(provision.out)
    assert {each["rule"]: each["reason"] for each in found["suppressed"]} == {
        "azure-refuses": "the same quota",
        "quota-too-small": "asked for in ticket 4711",
    }
    assert [each["accepted"] for each in found["checks"] if each["status"] == "fail"] == [
        "asked for in ticket 4711",
        "the same quota",
    ]


def test_a_suppression_of_a_check_is_unused_only_if_the_check_looked_there(azure: Azure, provision: Shell) -> None:
    provision.write(ACCEPTED.replace("at: regions", "at: pools"))
    set_world(azure, LITTLE)
    online = ["validate", "--online", "--endpoint", azure.endpoint]

    assert provision("validate", "quick.yaml") == 0
    assert "suppression-unused" not in provision.out
    assert provision(*online, "quick.yaml") == 4
    assert "warning: azure-refuses finds nothing at pools [suppression-unused]" in provision.out
    provision.write(ACCEPTED.replace("2099-01-01", "2020-01-01"))
    assert provision("validate", "quick.yaml") == 3
    assert "the suppression of quota-too-small at pools.train ended on 2020-01-01" in provision.out


def test_a_check_has_no_severity_to_be_set_and_says_so(provision: Shell) -> None:
    provision.write(QUICK + "severity: {quota-too-small: warning}\n")

    assert provision("validate", "quick.yaml") == 0
    assert "quota-too-small is a check against Azure: it passes or fails, and has no severity" in provision.out


def test_a_saved_plan_is_checked_again_when_it_is_applied(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    assert provision("plan", "--out", "saved.json", "quick.yaml") == 0
    set_world(azure, LITTLE)

    assert provision("apply", "--yes", "saved.json") == 4
    assert f"FAIL      {FAILED}" in provision.err.splitlines()
    assert azure.writes() == []


def test_a_lock_stops_a_destruction_before_its_first_deletion(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    assert provision("apply", "--yes", "quick.yaml") == 0
    scope = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quick-southcentralus"
    lock = {"id": f"{scope}/providers/Microsoft.Authorization/locks/keep", "name": "keep"}
    set_world(azure, {"locks": [{**lock, "properties": {"level": "CanNotDelete"}}]})

    assert provision("destroy", "--yes", "quick.yaml") == 4
    assert "FAIL      lock keep on resourceGroups quick-southcentralus: is CanNotDelete" in provision.err
    assert azure.writes() == []


def test_only_online_checks_need_to_know_which_azure_is_meant(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)

    assert provision("validate", "--endpoint", azure.endpoint, "quick.yaml") == 64
    assert "only --online talks to an Azure" in provision.err
