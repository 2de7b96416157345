"""Capacity reservations: which there can be, what they count for, and which sets can draw on them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import SIZE, Azure, Json, a_scale_set, azure_with_a_network, group_id, refusal

SMALL = "Standard_D8s_v5"
FAMILY = "standardDSv5Family"
GROUP = f"{group_id()}/providers/Microsoft.Compute/capacityReservationGroups/pool"


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    body: Any = {"location": "eastus", "properties": {}}
    made.compute.capacity_reservation_groups.create_or_update("rg", "pool", body)
    return made


def reserve(azure: Azure, nodes: int = 4, name: str = "small", size: str = SMALL, **top: Any) -> Any:
    body = {"location": "eastus", "sku": {"name": size, "capacity": nodes}, "properties": {}, **top}
    begin = azure.compute.capacity_reservations.begin_create_or_update
    started = azure.start(begin, "rg", "pool", name, body)
    azure.wait(60)
    return started


def a_set(nodes: int = 2, profile: Json | None = None, properties: Json | None = None, **top: Any) -> Any:
    group = {"capacityReservation": {"capacityReservationGroup": {"id": GROUP}}}
    return a_scale_set(
        nodes=nodes,
        size=SMALL,
        profile={**group, **(profile or {})},
        properties={"singlePlacementGroup": False, **(properties or {})},
        **top,
    )


def used(azure: Azure) -> int:
    rows = azure.compute.usage.list("eastus")
    return next(row.current_value for row in rows if row.name.value == FAMILY)


def test_a_reservation_shows_what_draws_on_it(azure: Azure) -> None:
    started = reserve(azure, 4)
    azure.put_scale_set("train", a_set(2))
    azure.wait(600)
    azure.start(azure.compute.virtual_machine_scale_sets.begin_deallocate, "rg", "train", {"instanceIds": ["1"]})
    azure.wait(120)

    found = azure.compute.capacity_reservations.get("rg", "pool", "small", expand="instanceView")
    group = azure.compute.capacity_reservation_groups.get("rg", "pool", expand="instanceView")

    instances = [f"{azure.scale_set()['id']}/virtualMachines/{number}" for number in (0, 1)]
    assert (started.status, started.body["properties"]["provisioningState"]) == (201, "Creating")
    assert (found.provisioning_state, found.sku.name, found.sku.capacity) == ("Succeeded", SMALL, 4)
    assert [each.id for each in found.virtual_machines_associated or []] == instances
    assert found.instance_view is not None
    assert found.instance_view.utilization_info is not None
    utilization = found.instance_view.utilization_info
    assert utilization.current_capacity == 4
    assert [each.id for each in utilization.virtual_machines_allocated or []] == instances[:1]
    assert [each.id for each in group.capacity_reservations or []] == [found.id]
    assert group.instance_view is not None
    assert [each.name for each in group.instance_view.capacity_reservations or []] == ["small"]


def test_reservations_and_groups_are_listed_changed_and_deleted(azure: Azure) -> None:
    groups, reservations = azure.compute.capacity_reservation_groups, azure.compute.capacity_reservations
    reserve(azure, 4)
    change = {"sku": {"capacity": 6}, "tags": {"a": "b"}}
    patched = azure.start(reservations.begin_update, "rg", "pool", "small", change)
    azure.wait(60)
    found = reservations.get("rg", "pool", "small")
    nested = refusal(groups.begin_delete, "rg", "pool")

    assert (patched.status, found.sku.capacity, found.tags) == (200, 6, {"a": "b"})
    assert [row.name for row in reservations.list_by_capacity_reservation_group("rg", "pool")] == ["small"]
    assert [row.name for row in groups.list_by_resource_group("rg")] == ["pool"]
    assert [row.name for row in groups.list_by_subscription()] == ["pool"]
    assert nested[:2] == (409, "CannotDeleteResource")
    assert "capacityReservationGroups/pool/capacityReservations/small" in nested[2]
    assert azure.start(reservations.begin_delete, "rg", "pool", "small").status == 202
    azure.wait(60)
    tags: Any = {"tags": {"c": "d"}}
    groups.update("rg", "pool", tags)
    azure.start(groups.begin_delete, "rg", "pool")
    assert list(groups.list_by_resource_group("rg")) == []
    assert refusal(reservations.get, "rg", "pool", "small")[0] == 404


@pytest.mark.parametrize("size", [SIZE, "Standard_ND96asr_v4", "Standard_HB176rs_v4"])
def test_the_sizes_of_supercomputers_cannot_be_reserved(azure: Azure, size: str) -> None:
    begin = azure.compute.capacity_reservations.begin_create_or_update
    body = {"location": "eastus", "sku": {"name": size, "capacity": 1}}

    assert refusal(begin, "rg", "pool", "big", body) == (
        400,
        "NotSupported",
        f"Capacity Reservation is not supported for VM size {size}.",
    )


def test_the_list_of_sizes_says_which_can_be_reserved(azure: Azure) -> None:
    rows = {row.name: row for row in azure.compute.resource_skus.list(filter="location eq 'eastus'")}

    def said(name: str) -> str | None:
        found = rows[name].capabilities or []
        return next(each.value for each in found if each.name == "CapacityReservationSupported")

    assert (said(SIZE), said(SMALL)) == ("False", "True")


def test_a_reservation_counts_towards_the_quota_and_its_nodes_only_beyond_it(azure: Azure) -> None:
    azure.set_world(quota={"eastus": {FAMILY: 48}})
    begin = azure.compute.capacity_reservations.begin_create_or_update

    reserve(azure, 4)
    reserved = used(azure)
    refused = refusal(begin, "rg", "pool", "small", {"location": "eastus", "sku": {"name": SMALL, "capacity": 7}})
    inside = azure.put_scale_set("train", a_set(4)).status
    azure.wait(600)
    drawn = used(azure)
    above = azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 6}}).status
    azure.wait(600)
    beyond = azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 7}})

    assert (reserved, refused[:2]) == (32, (409, "OperationNotAllowed"))
    assert (inside, drawn, above, used(azure)) == (201, 32, 200, 48)
    assert "Current Limit: 48, Current Usage: 48, Additional Required: 8" in beyond.json()["error"]["message"]


def test_others_cannot_use_the_quota_of_a_reservation(azure: Azure) -> None:
    azure.set_world(quota={"eastus": {FAMILY: 40}})
    reserve(azure, 4)

    answer = azure.put_scale_set("other", a_scale_set(nodes=2, size=SMALL))

    assert (answer.status, answer.json()["error"]["code"]) == (409, "OperationNotAllowed")
    assert azure.put_scale_set("train", a_set(4)).status == 201


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"properties": {"singlePlacementGroup": True}}, "'singlePlacementGroup' is true"),
        ({"profile": {"priority": "Spot"}}, "its priority is Spot"),
        ({"properties": {"platformFaultDomainCount": 5}}, "more than 3 fault domains"),
        ({"properties": {"additionalCapabilities": {"ultraSSDEnabled": True}}}, "it uses ultra disks"),
        ({"zones": ["1"]}, "the group has no reservation"),
    ],
)
def test_what_cannot_draw_on_a_reservation_is_refused(azure: Azure, changes: Any, why: str) -> None:
    reserve(azure)
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    status, code, message = refusal(begin, "rg", "train", a_set(**changes))

    assert (status, code) == (400, "BadRequest")
    assert why in message


def test_a_set_in_a_proximity_group_cannot_draw_on_a_reservation(azure: Azure) -> None:
    reserve(azure)
    near: Any = {"location": "eastus"}
    made = azure.compute.proximity_placement_groups.create_or_update("rg", "near", near)
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    body = a_set(properties={"proximityPlacementGroup": {"id": made.id}})

    assert "it is in a proximity placement group" in refusal(begin, "rg", "train", body)[2]


def test_what_is_drawn_on_stays(azure: Azure) -> None:
    reserve(azure)
    azure.put_scale_set("train", a_set(2))
    azure.wait(600)
    begin = azure.compute.capacity_reservations.begin_delete

    assert refusal(begin, "rg", "pool", "small")[:2] == (409, "OperationNotAllowed")
    azure.start(azure.compute.virtual_machine_scale_sets.begin_delete, "rg", "train")
    azure.wait(300)
    assert azure.start(begin, "rg", "pool", "small").status == 202


def test_zonal_reservations_are_for_the_nodes_of_their_zone(azure: Azure) -> None:
    groups = azure.compute.capacity_reservation_groups
    zonal: Any = {"location": "eastus", "zones": ["1", "2"], "properties": {}}
    groups.create_or_update("rg", "zonal", zonal)
    begin = azure.compute.capacity_reservations.begin_create_or_update
    body = {"location": "eastus", "sku": {"name": SMALL, "capacity": 3}}

    assert refusal(begin, "rg", "zonal", "one", body)[:2] == (400, "BadRequest")
    assert refusal(begin, "rg", "zonal", "one", {**body, "zones": ["3"]})[:2] == (400, "BadRequest")
    for zone in ("1", "2"):
        assert azure.start(begin, "rg", "zonal", f"z{zone}", {**body, "zones": [zone]}).status == 201
    azure.wait(60)
    assert refusal(begin, "rg", "zonal", "again", {**body, "zones": ["1"]})[:2] == (409, "OperationNotAllowed")
    group = {"capacityReservationGroup": {"id": GROUP.replace("pool", "zonal")}}
    wide = a_set(4, profile={"capacityReservation": group}, zones=["1", "2"])
    assert azure.put_scale_set("train", wide).status == 201
    azure.wait(600)
    found = azure.compute.capacity_reservations.get("rg", "zonal", "z2")
    assert [str(each.id).rpartition("/")[2] for each in found.virtual_machines_associated or []] == ["1", "3"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"location": "eastus", "sku": {"name": SMALL}}, 400, "InvalidParameter"),
        ({"location": "eastus"}, 400, "InvalidParameter"),
        ({"location": "eastus", "sku": {"name": "Standard_Nothing", "capacity": 1}}, 400, "InvalidParameter"),
        ({"location": "westus3", "sku": {"name": SMALL, "capacity": 1}}, 400, "BadRequest"),
        ({"location": "eastus", "zones": ["1"], "sku": {"name": SMALL, "capacity": 1}}, 400, "BadRequest"),
        (
            {
                "location": "eastus",
                "sku": {"name": SMALL, "capacity": 1},
                "properties": {"scheduleProfile": {"start": "2026-12-02", "end": "2026-12-03"}},
            },
            400,
            "NotSimulated",
        ),
    ],
)
def test_a_reservation_that_cannot_be_is_refused(azure: Azure, body: Any, status: int, code: str) -> None:
    begin = azure.compute.capacity_reservations.begin_create_or_update

    assert refusal(begin, "rg", "pool", "small", body)[:2] == (status, code)


def test_only_how_much_is_reserved_can_change(azure: Azure) -> None:
    reserve(azure)
    begin = azure.compute.capacity_reservations.begin_create_or_update
    other = {"location": "eastus", "sku": {"name": "Standard_D16s_v5", "capacity": 4}}
    groups = azure.compute.capacity_reservation_groups

    assert refusal(begin, "rg", "pool", "small", other)[:2] == (409, "PropertyChangeNotAllowed")
    zonal = {"location": "eastus", "zones": ["1"], "properties": {}}
    assert refusal(groups.create_or_update, "rg", "pool", zonal)[:2] == (409, "PropertyChangeNotAllowed")
    block = {"location": "eastus", "properties": {"reservationType": "Block"}}
    assert refusal(groups.create_or_update, "rg", "blocks", block)[1] == "NotSimulated"
    assert refusal(begin, "rg", "nothing", "small", other)[:2] == (404, "ParentResourceNotFound")


def test_a_world_with_reservations_is_carried_over(azure: Azure) -> None:
    reserve(azure)
    world = azure.world
    other = Azure()
    other.set_world(resourceGroups=world["resourceGroups"], resources=world["resources"])

    found = other.compute.capacity_reservations.get("rg", "pool", "small")
    assert (found.sku.capacity, found.provisioning_state) == (4, "Succeeded")
