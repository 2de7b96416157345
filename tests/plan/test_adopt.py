"""What an environment takes over of what exists, and what stands in the way; against worlds that tests make."""

from __future__ import annotations

from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates
from provision.pipeline import adopted, rendered
from provision.plan.adopt import Adoption
from tests.support.worlds import HOMES, QUICK, World, checked, standing

HUB = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/hub/providers/Microsoft.Network"
RICH = QUICK.replace(
    "network: {ssh_from: [203.0.113.0/24]}",
    "network: {bastion: true, peering: mesh, peer_with: "
    f"{{hub: {{id: {HUB}/virtualNetworks/hub, address_space: [192.168.0.0/16]}}}}}}",
).replace("pools:\n", "  westus3: {}\npools:\n")


def adoption(text: str, world: World) -> Adoption:
    each = checked(text)
    units = rendered(each, load_catalog(), load_templates())
    return adopted(each, units, world.observed, load_catalog(), load_policies())


def a_foreign_world(text: str = QUICK) -> World:
    """Return the world in which all that an environment states exists, and carries no mark of it."""
    world = standing(text)
    world.stacks.clear()
    for body in (*world.resources.values(), *world.groups.values()):
        body.get("tags", {}).pop("provision", None)
    return world


def names(found: Adoption) -> list[str]:
    return [each.id.name for each in found.found]


def test_what_exists_without_a_mark_is_marked_groups_first_then_unit_by_unit() -> None:
    found = adoption(QUICK, a_foreign_world())

    assert [(each.id.name, each.mark, each.nodes, each.blocks) for each in found.found] == [
        ("quick-home", "quick", 0, ()),
        ("quick-southcentralus", "quick", 0, ()),
        ("quick-southcentralus-nodes-nsg", "quick/network", 0, ()),
        ("quick-southcentralus-nat-ip-0", "quick/network", 0, ()),
        ("quick-southcentralus-nat", "quick/network", 0, ()),
        ("quick-southcentralus-vnet", "quick/network", 0, ()),
        ("quick-train-0", "quick/train-0", 2, ()),
    ]
    assert [(op.kind, op.target.name, op.after) for op in found.plan.operations] == [
        ("mark", each.id.name, ()) for each in found.found
    ]
    tags: dict[str, Any] = {op.target.name: (op.body or {})["properties"]["tags"] for op in found.plan.operations}
    assert tags["quick-home"] == {"provision": "quick", "provision-adopted": "quick"}
    assert tags["quick-train-0"] == {"provision": "quick/train-0"}


def test_what_follows_is_what_the_planner_says_of_azure_with_our_marks() -> None:
    found = adoption(QUICK, a_foreign_world())

    assert [(change.action.label, change.id.name) for change in found.after.changes] == [
        ("record", "quick.network"),
        ("update-model", "quick-train-0"),  # for custom data, which Azure does not show
    ]


def test_bastions_and_halves_of_peerings_come_along() -> None:
    found = adoption(RICH, a_foreign_world(RICH))

    assert not found.blocked
    assert "quick-westus3-bastion" in names(found)
    assert not any(name.startswith("to-") for name in names(found))  # through their network's mark
    assert {change.action.label for change in found.after.changes} == {"record", "update-model"}


def test_half_of_what_is_there_is_marked_already_and_only_the_rest_is_adopted() -> None:
    world = a_foreign_world()
    world.resource("quick-southcentralus-vnet")["tags"]["provision"] = "quick/network"

    found = adoption(QUICK, world)

    assert "quick-southcentralus-vnet" not in names(found)
    assert "quick-southcentralus-nat" in names(found)


def test_nothing_is_adopted_of_what_stands_as_it_was_applied() -> None:
    found = adoption(QUICK, standing())

    assert (found.found, found.plan.operations, found.missing, found.unnamed) == ((), (), (), ())
    assert found.after.empty


def test_a_group_that_a_service_manages_is_left_to_it() -> None:
    world = a_foreign_world()
    group = next(body for key, body in world.groups.items() if key.endswith("quick-southcentralus"))
    group["managedBy"] = f"{HUB}/managedClusters/aks"

    blocked = adoption(QUICK, world).blocked

    assert {each.id.name for each in blocked} == {*names(adoption(QUICK, world))} - {"quick-home"}
    assert blocked[0].blocks[0].reason == (
        f"its group is managed by {HUB}/managedClusters/aks, which makes and deletes what is in it"
    )


def test_a_resource_with_as_many_tags_as_azure_allows_has_no_room_for_ours() -> None:
    world = a_foreign_world()
    world.resource("quick-train-0")["tags"] = {f"tag-{n}": "x" for n in range(50)}

    (blocked,) = adoption(QUICK, world).blocked

    assert [block.reason for block in blocked.blocks] == ["it has as many tags as Azure allows, and needs one more"]


def test_a_group_in_another_region_can_not_be_the_one_that_is_stated() -> None:
    world = a_foreign_world()
    group = next(body for key, body in world.groups.items() if key.endswith("quick-southcentralus"))
    group["location"] = "eastus"

    (blocked,) = adoption(QUICK, world).blocked

    assert (blocked.id.name, blocked.blocks[0].path) == ("quick-southcentralus", "location")


def test_units_of_ones_own_come_with_their_tags_and_what_stands_in_them() -> None:
    found = adoption(HOMES, a_foreign_world(HOMES))

    assert not found.blocked
    assert [op.api_version for op in found.plan.operations if op.unit == "home"] == ["2025-06-01"] * len(
        [each for each in found.found if each.unit == "home"]
    )
    assert {change.action.label for change in found.after.changes} <= {"record", "update", "update-model"}


@pytest.mark.parametrize("protect", [True, False])
def test_a_set_with_more_nodes_than_are_stated_is_not_adopted_to_be_shrunk(protect: bool) -> None:
    world = a_foreign_world()
    world.resource("quick-train-0")["sku"]["capacity"] = 5
    text = QUICK + ("    protect: true\n" if protect else "")

    (blocked,) = adoption(text, world).blocked

    assert [(block.path, block.before, block.after) for block in blocked.blocks] == [("sku.capacity", 5, 2)]


def test_a_set_with_fewer_nodes_is_adopted_and_the_next_apply_adds_the_others() -> None:
    world = a_foreign_world()
    world.resource("quick-train-0")["sku"]["capacity"] = 1

    found = adoption(QUICK, world)

    assert not found.blocked
    (edit,) = (edit for change in found.after.changes for edit in change.edits if edit.path == "sku.capacity")
    assert (edit.before, edit.after, edit.action.label) == (1, 2, "update")
