"""What else can be asked of a scale set: its sizes, its region's sets, its placement groups, its services."""

from __future__ import annotations

import pytest

from tests.simulator.azure import SIZE, Azure, a_scale_set, azure_with_a_network, refusal

HEALTH = {
    "name": "health",
    "properties": {
        "publisher": "Microsoft.ManagedServices",
        "type": "ApplicationHealthLinux",
        "typeHandlerVersion": "2.0",
        "settings": {"protocol": "tcp", "port": 22},
    },
}


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network(prefix="10.0.0.0/22")


def groups_of(azure: Azure) -> list[str]:
    rows = azure.compute.virtual_machine_scale_set_vms.list("rg", "train", expand="instanceView")
    return [str((row.instance_view or {}).get("placementGroupId")) for row in rows]


def test_the_sets_of_a_region_are_listed(azure: Azure) -> None:
    azure.make_scale_set("b", nodes=1)
    azure.make_scale_set("a", nodes=1)
    sets = azure.compute.virtual_machine_scale_sets

    assert [row.name for row in sets.list_by_location("eastus")] == ["a", "b"]
    assert list(sets.list_by_location("westus3")) == []
    with pytest.raises(Exception, match="LocationNotAvailableForResourceType"):
        list(sets.list_by_location("atlantis"))


def test_a_patch_is_laid_onto_the_model_and_makes_nothing(azure: Azure) -> None:
    azure.make_scale_set(nodes=2, tags={"a": "b"})
    before = azure.scale_set()
    begin = azure.compute.virtual_machine_scale_sets.begin_update
    change = {"sku": {"capacity": 3}, "properties": {"overprovision": False, "scaleInPolicy": {"rules": ["OldestVM"]}}}

    started = azure.start(begin, "rg", "train", change)
    azure.wait(600)
    after = azure.scale_set()

    assert (started.status, azure.status_of(started)) == (200, "Succeeded")
    assert (after["sku"], after["tags"]) == ({**before["sku"], "capacity": 3}, before["tags"])
    assert after["properties"] == {**before["properties"], "scaleInPolicy": {"rules": ["OldestVM"]}}
    assert refusal(begin, "rg", "none", change)[:2] == (404, "ResourceNotFound")


def test_a_set_tells_which_sizes_it_could_have_and_how_many(azure: Azure) -> None:
    azure.make_scale_set("one", nodes=1)
    azure.make_scale_set("many", nodes=1, properties={"singlePlacementGroup": False})

    def most(name: str) -> tuple[int | None, int | None, str | None]:
        rows = azure.compute.virtual_machine_scale_sets.list_skus("rg", name)
        found = next(row for row in rows if row.sku is not None and row.sku.name == SIZE)
        assert found.capacity is not None
        return found.capacity.minimum, found.capacity.maximum, found.resource_type

    assert most("one") == (0, 100, "Microsoft.Compute/virtualMachineScaleSets")
    assert most("many")[1] == 1000


def test_a_converted_set_gets_more_placement_groups_as_it_grows(azure: Azure) -> None:
    azure.set_world(quota={"*": {"placementGroupLimit": 150}})
    azure.make_scale_set(nodes=150)
    before = groups_of(azure)
    sets = azure.compute.virtual_machine_scale_sets

    wrong = refusal(sets.convert_to_single_placement_group, "rg", "train", {"activePlacementGroupId": "none"})
    sets.convert_to_single_placement_group("rg", "train", {"activePlacementGroupId": before[0]})
    azure.wait(60)
    azure.start(sets.begin_create_or_update, "rg", "train", {"location": "eastus", "sku": {"capacity": 320}})
    azure.wait(900)
    after = groups_of(azure)

    assert wrong[:2] == (400, "InvalidParameter")
    assert azure.scale_set()["properties"]["singlePlacementGroup"] is False
    assert (len(set(before)), after[:150] == before) == (1, True)
    sizes = [after.count(group) for group in dict.fromkeys(after[150:])]
    assert (sum(sizes), max(sizes) <= 100) == (170, True)


def test_automatic_repairs_are_suspended_and_resumed(azure: Azure) -> None:
    sets = azure.compute.virtual_machine_scale_sets
    azure.make_scale_set(
        nodes=1,
        properties={"automaticRepairsPolicy": {"enabled": True}},
        profile={"extensionProfile": {"extensions": [HEALTH]}},
    )

    def state() -> tuple[str | None, str | None]:
        found = sets.get_instance_view("rg", "train").orchestration_services
        assert found is not None
        return found[0].service_name, found[0].service_state

    seen = [state()]
    for action in ("Suspend", "Resume"):
        body = {"serviceName": "AutomaticRepairs", "action": action}
        assert azure.start(sets.begin_set_orchestration_service_state, "rg", "train", body).status == 202
        azure.wait(60)
        seen.append(state())

    assert seen == [("AutomaticRepairs", "Running"), ("AutomaticRepairs", "Suspended"), ("AutomaticRepairs", "Running")]


def test_repairs_that_are_not_on_cannot_be_suspended(azure: Azure) -> None:
    azure.make_scale_set(nodes=1)
    begin = azure.compute.virtual_machine_scale_sets.begin_set_orchestration_service_state

    body = {"serviceName": "AutomaticRepairs", "action": "Suspend"}
    assert refusal(begin, "rg", "train", body)[:2] == (409, "OperationNotAllowed")
    for wrong in ({**body, "action": "Pause"}, {**body, "serviceName": "Other"}, {"action": "Suspend"}):
        assert refusal(begin, "rg", "train", wrong)[0] == 400


def test_an_evicted_spot_node_is_deallocated_after_its_notice(azure: Azure) -> None:
    azure.make_scale_set(nodes=2, profile={"priority": "Spot", "evictionPolicy": "Deallocate"})
    vms = azure.compute.virtual_machine_scale_set_vms

    vms.simulate_eviction("rg", "train", "1")
    azure.wait(60)

    view = vms.get_instance_view("rg", "train", "1")
    assert view.statuses is not None
    assert view.statuses[-1].code == "PowerState/deallocated"


def test_an_evicted_spot_node_is_deleted_where_the_policy_says_so(azure: Azure) -> None:
    azure.make_scale_set(nodes=2, profile={"priority": "Spot", "evictionPolicy": "Delete"})
    vms = azure.compute.virtual_machine_scale_set_vms

    vms.simulate_eviction("rg", "train", "1")
    azure.wait(60)

    assert [row.instance_id for row in vms.list("rg", "train")] == ["0"]
    assert azure.scale_set()["sku"]["capacity"] == 1


def test_only_spot_nodes_are_evicted(azure: Azure) -> None:
    azure.make_scale_set(nodes=1)

    assert refusal(azure.compute.virtual_machine_scale_set_vms.simulate_eviction, "rg", "train", "0") == (
        409,
        "OperationNotAllowed",
        "Operation 'simulateEviction' is allowed only for Spot Virtual Machines",
    )
    assert azure.put_scale_set("train", a_scale_set(nodes=1)).status == 200
