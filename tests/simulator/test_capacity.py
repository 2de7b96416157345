"""Hardware in clusters: where sets go, what their growth finds, and what others take."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import SIZE, Azure, a_scale_set, azure_with_a_network, path_of, set_id

OTHER = "Standard_D8s_v5"


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network("10.0.0.0/22")


def scarce(azure: Azure, *clusters: Any, region: str = "eastus", **settings: Any) -> None:
    """Say what there is of the size: a number, or clusters."""
    stated = clusters[0] if len(clusters) == 1 and isinstance(clusters[0], int) else list(clusters)
    azure.set_world(capacity={region: {SIZE: stated}}, settings=settings)


def a_cluster(nodes: int, name: str = "", zone: str = "") -> dict[str, Any]:
    named = {"cluster": name} if name else {}
    return {"nodes": nodes, **named, **({"zone": zone} if zone else {})}


def up(azure: Azure, name: str = "train") -> int:
    """Return how many nodes of a set are up."""
    return sum(node["properties"]["provisioningState"] == "Succeeded" for node in azure.nodes(name))


def scale(azure: Azure, nodes: int, name: str = "train") -> int:
    """Scale a set, and return how many of its nodes are up then."""
    begin = azure.compute.virtual_machine_scale_sets.begin_update
    azure.start(begin, "rg", name, {"sku": {"name": SIZE, "capacity": nodes}})
    azure.wait(900)
    return up(azure, name)


def delete_nodes(azure: Azure, *numbers: int, name: str = "train") -> None:
    ids = {"instanceIds": [str(number) for number in numbers]}
    azure.start(azure.compute.virtual_machine_scale_sets.begin_delete_instances, "rg", name, ids)
    azure.wait(60)


def test_hardware_has_no_end_until_somebody_says_so(azure: Azure) -> None:
    azure.make_scale_set(nodes=100)

    assert up(azure) == 100
    assert azure.world["capacity"] == {}


def test_one_placement_group_lives_in_one_cluster(azure: Azure) -> None:
    scarce(azure, a_cluster(16), a_cluster(16))

    azure.make_scale_set(nodes=20)

    assert up(azure) == 16


def test_several_placement_groups_spread_over_clusters(azure: Azure) -> None:
    scarce(azure, a_cluster(16), a_cluster(16))

    azure.make_scale_set(nodes=20, properties={"singlePlacementGroup": False})

    groups = [node["properties"]["instanceView"]["placementGroupId"] for node in azure.nodes()]
    assert up(azure) == 20
    assert [groups.count(group) for group in dict.fromkeys(groups)] == [16, 4]


def test_a_set_goes_to_the_first_cluster_that_takes_all_of_it(azure: Azure) -> None:
    scarce(azure, a_cluster(4), a_cluster(8), a_cluster(16))

    azure.make_scale_set("a", nodes=6)
    azure.make_scale_set("b", nodes=4)

    # `a` is in the second, `b` in the first: nothing else leaves them room for just that.
    assert (scale(azure, 9, "a"), scale(azure, 5, "b")) == (8, 4)


def test_growth_has_to_fit_where_the_set_is_however_much_is_free_elsewhere(azure: Azure) -> None:
    scarce(azure, a_cluster(8), a_cluster(100))
    azure.make_scale_set(nodes=8)

    grown = scale(azure, 12)

    assert grown == 8
    assert azure.scale_set()["sku"]["capacity"] == 12
    azure.make_scale_set("another", nodes=12)
    assert up(azure, "another") == 12


def test_two_sets_share_a_cluster_until_it_is_full(azure: Azure) -> None:
    scarce(azure, a_cluster(10))

    azure.make_scale_set("a", nodes=6)
    azure.make_scale_set("b", nodes=6)

    assert (up(azure, "a"), up(azure, "b")) == (6, 4)


def test_a_zonal_set_uses_the_clusters_of_its_zone_and_those_of_all(azure: Azure) -> None:
    scarce(azure, a_cluster(4, zone="1"), a_cluster(8, zone="2"), a_cluster(2))

    for name, zone in (("a", "1"), ("b", "2"), ("c", "3")):
        azure.make_scale_set(name, nodes=8, zones=[zone])

    assert [up(azure, name) for name in "abc"] == [4, 8, 2]


def test_a_regional_set_uses_the_clusters_of_every_zone(azure: Azure) -> None:
    scarce(azure, a_cluster(4, zone="1"), a_cluster(8, zone="2"))

    azure.make_scale_set(nodes=8)

    assert up(azure) == 8


def test_a_set_in_several_zones_needs_hardware_in_each(azure: Azure) -> None:
    scarce(azure, a_cluster(2, zone="1"), a_cluster(8, zone="2"))

    azure.make_scale_set(nodes=8, zones=["1", "2"], properties={"singlePlacementGroup": False})

    found = dict.fromkeys("12", 0)
    for node in azure.nodes():
        found[node["zones"][0]] += node["properties"]["provisioningState"] == "Succeeded"
    assert found == {"1": 2, "2": 4}


def test_a_node_stays_in_its_zone_when_the_set_gets_another(azure: Azure) -> None:
    azure.make_scale_set(nodes=4, zones=["1"])

    azure.put_scale_set("train", a_scale_set(nodes=6, zones=["1", "2"]))
    azure.wait(900)

    assert [node["zones"] for node in azure.nodes()] == [["1"]] * 4 + [["1"], ["2"]]


def test_every_region_and_every_size_has_its_own(azure: Azure) -> None:
    azure.set_world(capacity={"*": {SIZE.lower(): 3}, "westus3": {SIZE: 0}})
    azure.make_network(group="west", location="westus3")

    azure.make_scale_set("a", nodes=3)
    azure.make_scale_set("b", nodes=4, size=OTHER, properties={"singlePlacementGroup": False})

    assert (up(azure, "a"), up(azure, "b"), scale(azure, 4, "a")) == (3, 4, 3)


def test_a_set_that_is_wholly_deallocated_may_come_back_in_another_cluster(azure: Azure) -> None:
    scarce(azure, a_cluster(4), a_cluster(8))
    azure.make_scale_set("a", nodes=4)
    sets = azure.compute.virtual_machine_scale_sets
    azure.start(sets.begin_deallocate, "rg", "a")
    azure.wait(60)
    azure.make_scale_set("b", nodes=3)

    azure.start(sets.begin_start, "rg", "a")
    azure.wait(60)

    assert (up(azure, "a"), scale(azure, 8, "a")) == (4, 8)


def test_a_node_that_is_deallocated_alone_has_to_come_back_where_the_others_are(azure: Azure) -> None:
    scarce(azure, a_cluster(4), a_cluster(8))
    azure.make_scale_set("a", nodes=4)
    sets = azure.compute.virtual_machine_scale_sets
    azure.start(sets.begin_deallocate, "rg", "a", {"instanceIds": ["2", "3"]})
    azure.wait(60)
    azure.make_scale_set("b", nodes=1)

    started = azure.start(sets.begin_start, "rg", "a")
    azure.wait(60)

    over = azure.ask("GET", started.poll).json()
    assert (over["status"], over["error"]["code"], over["error"]["target"]) == ("Failed", "AllocationFailed", "3")
    assert "scoped to a single cluster" in over["error"]["message"]
    codes = [[status["code"] for status in node["properties"]["instanceView"]["statuses"]] for node in azure.nodes("a")]
    assert codes == [
        ["ProvisioningState/succeeded", "PowerState/running"],
        ["ProvisioningState/succeeded", "PowerState/running"],
        ["ProvisioningState/succeeded", "PowerState/running"],
        ["ProvisioningState/failed/AllocationFailed", "PowerState/deallocated"],
    ]


def test_a_write_starts_no_node_that_is_deallocated(azure: Azure) -> None:
    scarce(azure, 2)
    azure.make_scale_set("a", nodes=2)
    sets = azure.compute.virtual_machine_scale_sets
    azure.start(sets.begin_deallocate, "rg", "a", {"instanceIds": ["1"]})
    azure.wait(60)
    azure.make_scale_set("b", nodes=1)
    azure.start(sets.begin_start, "rg", "a")
    azure.wait(60)
    azure.start(sets.begin_delete, "rg", "b")
    azure.wait(90)

    written = scale(azure, 2, "a")
    azure.start(sets.begin_start, "rg", "a")
    azure.wait(60)

    assert (written, up(azure, "a")) == (1, 2)


def test_a_resized_set_holds_the_hardware_of_its_new_size_together(azure: Azure) -> None:
    size = "Standard_ND96amsr_A100_v4"
    azure.set_world(capacity={"*": {SIZE: 4, size: [a_cluster(2), a_cluster(6)]}})
    azure.make_scale_set("a", nodes=4)

    azure.put_scale_set("a", {"location": "eastus", "sku": {"name": size, "capacity": 4}})
    azure.wait(600)
    azure.make_scale_set("b", nodes=4)
    begin = azure.compute.virtual_machine_scale_sets.begin_update
    azure.start(begin, "rg", "a", {"sku": {"name": size, "capacity": 7}})
    azure.wait(600)

    assert (up(azure, "a"), up(azure, "b")) == (6, 4)


def test_what_a_set_gives_up_the_next_one_can_have(azure: Azure) -> None:
    scarce(azure, a_cluster(8))
    azure.make_scale_set("a", nodes=8)
    scale(azure, 4, "a")
    delete_nodes(azure, 0, name="a")

    azure.make_scale_set("b", nodes=8)

    assert up(azure, "b") == 5


@pytest.mark.parametrize("stated", [8, [{"nodes": 8, "cluster": "a", "zone": "1"}, {"nodes": 0}]])
def test_others_can_take_what_is_freed(azure: Azure, stated: Any) -> None:
    azure.set_world(capacity={"*": {SIZE: stated}}, settings={"freedNodesAreTaken": True})
    azure.make_scale_set(nodes=8)

    scale(azure, 6)
    delete_nodes(azure, 0)
    azure.start(azure.compute.virtual_machine_scale_sets.begin_deallocate, "rg", "train", {"instanceIds": ["1"]})
    azure.wait(60)

    left = azure.world["capacity"]["eastus"][SIZE]
    assert (left if isinstance(left, int) else left[0]["nodes"]) == 4
    assert scale(azure, 8) == 5  # the deallocated node among them
    assert azure.world["capacity"]["*"] == {SIZE: stated}


def test_hardware_without_an_end_has_one_once_others_take_what_is_freed(azure: Azure) -> None:
    azure.set_world(settings={"freedNodesAreTaken": True})
    azure.make_scale_set("a", nodes=4)
    azure.make_scale_set("b", nodes=2)

    azure.start(azure.compute.virtual_machine_scale_sets.begin_delete, "rg", "b")
    azure.wait(90)

    assert azure.world["capacity"] == {"eastus": {SIZE: 4}}
    assert scale(azure, 5, "a") == 4


def test_no_cluster_at_all_is_no_hardware_and_nothing_to_lose(azure: Azure) -> None:
    azure.make_scale_set("a", nodes=2)
    azure.set_world(capacity={"eastus": {SIZE: []}}, settings={"freedNodesAreTaken": True})

    azure.make_scale_set("b", nodes=1)
    azure.start(azure.compute.virtual_machine_scale_sets.begin_delete, "rg", "a")
    azure.wait(90)

    assert (up(azure, "b"), azure.world["capacity"]) == (0, {"eastus": {SIZE: []}})


def test_a_deleted_group_frees_its_nodes_too(azure: Azure) -> None:
    scarce(azure, 4, freedNodesAreTaken=True)
    azure.make_scale_set(nodes=3)

    azure.resources.resource_groups.begin_delete("rg").result()

    assert azure.world["capacity"] == {"eastus": {SIZE: 1}}


def test_hardware_that_a_fault_takes_leaves_what_the_others_hold(azure: Azure) -> None:
    scarce(azure, a_cluster(8, "a"), a_cluster(20, "b"))
    azure.make_scale_set("first", nodes=8)
    azure.make_scale_set("second", nodes=12)

    azure.ask(
        "POST", "/_simulator/faults", {"effect": "lose-capacity", "nodes": 2, "count": 1, "resource": set_id("first")}
    )
    azure.scale_set("first")

    left = {each["cluster"]: each["nodes"] for each in azure.world["capacity"]["eastus"][SIZE]}
    assert left == {"a": 6, "b": 12}
    assert (up(azure, "first"), scale(azure, 13, "second"), scale(azure, 8, "first")) == (6, 12, 6)


def test_running_nodes_get_clusters_when_somebody_states_them(azure: Azure) -> None:
    azure.make_scale_set("a", nodes=6)
    azure.make_scale_set("b", nodes=4)

    scarce(azure, a_cluster(4), a_cluster(7))

    assert (up(azure, "a"), up(azure, "b")) == (6, 4)
    assert (scale(azure, 8, "a"), scale(azure, 5, "b")) == (7, 4)


def test_a_cluster_that_shrinks_below_what_runs_takes_no_more_and_turns_nobody_out(azure: Azure) -> None:
    scarce(azure, a_cluster(8, "north"))
    azure.make_scale_set(nodes=8)

    scarce(azure, a_cluster(5, "north"), a_cluster(50, "south"))

    assert up(azure) == 8
    assert scale(azure, 9) == 8


def test_nodes_of_a_cluster_that_is_gone_are_found_another_together(azure: Azure) -> None:
    scarce(azure, a_cluster(8, "north"))
    azure.make_scale_set(nodes=8)

    scarce(azure, a_cluster(3, "east"), a_cluster(9, "south"))

    assert scale(azure, 10) == 9


def test_placed_nodes_stay_placed_after_a_restart_of_the_simulator(azure: Azure, tmp_path: Any) -> None:
    from provision.simulator import Simulator

    state = tmp_path / "world.db"
    first = Azure(Simulator(state=state))
    first.make_network()
    scarce(first, a_cluster(4), a_cluster(9))
    first.make_scale_set(nodes=4)
    first.simulator.close()

    assert scale(Azure(Simulator(state=state)), 5) == 4


@pytest.mark.parametrize(
    "stated",
    [
        "many",
        -1,
        True,
        [5],
        [{"nodes": "5"}],
        [{"nodes": 5, "size": SIZE}],
        [{"nodes": 5, "zone": 1}],
        [{"nodes": 5, "cluster": "a"}, {"nodes": 6, "cluster": "a"}],
    ],
)
def test_capacity_that_makes_no_sense_is_refused(azure: Azure, stated: Any) -> None:
    answer = azure.ask("PUT", "/_simulator/world", {"capacity": {"eastus": {SIZE: stated}}})

    text = "capacity.eastus holds, by size, a whole number or a list of {nodes, zone?, cluster?}"
    assert (answer.status, answer.json()) == (400, {"error": text})


def test_a_full_cluster_shows_in_the_view_of_the_set(azure: Azure) -> None:
    scarce(azure, a_cluster(14))
    azure.make_scale_set(nodes=16)

    view = azure.compute.virtual_machine_scale_sets.get_instance_view("rg", "train").as_dict()

    assert view["virtualMachine"]["statusesSummary"] == [
        {"code": "ProvisioningState/failed", "count": 2},
        {"code": "ProvisioningState/succeeded", "count": 14},
    ]
    assert view["statuses"][0]["code"] == "ProvisioningState/failed/AllocationFailed"
    assert azure.ask("GET", path_of("virtualMachineScaleSets/train")).json()["sku"]["capacity"] == 16
