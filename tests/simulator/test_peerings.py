"""Peerings: halves, their states, and what a virtual network at the other end forbids."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    Json,
    a_stack,
    group_id,
    network_id,
    network_path,
    refusal,
)

FOREIGN = "00000000-0000-0000-0000-00000000000f"
A, B, C = (network_id(f"virtualNetworks/net-{name}") for name in "abc")
TO_A, TO_B, TO_C = "to-a", "to-b", "to-c"


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    for number, name in enumerate("abc"):
        put_network(made, name, f"10.{number}.0.0/16")
    return made


def put_network(azure: Azure, name: str, *prefixes: str, **properties: Any) -> Any:
    body = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": list(prefixes)}, **properties}}
    answer = azure.ask("PUT", network_path(f"virtualNetworks/net-{name}"), body)
    azure.wait(30)
    return answer


def half_id(here: str, there: str) -> str:
    return network_id(f"virtualNetworks/net-{here}/virtualNetworkPeerings/to-{there}")


def a_half(there: str, **properties: Any) -> Json:
    return {"properties": {"remoteVirtualNetwork": {"id": network_id(f"virtualNetworks/net-{there}")}, **properties}}


def peer(azure: Azure, here: str, there: str, *, wait: float = 30, query: str = "", **properties: Any) -> Any:
    path = network_path(f"virtualNetworks/net-{here}/virtualNetworkPeerings/to-{there}")
    answer = azure.ask("PUT", f"{path}{query}", a_half(there, **properties))
    azure.wait(wait)
    return answer


def unpeer(azure: Azure, here: str, there: str) -> None:
    azure.start(azure.network.virtual_network_peerings.begin_delete, "rg", f"net-{here}", f"to-{there}")
    azure.wait(30)


def states(azure: Azure) -> dict[str, str]:
    return {
        f"{here}{half.name[-1]}": half.as_dict()["properties"]["peeringState"]
        for here in "abc"
        for half in azure.network.virtual_network_peerings.list("rg", f"net-{here}")
        if half.name
    }


def code(answer: Any) -> tuple[int, str]:
    return answer.status, answer.json()["error"]["code"]


def test_a_half_alone_is_initiated_and_two_are_connected(azure: Azure) -> None:
    peer(azure, "a", "b")
    alone = states(azure)
    peer(azure, "b", "a")

    assert (alone, states(azure)) == ({"ab": "Initiated"}, {"ab": "Connected", "ba": "Connected"})


def test_halves_connect_when_the_second_write_ends_not_when_it_starts(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a", wait=0)
    during = states(azure)
    azure.wait(12)

    assert (during, states(azure)) == ({"ab": "Initiated", "ba": "Initiated"}, {"ab": "Connected", "ba": "Connected"})


def test_a_half_shows_both_address_spaces_and_azures_defaults(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a")

    found = azure.get(half_id("a", "b"))

    assert found == {
        "name": TO_B,
        "id": half_id("a", "b"),
        "etag": found["etag"],
        "type": "Microsoft.Network/virtualNetworks/virtualNetworkPeerings",
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": found["properties"]["resourceGuid"],
            "peeringState": "Connected",
            "peeringSyncLevel": "FullyInSync",
            "remoteVirtualNetwork": {"id": B},
            "remoteAddressSpace": {"addressPrefixes": ["10.1.0.0/16"]},
            "remoteVirtualNetworkAddressSpace": {"addressPrefixes": ["10.1.0.0/16"]},
            "allowVirtualNetworkAccess": True,
            "allowForwardedTraffic": False,
            "allowGatewayTransit": False,
            "useRemoteGateways": False,
            "doNotVerifyRemoteGateways": False,
        },
    }
    assert azure.get(A)["properties"]["virtualNetworkPeerings"] == [found]


def test_deleting_one_half_disconnects_the_other(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a")

    unpeer(azure, "a", "b")

    assert states(azure) == {"ba": "Disconnected"}


@pytest.mark.parametrize("what", ["network", "group"])
def test_deleting_the_network_disconnects_the_other_half(what: str) -> None:
    azure = Azure()
    for group, name, prefix in (("rg", "a", "10.0.0.0/16"), ("far", "b", "10.1.0.0/16")):
        azure.make_group(group)
        body = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": [prefix]}}}
        azure.put(network_id(f"virtualNetworks/net-{name}", group), body)
    far = network_id("virtualNetworks/net-b", "far")
    azure.put(half_id("a", "b"), {"properties": {"remoteVirtualNetwork": {"id": far}}})
    azure.put(f"{far}/virtualNetworkPeerings/to-a", {"properties": {"remoteVirtualNetwork": {"id": A}}})
    connected = azure.get(half_id("a", "b"))["properties"]["peeringState"]

    gone = (
        f"{group_id('far')}?api-version=2025-04-01" if what == "group" else network_path("virtualNetworks/net-b", "far")
    )
    azure.ask("DELETE", gone)
    azure.wait(300)

    assert connected == "Connected"
    assert azure.get(half_id("a", "b"))["properties"]["peeringState"] == "Disconnected"


def test_a_disconnected_half_keeps_the_other_one_from_being_made_again(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a")
    unpeer(azure, "a", "b")

    found = refusal(azure.network.virtual_network_peerings.begin_create_or_update, "rg", "net-a", TO_B, a_half("b"))

    assert found == (
        400,
        "RemotePeeringIsDisconnected",
        f"Cannot create or update peering {half_id('a', 'b')} because remote peering {half_id('b', 'a')} referencing "
        f"parent virtual network {B} is in Disconnected state. Update or re-create the remote peering to get it back "
        "to Initiated state. Peering gets Disconnected when remote vnet or remote peering is deleted and re-created.",
    )


def test_a_disconnected_half_cannot_be_written_unless_the_tester_says_so(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a")
    unpeer(azure, "a", "b")

    refused = peer(azure, "b", "a")
    azure.set_world(settings={"disconnectedPeeringsCanBeUpdated": True})
    taken = peer(azure, "b", "a")
    peer(azure, "a", "b")

    assert (code(refused), taken.status) == ((400, "RemotePeeringIsDisconnected"), 200)
    assert states(azure) == {"ab": "Connected", "ba": "Connected"}


def test_a_peering_is_remade_when_both_halves_have_gone(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a")
    unpeer(azure, "a", "b")
    unpeer(azure, "b", "a")

    peer(azure, "a", "b")
    peer(azure, "b", "a")

    assert states(azure) == {"ab": "Connected", "ba": "Connected"}


def test_networks_that_overlap_cannot_be_peered(azure: Azure) -> None:
    put_network(azure, "wide", "172.16.0.0/16", "10.0.0.0/8")
    wide = network_id("virtualNetworks/net-wide")

    answer = peer(azure, "a", "wide")

    assert code(answer) == (400, "VnetAddressSpacesOverlap")
    assert answer.json()["error"]["message"] == (
        f"Cannot create or update peering {half_id('a', 'wide')}. Virtual networks {A} and {wide} cannot be peered "
        "because their address spaces overlap. Overlapping address prefixes: 10.0.0.0/16, 10.0.0.0/8"
    )


def test_a_network_that_overlaps_a_peer_of_the_other_one_cannot_be_peered(azure: Azure) -> None:
    peer(azure, "b", "a")
    put_network(azure, "like-a", "10.0.128.0/17")
    like = network_id("virtualNetworks/net-like-a")

    answer = peer(azure, "like-a", "b")

    assert code(answer) == (400, "VnetAddressSpaceOverlapsWithAlreadyPeeredVnet")
    assert answer.json()["error"]["message"] == (
        f"Cannot create or update peering {half_id('like-a', 'b')}. Virtual networks {like} and {B} cannot be peered "
        f"because address space of the first virtual network overlaps with address space of virtual network {A} "
        "already peered with the second virtual network. Overlapping address prefixes: 10.0.128.0/17, 10.0.0.0/16. "
        "For more information please refer to https://aka.ms/VnetPeeringInfo"
    )


def test_two_halves_of_a_network_cannot_point_at_the_same_one(azure: Azure) -> None:
    peer(azure, "a", "b")

    answer = azure.ask("PUT", network_path("virtualNetworks/net-a/virtualNetworkPeerings/other"), a_half("b"))

    assert code(answer) == (400, "AnotherPeeringAlreadyReferencesRemoteVnet")


def test_a_half_cannot_be_pointed_elsewhere(azure: Azure) -> None:
    peer(azure, "a", "b")

    answer = azure.ask("PUT", network_path(f"virtualNetworks/net-a/virtualNetworkPeerings/{TO_B}"), a_half("c"))

    assert code(answer) == (400, "ChangingRemoteVirtualNetworkNotAllowed")


def test_a_second_write_in_the_same_network_waits(azure: Azure) -> None:
    peer(azure, "a", "b", wait=0)

    assert code(peer(azure, "a", "c")) == (409, "AnotherOperationInProgress")


def test_the_network_at_the_other_end_must_stand_still(azure: Azure) -> None:
    azure.ask("PUT", network_path("virtualNetworks/net-b/subnets/s"), {"properties": {"addressPrefix": "10.1.0.0/24"}})

    answer = peer(azure, "a", "b")

    assert code(answer) == (400, "ReferencedResourceNotProvisioned")
    assert answer.json()["error"]["message"] == (
        f"Cannot proceed with operation because resource {B} used by resource {half_id('a', 'b')} is not in Succeeded "
        "state. Resource is in Updating state and the last operation that updated/is updating the resource is "
        "PutSubnetOperation."
    )


def test_both_halves_at_once_is_refused_unless_the_tester_says_otherwise(azure: Azure) -> None:
    peer(azure, "a", "b", wait=0)
    refused = peer(azure, "b", "a", wait=0)
    azure.set_world(settings={"remotePeeringsMayRun": True})
    taken = peer(azure, "b", "a", wait=30)

    assert (code(refused), taken.status) == ((400, "ReferencedResourceNotProvisioned"), 201)
    assert states(azure) == {"ab": "Connected", "ba": "Connected"}


def test_a_network_that_does_not_exist_is_refused(azure: Azure) -> None:
    assert code(peer(azure, "a", "no")) == (400, "InvalidResourceReference")


def test_a_grown_address_space_is_taken_over_by_a_sync(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a")
    put_network(azure, "b", "10.1.0.0/16", "10.9.0.0/16")
    grown = {"addressPrefixes": ["10.1.0.0/16", "10.9.0.0/16"]}

    def levels() -> list[str]:
        return [azure.get(half_id(*pair))["properties"]["peeringSyncLevel"] for pair in ("ab", "ba")]

    before = levels()
    peer(azure, "a", "b")
    plain = levels()
    peer(azure, "a", "b", query="&syncRemoteAddressSpace=true")
    found = azure.get(half_id("a", "b"))["properties"]

    assert before == plain == ["RemoteNotInSync", "LocalNotInSync"]
    assert (levels(), found["remoteAddressSpace"]) == (["FullyInSync"] * 2, grown)


def test_a_network_written_without_peerings_keeps_them(azure: Azure) -> None:
    peer(azure, "a", "b")
    put_network(azure, "a", "10.0.0.0/16")

    assert states(azure) == {"ab": "Initiated"}


def test_a_network_written_with_peerings_has_those_and_no_others(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a")

    put_network(azure, "a", "10.0.0.0/16", virtualNetworkPeerings=[{"name": TO_C, **a_half("c")}])

    assert states(azure) == {"ac": "Initiated", "ba": "Disconnected"}


def test_a_network_may_be_written_as_it_was_read(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a")
    before = azure.get(A)

    answer = azure.put(A, before)

    assert answer.status == 200
    assert states(azure) == {"ab": "Connected", "ba": "Connected"}


def test_a_network_of_a_foreign_subscription_can_be_peered(azure: Azure) -> None:
    group = f"/subscriptions/{FOREIGN}/resourceGroups/hub"
    hub = f"{group}/providers/Microsoft.Network/virtualNetworks/hub"
    world = azure.world
    space = {"addressSpace": {"addressPrefixes": ["192.168.0.0/16"]}}
    azure.set_world(
        resourceGroups=[*world["resourceGroups"], {"id": group, "name": "hub", "location": "westus3"}],
        resources=[*world["resources"], {"id": hub, "name": "hub", "location": "westus3", "properties": space}],
    )

    azure.put(half_id("a", "b"), {"properties": {"remoteVirtualNetwork": {"id": hub}}})
    alone = azure.get(half_id("a", "b"))["properties"]
    azure.put(f"{hub}/virtualNetworkPeerings/back", {"properties": {"remoteVirtualNetwork": {"id": A}}})

    assert SUBSCRIPTION not in hub
    assert (alone["peeringState"], alone["remoteAddressSpace"]) == (
        "Initiated",
        {"addressPrefixes": ["192.168.0.0/16"]},
    )
    assert azure.get(half_id("a", "b"))["properties"]["peeringState"] == "Connected"


def test_a_stack_makes_peerings_one_after_the_other_or_fails(azure: Azure) -> None:
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
    kind = "Microsoft.Network/virtualNetworks/virtualNetworkPeerings"
    first, second = ({"type": kind, "apiVersion": "2025-05-01", "name": f"net-a/to-{x}", **a_half(x)} for x in "bc")

    azure.ask("PUT", path, a_stack(first, second))
    azure.wait(60)
    together = azure.ask("GET", path).json()["properties"]
    azure.ask("PUT", path, a_stack(first, {**second, "dependsOn": [f"{A}/virtualNetworkPeerings/{TO_B}"]}))
    azure.wait(60)
    chained = azure.ask("GET", path).json()["properties"]

    assert (together["provisioningState"], chained["provisioningState"]) == ("failed", "succeeded")
    assert "AnotherOperationInProgress" in str(together["error"])
    assert states(azure) == {"ab": "Initiated", "ac": "Initiated"}


def test_the_world_can_be_put_back_as_it_was_seen(azure: Azure) -> None:
    peer(azure, "a", "b")
    peer(azure, "b", "a")
    peer(azure, "b", "c")
    unpeer(azure, "a", "b")
    before = azure.world["resources"]

    azure.set_world(resources=before)

    assert states(azure) == {"ba": "Disconnected", "bc": "Initiated"}


def test_a_gateway_at_the_other_end_cannot_be_used_where_there_is_none(azure: Azure) -> None:
    begin = azure.network.virtual_network_peerings.begin_create_or_update

    for more in ({}, {"doNotVerifyRemoteGateways": True}):
        assert refusal(begin, "rg", "net-a", TO_B, a_half("b", useRemoteGateways=True, **more)) == (
            400,
            "RemoteVnetHasNoGateways",
            f"Peering {half_id('a', 'b')} cannot have UseRemoteGateways flag set to true because remote virtual "
            f"network {B} referenced by the peering does not have any gateways.",
        )
    assert peer(azure, "a", "b", allowGatewayTransit=True).status == 201
