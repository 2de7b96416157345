"""Edits that move things against each other: applied in an order that Azure takes, with nothing left behind."""

from __future__ import annotations

import pytest

from tests.plan.test_parts import BASTION, EXISTING, GIVEN, LUSTRE, STORED, THREE
from tests.support.azure import Azure
from tests.support.topologies import HUB, SUBNET, SUBSCRIPTION
from tests.support.worlds import QUICK

ELSEWHERE = "address_space: 10.64.0.0/12, "
MOVED = QUICK.replace("{ssh_from", f"{{{ELSEWHERE}ssh_from")
BOTH = STORED.replace("{ssh_from", "{bastion: true, ssh_from")
TWO_STORES = STORED + f"  more: {LUSTRE.replace('/lustre', '/more')}\n"
TWO_POOLS = QUICK + "  infer: {size: Standard_D8s_v5, nodes: 1, ssh_public_key_file: key.pub}\n"
CUT = QUICK.replace('{zone: "1"}', '{zone: "1", address_space: 10.2.0.0/20, subnets: {nodes: 10.2.8.0/22}}')
CUT_OTHERWISE = CUT.replace("10.2.8.0/22", "10.2.0.0/22")
WEST_MOVED = THREE.replace("westus3: {}", "westus3: {address_space: 10.250.0.0/20}")
NO_EAST = ("  eastus2: {}\n", "")
NO_MESH = ("peering: mesh, ", "")

EDITS = {
    "a pool is renamed": (QUICK, QUICK.replace("  train:", "  trane:")),
    "a region of a mesh goes": (THREE, THREE.replace(*NO_EAST)),
    "a region of a mesh goes and the others move": (
        THREE,
        THREE.replace(*NO_EAST).replace("{peering", f"{{{ELSEWHERE}peering"),
    ),
    "all of a mesh but one region goes": (THREE, QUICK),
    "a mesh moves": (THREE, THREE.replace("{peering", f"{{{ELSEWHERE}peering")),
    "one of a mesh moves": (THREE, WEST_MOVED),
    "one of a mesh moves and another goes": (THREE, WEST_MOVED.replace(*NO_EAST)),
    "a mesh is taken apart": (THREE, THREE.replace(*NO_MESH)),
    "a mesh is taken apart and one moves": (THREE, WEST_MOVED.replace(*NO_MESH)),
    "a bastion comes": (QUICK, BASTION),
    "a bastion goes": (BASTION, QUICK),
    "a bastion goes and its network moves": (BASTION, MOVED),
    "storage comes": (QUICK, STORED),
    "storage grows": (STORED, STORED.replace("size_tib: 8", "size_tib: 16")),
    "storage goes": (STORED, QUICK),
    "storage goes and its network moves": (STORED, MOVED),
    "one of two file systems goes and the network moves": (
        TWO_STORES,
        STORED.replace("{ssh_from", f"{{{ELSEWHERE}ssh_from"),
    ),
    "a network moves with bastion and storage": (BOTH, BOTH.replace("{bastion", f"{{{ELSEWHERE}bastion")),
    "a pool goes and its network moves": (TWO_POOLS, MOVED),
    "the way out goes and the network moves": (QUICK, MOVED.replace("{address", "{outbound: none, address")),
    "the nodes' range changes": (CUT, CUT_OTHERWISE),
    "the nodes' range changes and a bastion goes": (
        CUT.replace("{ssh_from", "{bastion: true, ssh_from"),
        CUT_OTHERWISE,
    ),
    "an existing subnet instead of a network": (QUICK, EXISTING),
    "a network instead of an existing subnet": (EXISTING, QUICK),
    "a given group instead of ours": (QUICK, GIVEN),
    "a group of ours instead of a given one": (GIVEN, QUICK),
}
OTHERS = ["compute", "hub", "hub-rg", "rg-given", "theirs"]


def azure_of_others() -> Azure:
    """Return an Azure with a network of others, and a group to be given in which others have something."""
    groups = f"/subscriptions/{SUBSCRIPTION}/resourceGroups"
    theirs = f"{groups}/rg-given/providers/Microsoft.Network/networkSecurityGroups/theirs"
    space = {"addressPrefixes": ["192.168.0.0/16"]}
    subnets = [{"name": SUBNET.rpartition("/")[2], "properties": {"addressPrefix": "192.168.1.0/24"}}]
    bodies = [
        (HUB, "Microsoft.Network/virtualNetworks", {"addressSpace": space, "subnets": subnets}),
        (theirs, "Microsoft.Network/networkSecurityGroups", {"securityRules": []}),
    ]
    azure = Azure()
    azure.control(
        "PUT",
        "world",
        {
            "resourceGroups": [
                {"id": f"{groups}/{name}", "name": name, "location": "southcentralus", "properties": {}}
                for name in ("hub-rg", "rg-given")
            ],
            "resources": [
                {
                    "id": id,
                    "name": id.rpartition("/")[2],
                    "type": type,
                    "location": "southcentralus",
                    "properties": properties,
                }
                for id, type, properties in bodies
            ],
        },
    )
    return azure


def apply(azure: Azure, text: str, *, destroying: bool = False) -> None:
    """Apply a text, to the last operation."""
    run = azure.apply(text, destroying=destroying)
    assert [(id, run.progress.states[id].detail) for id, status in run.statuses.items() if status != "done"] == []


def halves(azure: Azure) -> dict[str, str]:
    """Return the state of each half of a peering, by NETWORK/HALF."""
    return {
        "/".join(body["id"].split("/")[8::2]): body["properties"]["peeringState"]
        for body in azure.control("GET", "world")["resources"]
        if body["type"].endswith("/virtualNetworkPeerings")
    }


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_carried_out_in_one_go_and_leaves_nothing(name: str) -> None:
    before, after = EDITS[name]
    azure = azure_of_others()
    apply(azure, before)

    apply(azure, after)

    assert [(change.action.label, change.id.name) for change in azure.plan(after).changes] == []
    assert set(halves(azure).values()) <= {"Connected"}
    apply(azure, after, destroying=True)
    assert azure.ids() == OTHERS


def test_a_mesh_of_three_regions_has_six_connected_halves() -> None:
    azure = azure_of_others()

    apply(azure, THREE)

    assert list(halves(azure).values()) == ["Connected"] * 6


def test_a_half_that_a_colleague_deleted_comes_back_and_both_are_connected() -> None:
    azure = azure_of_others()
    apply(azure, THREE)
    world = azure.control("GET", "world")
    half = next(
        body["id"]
        for body in world["resources"]
        if body["id"].endswith("-westus3-vnet/virtualNetworkPeerings/to-eastus2")
    )
    answer = azure.simulator.handle(
        "DELETE", f"http://127.0.0.1:1{half}?api-version=2025-05-01", {"Authorization": "Bearer colleague"}, b""
    )
    assert answer.status in (200, 202), answer.body
    azure.wait(60)
    assert sorted(halves(azure).values()).count("Disconnected") == 1

    apply(azure, THREE)

    assert list(halves(azure).values()) == ["Connected"] * 6
    assert azure.plan(THREE).changes == ()


@pytest.mark.parametrize("text", [QUICK, THREE, BOTH, GIVEN, EXISTING])
def test_ids_in_other_casings_and_lists_in_another_order_are_no_change(text: str) -> None:
    azure = azure_of_others()
    azure.control("PUT", "world", {"settings": {"caseDrift": True, "shuffle": True}})

    apply(azure, text)

    assert [(change.action.label, change.id.name, change.edits) for change in azure.plan(text).changes] == []
    apply(azure, text, destroying=True)
    assert azure.ids() == OTHERS


def test_a_given_group_in_which_nothing_of_ours_stands_makes_no_plan_stale() -> None:
    azure = azure_of_others()
    # The region has an existing subnet and no nodes, so no change names its group.
    text = EXISTING.replace('{zone: "1"', '{zone: "1", resource_group: rg-given')
    text = text.replace("nodes: 2", "nodes: {westus3: 1}").replace("pools:\n", "  westus3: {}\npools:\n")

    apply(azure, text)

    assert azure.plan(text).changes == ()
