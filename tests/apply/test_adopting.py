"""Runs that put marks on: killed at any write, overtaken by others, refused by what has changed meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from provision.errors import StalePlan
from provision.simulator.transport import ClientKilled
from tests.support.azure import Azure
from tests.support.fleets import ADOPTING, GROUP, SETS, VERSIONS, make_fleet


def a_fleet() -> Azure:
    """Return an Azure with a fleet that nobody has adopted."""
    azure = Azure()
    make_fleet(azure.put)
    return azure


def tags(azure: Azure) -> dict[str, Any]:
    world = azure.control("GET", "world")
    return {row["id"]: row.get("tags") for part in ("resourceGroups", "resources") for row in world[part]}


def body(azure: Azure, name: str) -> dict[str, Any]:
    (found,) = (row for row in azure.control("GET", "world")["resources"] if row["name"] == name)
    result: dict[str, Any] = found
    return result


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_that_is_killed_at_any_write_is_brought_to_its_end_by_the_next(when: str) -> None:
    whole = a_fleet()
    whole.carry_out(whole.adoption(ADOPTING).plan)
    wanted = tags(whole)

    count = 0
    while True:
        azure = a_fleet()
        fault = {"effect": "kill-client", "when": when, "skip": count, "count": 1}
        azure.control("POST", "faults", [{**fault, "match": {"method": m}} for m in ("PUT", "PATCH", "DELETE")])
        try:
            azure.carry_out(azure.adoption(ADOPTING).plan)
            killed = False
        except ClientKilled:
            killed = True
            azure.wait(4000)  # the dead run's lock expires
        azure.control("DELETE", "faults")
        again = azure.adoption(ADOPTING)
        assert not again.blocked
        if again.plan.operations:
            azure.carry_out(again.plan)
        assert tags(azure) == wanted, count
        assert not azure.adoption(ADOPTING).found
        if not killed:
            break
        count += 1
    assert count > 4


def test_what_changed_since_it_was_looked_at_is_not_marked() -> None:
    azure = a_fleet()
    plan = azure.adoption(ADOPTING).plan
    put = f"{SETS}/vmss-h100"
    azure.put(put, {"location": "southcentralus", "sku": {"capacity": 5}}, VERSIONS["compute"])

    with pytest.raises(StalePlan, match="vmss-h100"):
        azure.carry_out(plan)

    assert not any("provision" in (each or {}) for id, each in tags(azure).items() if id.startswith(f"{GROUP}/"))


def test_a_mark_that_another_environment_put_on_in_between_is_left_alone() -> None:
    azure = Azure(hard=False)
    make_fleet(azure.put)
    plan = azure.adoption(ADOPTING).plan
    theirs = {"team": "hpc", "provision": "other/train-0"}
    edit = {"effect": "edit", "resource": f"{SETS}/vmss-h100", "patch": {"tags": theirs}, "count": 1}
    # What is read of the first is read after what the plan rests on, and before anything is marked.
    azure.control("POST", "faults", [{**edit, "match": {"method": "GET", "url": r"nsg-hpc\?"}}])

    run = azure.carry_out(plan)

    assert run.named("operation-failed") == [
        (f"mark {SETS}/vmss-h100".lower(), "it carries the mark other/train-0 by now, so it was left alone")
    ]
    assert body(azure, "vmss-h100")["tags"] == theirs
    (block,) = azure.adoption(ADOPTING).blocked
    assert block.id.name == "vmss-h100"


def test_an_autoscaler_s_set_is_adopted_with_the_nodes_that_it_has() -> None:
    azure = Azure()
    make_fleet(azure.put, nodes=7)
    text = ADOPTING.replace("    nodes: 4\n", "    nodes: 4\n    capacity: external\n")

    adoption = azure.adoption(text)

    assert not adoption.blocked
    assert adoption.after.assessment.nodes_before == 7
    assert [each.nodes for each in adoption.found if each.nodes] == [7]
