"""Spot nodes that have to go: for want of hardware, or because regular ones need theirs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import SIZE, SUBSCRIPTION, Azure, azure_with_a_network

NOTICE_S = 30


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def make_spot(azure: Azure, name: str = "spot", nodes: int = 4, policy: str = "Deallocate", **changes: Any) -> None:
    azure.make_scale_set(name, nodes=nodes, profile={"priority": "Spot", "evictionPolicy": policy}, **changes)


def lose(azure: Azure, left: Any) -> None:
    azure.set_world(capacity={"eastus": {SIZE: left}})


def power(azure: Azure, name: str = "spot") -> dict[str, str]:
    found = {}
    for node in azure.nodes(name):
        codes = [status["code"] for status in node["properties"]["instanceView"]["statuses"]]
        found[node["instanceId"]] = codes[-1].rpartition("/")[2]
    return found


def cores(azure: Azure, name: str) -> int:
    rows = [row.as_dict() for row in azure.compute.usage.list("eastus")]
    return int(next(row["currentValue"] for row in rows if row["name"]["value"] == name))


def test_lost_hardware_evicts_the_newest_spot_nodes_after_a_notice(azure: Azure) -> None:
    make_spot(azure)

    lose(azure, 2)
    azure.wait(NOTICE_S - 1)
    noticed = power(azure)
    azure.wait(1)

    assert noticed == {"0": "running", "1": "running", "2": "running", "3": "running"}
    assert power(azure) == {"0": "running", "1": "running", "2": "deallocated", "3": "deallocated"}
    assert azure.scale_set("spot")["sku"]["capacity"] == 4
    assert cores(azure, "lowPriorityCores") == 4 * 96


def test_the_policy_may_delete_what_is_evicted(azure: Azure) -> None:
    make_spot(azure, policy="Delete")
    before = azure.scale_set("spot")["etag"]

    lose(azure, 1)
    azure.wait(NOTICE_S)

    after = azure.scale_set("spot")
    assert power(azure) == {"0": "running"}
    assert after["sku"]["capacity"] == 1
    assert after["etag"] != before
    assert cores(azure, "lowPriorityCores") == 96


def test_regular_nodes_are_never_evicted(azure: Azure) -> None:
    azure.make_scale_set("regular", nodes=3)
    make_spot(azure, nodes=2)

    lose(azure, 1)
    azure.wait(NOTICE_S)

    assert set(power(azure, "regular").values()) == {"running"}
    assert set(power(azure).values()) == {"deallocated"}


def test_spot_nodes_give_way_to_regular_ones(azure: Azure) -> None:
    lose(azure, 6)
    make_spot(azure)

    azure.make_scale_set("regular", nodes=5)

    states = [node["properties"]["provisioningState"] for node in azure.nodes("regular")]
    assert states == ["Succeeded"] * 5
    assert power(azure) == {"0": "running", "1": "deallocated", "2": "deallocated", "3": "deallocated"}


def test_spot_nodes_do_not_give_way_to_each_other(azure: Azure) -> None:
    lose(azure, 6)
    make_spot(azure)

    make_spot(azure, "late", 4)

    assert list(power(azure).values()) == ["running"] * 4
    assert [node["properties"]["provisioningState"] for node in azure.nodes("late")] == ["Succeeded"] * 2 + [
        "Failed"
    ] * 2


def test_only_the_cluster_that_lost_hardware_is_cleared(azure: Azure) -> None:
    lose(azure, [{"nodes": 4, "cluster": "a"}, {"nodes": 4, "cluster": "b"}])
    make_spot(azure, "one")
    make_spot(azure, "two")

    lose(azure, [{"nodes": 1, "cluster": "a"}, {"nodes": 4, "cluster": "b"}])
    azure.wait(NOTICE_S)

    assert list(power(azure, "one").values()) == ["running", "deallocated", "deallocated", "deallocated"]
    assert list(power(azure, "two").values()) == ["running"] * 4


def test_a_node_is_evicted_once_however_often_hardware_is_lost(azure: Azure) -> None:
    make_spot(azure)

    lose(azure, 3)
    azure.wait(10)
    lose(azure, 2)
    azure.wait(NOTICE_S)

    assert list(power(azure).values()) == ["running", "running", "deallocated", "deallocated"]


def test_nodes_that_go_by_themselves_meanwhile_are_left_alone(azure: Azure) -> None:
    make_spot(azure, policy="Delete")
    lose(azure, 1)
    sets = azure.compute.virtual_machine_scale_sets
    azure.start(sets.begin_delete, "rg", "spot")
    azure.wait(90)

    make_spot(azure, nodes=1)

    assert power(azure) == {"0": "running"}


def test_an_evicted_node_starts_again_when_there_is_hardware(azure: Azure) -> None:
    make_spot(azure, nodes=2)
    lose(azure, 1)
    azure.wait(NOTICE_S)
    sets = azure.compute.virtual_machine_scale_sets

    short = azure.start(sets.begin_start, "rg", "spot")
    azure.wait(60)
    lose(azure, 2)
    azure.start(sets.begin_start, "rg", "spot")
    azure.wait(60)

    assert azure.ask("GET", short.poll).json()["error"]["code"] == "AllocationFailed"
    assert power(azure) == {"0": "running", "1": "running"}


def test_an_eviction_is_nothing_that_a_client_can_poll(azure: Azure) -> None:
    make_spot(azure)
    lose(azure, 0)

    assert azure.world["operations"] == []
    assert azure.world["resources"][-1]["id"].startswith(f"/subscriptions/{SUBSCRIPTION}/")
