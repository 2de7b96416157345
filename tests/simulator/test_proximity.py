"""Proximity placement groups: their life, and what they ask of the sets that are in them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import SIZE, Azure, a_scale_set, azure_with_a_network, group_id, refusal

GROUP = f"{group_id()}/providers/Microsoft.Compute/proximityPlacementGroups/near"


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def make(azure: Azure, name: str = "near", **changes: Any) -> Any:
    body: Any = {"location": "eastus", "properties": {"proximityPlacementGroupType": "Standard"}, **changes}
    return azure.compute.proximity_placement_groups.create_or_update("rg", name, body)


def intent(*sizes: str, **top: Any) -> Any:
    return {"location": "eastus", "properties": {"intent": {"vmSizes": list(sizes)}}, **top}


def in_group(group: str = GROUP, **changes: Any) -> Any:
    return a_scale_set(properties={"proximityPlacementGroup": {"id": group}}, **{"nodes": 2, **changes})


def test_a_group_is_there_at_once_and_shows_its_sets(azure: Azure) -> None:
    groups = azure.compute.proximity_placement_groups

    made = make(azure)
    azure.put_scale_set("train", in_group())
    azure.wait(600)
    found = groups.get("rg", "near", include_colocation_status="true")

    assert (made.id, made.virtual_machine_scale_sets) == (GROUP, [])
    assert found.virtual_machine_scale_sets is not None
    member = found.virtual_machine_scale_sets[0]
    assert member.id == azure.scale_set()["id"]
    assert (member.colocation_status.code, found.colocation_status.code) == ("ColocationStatus/Aligned",) * 2
    assert groups.get("rg", "near").colocation_status is None


def test_of_deallocated_sets_nobody_knows_where_they_will_be(azure: Azure) -> None:
    make(azure)
    azure.put_scale_set("train", in_group())
    azure.wait(600)
    azure.start(azure.compute.virtual_machine_scale_sets.begin_deallocate, "rg", "train", {"instanceIds": ["1"]})
    azure.wait(120)

    found = azure.compute.proximity_placement_groups.get("rg", "near", include_colocation_status="true")

    assert found.colocation_status is not None
    assert found.colocation_status.display_status == "Unknown"


def test_groups_are_listed_tagged_and_deleted(azure: Azure) -> None:
    groups = azure.compute.proximity_placement_groups
    for name in ("b", "a"):
        make(azure, name)

    groups.update("rg", "a", {"tags": {"team": "x"}})
    listed = [row.name for row in groups.list_by_resource_group("rg")]
    everywhere = [row.name for row in groups.list_by_subscription()]
    groups.delete("rg", "a")

    assert (listed, everywhere) == (["a", "b"], ["a", "b"])
    assert [row.name for row in groups.list_by_resource_group("rg")] == ["b"]
    assert refusal(groups.get, "rg", "a")[:2] == (404, "ResourceNotFound")


def test_a_group_in_use_stays(azure: Azure) -> None:
    make(azure)
    azure.put_scale_set("train", in_group())
    azure.wait(600)
    groups = azure.compute.proximity_placement_groups

    status, code, message = refusal(groups.delete, "rg", "near")
    azure.start(azure.compute.virtual_machine_scale_sets.begin_delete, "rg", "train")
    azure.wait(300)
    groups.delete("rg", "near")

    assert (status, code) == (409, "OperationNotAllowed")
    assert message.startswith("Proximity Placement Group 'near' cannot be deleted.")
    assert list(groups.list_by_resource_group("rg")) == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"location": "eastus", "zones": ["1"]}, 400, "BadRequest"),
        (intent(SIZE, zones=["1", "2"]), 400, "BadRequest"),
        (intent(SIZE, zones=["9"]), 400, "InvalidAvailabilityZone"),
        (intent("Standard_Nothing"), 400, "InvalidParameter"),
        ({**intent(SIZE), "location": "brazilsouth"}, 409, "OverconstrainedAllocationRequest"),
        ({"location": "eastus", "properties": {"proximityPlacementGroupType": "Fast"}}, 400, "InvalidParameter"),
        ({"location": "eastus", "properties": {"colour": 1}}, 400, "BadRequest"),
        ({"properties": {}}, 400, "LocationRequired"),
    ],
)
def test_a_group_that_cannot_be_is_refused(azure: Azure, body: Any, status: int, code: str) -> None:
    create = azure.compute.proximity_placement_groups.create_or_update

    assert refusal(create, "rg", "near", body)[:2] == (status, code)


def test_a_zone_stays_and_an_intent_changes_only_while_nothing_runs(azure: Azure) -> None:
    create = azure.compute.proximity_placement_groups.create_or_update
    create("rg", "near", intent(SIZE, zones=["1"]))
    azure.put_scale_set("train", in_group(zones=["1"]))
    azure.wait(600)

    assert refusal(create, "rg", "near", intent(SIZE))[1] == "PropertyChangeNotAllowed"
    other = intent(SIZE, "Standard_ND96asr_v4", zones=["1"])
    assert refusal(create, "rg", "near", other)[:2] == (409, "OperationNotAllowed")
    azure.start(azure.compute.virtual_machine_scale_sets.begin_deallocate, "rg", "train")
    azure.wait(120)
    assert create("rg", "near", other).name == "near"


def test_the_sets_of_a_group_are_in_one_zone(azure: Azure) -> None:
    make(azure)
    make(azure, "zonal", **intent(SIZE, zones=["2"]))
    azure.put_scale_set("train", in_group(zones=["1"]))
    azure.wait(600)
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    zonal = GROUP.replace("near", "zonal")

    assert refusal(begin, "rg", "b", in_group(zones=["1", "2"]))[:2] == (400, "BadRequest")
    assert refusal(begin, "rg", "b", in_group(zones=["2"]))[:2] == (409, "OverconstrainedZonalAllocationRequest")
    assert refusal(begin, "rg", "b", in_group(zonal, zones=["1"]))[1] == "OverconstrainedZonalAllocationRequest"
    assert azure.put_scale_set("b", in_group(zones=["1"])).status == 201
    assert azure.put_scale_set("c", in_group(zonal, zones=["2"])).status == 201


def test_a_group_has_to_be_there_and_in_the_region(azure: Azure) -> None:
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    make(azure, "far", location="westus3")

    assert refusal(begin, "rg", "train", in_group())[0] in (400, 404)
    assert refusal(begin, "rg", "train", in_group(GROUP.replace("near", "far")))[0] == 400


def test_a_set_goes_into_a_group_only_while_deallocated(azure: Azure) -> None:
    make(azure)
    azure.make_scale_set(nodes=2)
    change = {"location": "eastus", "properties": {"proximityPlacementGroup": {"id": GROUP}}}
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    refused = refusal(begin, "rg", "train", change)
    azure.start(azure.compute.virtual_machine_scale_sets.begin_deallocate, "rg", "train")
    azure.wait(120)

    assert refused[:2] == (409, "OperationNotAllowed")
    assert azure.start(begin, "rg", "train", change).status == 200


def test_a_world_with_a_group_is_carried_over(azure: Azure) -> None:
    make(azure, tags={"a": "b"})
    world = azure.world
    other = Azure()
    other.set_world(resourceGroups=world["resourceGroups"], resources=world["resources"])

    def group(world: Any) -> Any:
        return next(row for row in world["resources"] if row["id"] == GROUP)

    assert group(other.world) == group(world)
