"""A set that shrinks gives up the nodes that the plan has named, whatever happens on the way."""

from __future__ import annotations

import pytest

from provision.arm import SCALE_SETS, ResourceId
from provision.plan import Action
from provision.simulator.transport import ClientKilled
from tests.support.azure import Azure
from tests.support.worlds import QUICK

SIX, FOUR = QUICK.replace("nodes: 2", "nodes: 6"), QUICK.replace("nodes: 2", "nodes: 4")
TRAIN = ResourceId(
    f"/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quick-southcentralus/providers/{SCALE_SETS}"
    "/quick-train-0"
)


def six_of_which_one_is_ill() -> Azure:
    azure = Azure()
    azure.apply(SIX)
    azure.control("POST", "nodes", {"scaleSet": str(TRAIN), "instances": ["1"], "power": "stopped"})
    return azure


def nodes(azure: Azure) -> list[str]:
    return sorted(str(each["instanceId"]) for each in azure.arm.instances(TRAIN))


def test_the_ill_node_and_the_newest_go_and_all_others_stay() -> None:
    azure = six_of_which_one_is_ill()
    plan = azure.plan(FOUR)
    (change,) = [change for change in plan.changes if change.action is Action.SCALE_IN]

    run = azure.carry_out(plan)

    assert set(run.statuses.values()) == {"done"}
    assert change.instances == ("1", "5")
    assert nodes(azure) == ["0", "2", "3", "4"]
    assert azure.plan(FOUR).empty
    capacities = [
        body["properties"]["template"]["resources"][0]["sku"]["capacity"]
        for operation in plan.operations
        if (body := operation.body) and operation.kind == "put-stack"
    ]
    assert capacities == [4]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_deletion_whose_answer_is_lost_takes_no_other_nodes(when: str) -> None:
    azure = six_of_which_one_is_ill()
    plan = azure.plan(FOUR)
    azure.control("POST", "faults", [{"effect": "drop", "when": when, "match": {"method": "POST"}, "count": 1}])

    assert set(azure.carry_out(plan).statuses.values()) == {"done"}

    assert nodes(azure) == ["0", "2", "3", "4"]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("skip", range(3))
def test_a_kill_on_the_way_loses_no_node_that_was_to_stay(method: str, when: str, skip: int) -> None:
    azure = six_of_which_one_is_ill()
    fault = {"effect": "kill-client", "when": when, "skip": skip, "count": 1, "match": {"method": method}}
    azure.control("POST", "faults", [fault])
    try:
        azure.apply(FOUR)
    except ClientKilled:
        azure.wait(4000)
    azure.control("DELETE", "faults")

    azure.apply_again(FOUR)

    assert nodes(azure) == ["0", "2", "3", "4"]
    assert azure.plan(FOUR).empty
