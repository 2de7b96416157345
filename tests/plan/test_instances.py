"""Which nodes a set gives up when it shrinks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates
from provision.pipeline import planned, rendered
from provision.plan import Plan
from provision.plan.instances import victims
from tests.support.worlds import QUICK, checked, standing

FOUR = QUICK.replace("nodes: 2", "nodes: 4")


def a_node(number: int, *, on: bool = True, health: str = "", state: str = "Succeeded", kept: bool = False) -> Any:
    view: dict[str, Any] = {"statuses": [{"code": f"PowerState/{'running' if on else 'deallocated'}"}]}
    if health:
        view["vmHealth"] = {"status": {"code": f"HealthState/{health}"}}
    properties: dict[str, Any] = {"provisioningState": state, "instanceView": view}
    if kept:
        properties["protectionPolicy"] = {"protectFromScaleIn": True}
    return {"instanceId": str(number), "properties": properties}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        pytest.param([a_node(0), a_node(9), a_node(10)], ("10", "9"), id="the newest"),
        pytest.param([a_node(0, health="unhealthy"), a_node(1), a_node(2)], ("0", "2"), id="the unhealthy first"),
        pytest.param([a_node(0, on=False), a_node(1), a_node(2)], ("0", "2"), id="what does not run"),
        pytest.param([a_node(0), a_node(1, state="Failed"), a_node(2)], ("1", "2"), id="what never came up"),
        pytest.param([a_node(0), a_node(1), a_node(2, kept=True)], ("1", "0"), id="what is protected last"),
    ],
)
def test_the_unhealthy_go_first_then_the_newest(nodes: list[Any], expected: tuple[str, ...]) -> None:
    assert victims(nodes, 2) == expected


def shrinking(nodes: tuple[Any, ...]) -> Plan:
    world = standing(FOUR)
    each = checked(QUICK)
    key = str(world.resource("quick-train-0")["id"]).lower()
    observed = replace(world.observed, instances={key: nodes} if nodes else {})
    return planned(each, rendered(each, load_catalog(), load_templates()), observed, load_catalog(), load_policies())


def test_a_plan_names_the_nodes_that_go_and_deletes_them_before_the_capacity() -> None:
    made = shrinking(tuple(a_node(number) for number in (0, 1, 4, 7)))
    (change,) = made.changes
    deletion, stack = made.operations

    assert (change.instances, made.unread) == (("7", "4"), ())
    assert (deletion.kind, deletion.body, deletion.mark) == (
        "delete-instances",
        {"instanceIds": ["7", "4"]},
        "quick/train-0",
    )
    assert stack.after == (deletion.id,)


def test_a_plan_that_knows_no_nodes_is_not_whole() -> None:
    made = shrinking(())

    assert [id.name for id in made.unread] == ["quick-train-0"]
    assert [operation.kind for operation in made.operations] == ["put-stack"]
