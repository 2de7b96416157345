"""Reads that lag behind writes, where the tester wants it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from provision.simulator import Simulator
from tests.simulator.azure import (
    Azure,
    a_scale_set,
    a_security_group,
    a_stack,
    azure_with_a_network,
    group_id,
    network_path,
    path_of,
    refusal,
)

GROUP = f"{group_id()}?api-version=2025-04-01"
GROUPS = f"{group_id().rpartition('/')[0]}?api-version=2025-04-01"
SET = path_of("virtualMachineScaleSets/train")
SETS = path_of("virtualMachineScaleSets")
NSG = network_path("networkSecurityGroups/nsg")
STACK = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
A_GROUP = {"location": "eastus", "properties": {}}


def azure_that_lags(read: int = 10, lists: int = 30) -> Azure:
    azure = azure_with_a_network()
    azure.set_world(settings={"readLagS": read, "listLagS": lists})
    return azure


def names(azure: Azure, path: str) -> list[str]:
    return [row["name"] for row in azure.listed(path)]


def test_what_was_just_made_is_not_there_yet() -> None:
    azure = azure_that_lags()
    made = azure.put_scale_set("train", a_scale_set(nodes=2))

    seen = []
    for _ in range(4):
        seen.append((azure.ask("GET", SET).status, names(azure, SETS)))
        azure.wait(9)

    assert made.status == 201
    assert seen == [(404, []), (404, []), (200, []), (200, [])]
    azure.wait(1)
    assert names(azure, SETS) == ["train"]
    assert azure.ask("GET", made.headers["Azure-AsyncOperation"]).json()["status"] == "InProgress"


def test_a_group_that_was_just_made_is_unknown_to_what_is_in_it() -> None:
    azure = Azure()
    azure.set_world(settings={"readLagS": 10})
    azure.make_group()

    head, inside = azure.ask("HEAD", GROUP).status, refusal(azure.network.virtual_networks.get, "rg", "net")
    written = azure.ask("PUT", NSG, A_GROUP).status
    azure.wait(10)

    assert (head, inside[1], written) == (404, "ResourceGroupNotFound", 201)
    assert azure.ask("HEAD", GROUP).status == 204


def test_what_was_changed_shows_as_it_was() -> None:
    azure = azure_that_lags(lists=0)
    azure.ask("PUT", NSG, A_GROUP)
    azure.wait(60)
    before = azure.ask("GET", NSG)
    azure.ask("PUT", NSG, {**A_GROUP, "tags": {"a": "b"}})

    after = azure.ask("GET", NSG)
    listed = azure.listed(network_path("networkSecurityGroups"))[0]
    azure.wait(10)

    assert after.body == before.body
    assert (listed["tags"], azure.ask("GET", NSG).json()["tags"]) == ({"a": "b"}, {"a": "b"})


def test_what_was_deleted_is_still_there() -> None:
    azure = azure_that_lags()
    azure.ask("PUT", NSG, A_GROUP)
    azure.wait(60)
    gone = azure.ask("DELETE", NSG)
    while azure.ask("GET", gone.headers["Azure-AsyncOperation"]).json()["status"] != "Succeeded":
        azure.wait(1)

    assert (azure.ask("GET", NSG).status, azure.ask("DELETE", NSG).status) == (200, 204)
    azure.wait(10)
    assert (azure.ask("GET", NSG).status, names(azure, network_path("networkSecurityGroups"))) == (404, ["nsg"])
    azure.wait(30)
    assert names(azure, network_path("networkSecurityGroups")) == []


def test_what_a_stack_makes_lags_from_the_moment_of_making_however_late_anybody_looks() -> None:
    azure = azure_that_lags(read=10, lists=10)
    azure.ask("PUT", STACK, a_stack(a_security_group("nsg")))

    azure.wait(600)

    assert (azure.ask("GET", NSG).status, azure.ask("GET", STACK).json()["properties"]["provisioningState"]) == (
        200,
        "succeeded",
    )


def test_a_stacks_end_is_told_before_it_is_seen() -> None:
    azure = azure_that_lags()
    poll = azure.ask("PUT", STACK, a_stack(a_security_group("nsg"))).headers["Azure-AsyncOperation"]
    while azure.ask("GET", poll).json()["status"] != "succeeded":
        azure.wait(1)

    early = azure.ask("GET", STACK).json()["properties"]
    azure.wait(10)

    assert early["provisioningState"] == "deploying"
    assert azure.ask("GET", STACK).json()["properties"]["provisioningState"] == "succeeded"


def test_writes_see_what_is() -> None:
    azure = azure_that_lags()
    azure.make_group("other")

    again = azure.ask("PUT", f"{group_id('other')}?api-version=2025-04-01", {"location": "westus3"})

    assert (again.status, again.json()["error"]["code"]) == (409, "InvalidResourceGroupLocation")
    assert names(azure, GROUPS) == ["rg"]


def test_what_is_seen_belongs_together() -> None:
    azure = azure_that_lags(read=10, lists=10)
    azure.put_scale_set("train", a_scale_set(nodes=2))
    subnet = network_path("virtualNetworks/net/subnets/nodes")

    def users() -> int:
        return len(azure.ask("GET", subnet).json()["properties"].get("ipConfigurations", []))

    early = (users(), names(azure, SETS))
    azure.wait(10)

    assert early == (0, [])
    assert (users(), names(azure, SETS)) == (2, ["train"])


def test_a_world_that_the_tester_puts_is_seen_at_once() -> None:
    azure = azure_that_lags()
    azure.put_scale_set("train", a_scale_set(nodes=2))
    parts = azure.world

    azure.set_world(**{**parts, "operations": []})

    assert (azure.ask("GET", SET).status, names(azure, SETS)) == (200, ["train"])


@pytest.mark.parametrize("settings", [{}, {"readLagS": 0, "listLagS": 0}])
def test_without_lag_what_is_written_is_seen(settings: Any) -> None:
    azure = azure_that_lags()
    azure.set_world(settings=settings)
    azure.put_scale_set("train", a_scale_set(nodes=2))

    assert (azure.ask("GET", SET).status, names(azure, SETS)) == (200, ["train"])


def test_reading_changes_nothing() -> None:
    ends = []
    for looks in (0, 40):
        azure = azure_that_lags()
        for name in ("b", "a"):
            azure.put_scale_set(name, a_scale_set(nodes=2))
        for _ in range(looks):
            azure.ask("GET", SETS)
            azure.ask("GET", SET)
            azure.wait(1)
        azure.simulator.advance_to(azure.simulator.now + 400 - looks)
        azure.put_scale_set("c", a_scale_set(nodes=2))
        azure.wait(600)
        ends.append([(row["name"], row["properties"]["provisioningState"]) for row in azure.world["resources"]])

    assert ends[0] == ends[1]


def test_lag_goes_on_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "world.db"
    azure = Azure(Simulator(state=path))
    azure.make_network()
    azure.set_world(settings={"readLagS": 10})
    azure.simulator.close()

    again = Azure(Simulator(state=path))
    again.ask("PUT", NSG, A_GROUP)

    assert again.ask("GET", NSG).status == 404


def test_a_copy_of_a_world_has_a_past_of_its_own() -> None:
    azure = azure_that_lags()
    azure.ask("PUT", NSG, A_GROUP)
    azure.wait(60)
    other = Azure()
    other.simulator.advance_to(azure.simulator.now)
    other.simulator._world = copy.deepcopy(azure.simulator._world)

    other.ask("DELETE", NSG)
    other.wait(60)

    assert (azure.ask("GET", NSG).status, other.ask("GET", NSG).status) == (200, 404)
