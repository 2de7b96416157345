"""Peerings: two halves, one in each virtual network, whose states hang together.

A half is Initiated while it stands alone, Connected when both stand, and Disconnected, for good, when the other half
or its network has gone. The state is kept, not computed: a half that lost its other one stays Disconnected although
a new one is made.
"""

from __future__ import annotations

from collections.abc import Iterable

from provision.simulator.network import overlaps
from provision.simulator.network.prefixes import overlap, parsed
from provision.simulator.refusals import network_errors
from provision.simulator.state import operations
from provision.simulator.state.facts import limit
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Resource, World
from provision.simulator.wire.messages import Json

TYPE = "microsoft.network/virtualnetworks/virtualnetworkpeerings"
CAN_UPDATE = "disconnectedPeeringsCanBeUpdated"
"""The setting with which a PUT on a Disconnected half that stands alone makes it Initiated, instead of being refused.
Azure's message says that an update helps, and its users say that only deleting does."""

REMOTE_PEERINGS_MAY_RUN = "remotePeeringsMayRun"
"""The setting with which a half may be written while one of the other network's halves is. Reports disagree."""


def of(world: World, vnet_key: str) -> list[Resource]:
    return [child for child in world.resources.children(vnet_key) if child.type.lower() == TYPE]


def remote_of(row: Resource) -> str:
    """Return the key of the virtual network at the other end."""
    return str(row.properties["remoteVirtualNetwork"]["id"]).lower()


def other_half(world: World, row: Resource) -> Resource | None:
    parent = row.rid.parent
    assert parent is not None
    return next((half for half in of(world, remote_of(row)) if remote_of(half) == parent.key), None)


def check(world: World, rid: ResourceId, here: Resource, properties: Json, before: Resource | None) -> None:
    """Refuse a half of the network `here` that does not fit to the networks or to the other half."""
    remote = str(properties["remoteVirtualNetwork"]["id"])
    if before is not None and remote_of(before) != remote.lower():
        raise network_errors.remote_changed(rid.text, before.properties["remoteVirtualNetwork"]["id"])
    for each in of(world, here.key):
        if each.key != rid.key and remote_of(each) == remote.lower():
            raise network_errors.peered_already(rid.text, each.id, remote)
    there = world.resources[remote.lower()]
    if properties["useRemoteGateways"]:
        # There are no gateways in the simulated Azure, and asking not to look for one does not help in the real one.
        raise network_errors.no_remote_gateway(rid.text, there.id)
    if before is None and len(of(world, here.key)) >= limit("virtual_network_peerings"):
        raise network_errors.too_many(here.rid.name, "peerings", limit("virtual_network_peerings"))
    _refuse_busy(world, there, rid)
    _check_spaces(world, rid, here, there)
    back = next((half for half in of(world, there.key) if remote_of(half) == here.key), None)
    if back is not None and back.properties["peeringState"] == "Disconnected":
        raise network_errors.remote_peering_disconnected(rid.text, back.id, there.id)
    lost = before is not None and before.properties["peeringState"] == "Disconnected"
    if lost and not world.setting(CAN_UPDATE, False):
        raise network_errors.remote_peering_disconnected(rid.text, rid.text, here.id)


def begin(world: World, row: Resource, before: Resource | None, *, sync: bool) -> None:
    """Give a half that is being written its state and what it knows of the other network's addresses."""
    there = world.resources[remote_of(row)]
    connected = before is not None and before.properties["peeringState"] == "Connected"
    row.properties["peeringState"] = "Connected" if connected else "Initiated"
    space = there.properties["addressSpace"]
    told = row.properties.get("remoteAddressSpace") == space
    if connected and before is not None and not sync and not told:
        space = before.properties["remoteAddressSpace"]
    row.properties["remoteAddressSpace"] = {"addressPrefixes": list(space["addressPrefixes"])}


def written(world: World, row: Resource) -> None:
    """Connect both halves where the other one stands; called when the write of one has succeeded."""
    back = other_half(world, row)
    if back is None or row.properties["peeringState"] != "Initiated" or back.state != "Succeeded":
        return
    if back.properties["peeringState"] != "Disconnected":
        for half in (row, back):
            half.properties["peeringState"] = "Connected"
            there = world.resources[remote_of(half)]
            half.properties["remoteAddressSpace"] = {
                "addressPrefixes": list(there.properties["addressSpace"]["addressPrefixes"])
            }
            world.resources.put(half.key, half)


def adopted(world: World, row: Resource) -> None:
    """Complete a half that is put into the world as it is: without a state of its own it connects where it can."""
    properties = row.properties
    there = world.resources.get(remote_of(row))
    if not (properties.get("remoteAddressSpace") or {}).get("addressPrefixes"):
        space = there.properties["addressSpace"]["addressPrefixes"] if there is not None else []
        properties["remoteAddressSpace"] = {"addressPrefixes": list(space)}
    if "peeringState" in properties:
        return
    properties["peeringState"] = "Initiated" if there is not None else "Disconnected"
    world.resources.put(row.key, row)
    written(world, row)


def lost(world: World, gone: Iterable[Resource]) -> None:
    """Disconnect the halves that pointed at networks or from the other end of halves that are gone."""
    for row in gone:
        type_ = row.type.lower()
        if type_ == TYPE:
            parent = row.rid.parent
            assert parent is not None
            halves = [half for half in of(world, remote_of(row)) if remote_of(half) == parent.key]
        elif type_ == "microsoft.network/virtualnetworks":
            halves = [user for user in world.resources.users(row.key) if user.type.lower() == TYPE]
        else:
            continue
        for half in halves:
            half.properties["peeringState"] = "Disconnected"
            world.resources.put(half.key, half)


def shown(world: World, row: Resource) -> Json:
    """Return what a half shows beside what is kept: how far the two ends know each other's addresses."""
    there = world.resources.get(remote_of(row))
    parent, back = row.rid.parent, other_half(world, row)
    assert parent is not None
    now = there.properties["addressSpace"] if there is not None else row.properties["remoteAddressSpace"]
    remote_known = row.properties["remoteAddressSpace"] == now
    here = world.resources[parent.key].properties["addressSpace"]
    local_known = back is None or back.properties["remoteAddressSpace"] == here
    level = {
        (True, True): "FullyInSync",
        (True, False): "RemoteNotInSync",
        (False, True): "LocalNotInSync",
        (False, False): "LocalAndRemoteNotInSync",
    }[local_known, remote_known]
    connected = row.properties["peeringState"] == "Connected"
    return {
        "peeringSyncLevel": level if connected else "RemoteNotInSync",
        "remoteVirtualNetworkAddressSpace": now,
    }


def _refuse_busy(world: World, there: Resource, rid: ResourceId) -> None:
    """Refuse while anything is written in the network at the other end, its peerings and subnets included."""
    for each in (there, *world.resources.children(there.key)):
        running = operations.running(world, each.operation)
        if each.type.lower() == TYPE and world.setting(REMOTE_PEERINGS_MAY_RUN, False):
            continue
        if running is not None:
            doing = overlaps.name_of(world, running)
            state = "Deleting" if there.state == "Deleting" else "Updating"
            raise network_errors.reference_not_ready(there.id, rid.text, state, doing)
    if there.state != "Succeeded":
        raise network_errors.reference_not_ready(there.id, rid.text, there.state)


def _check_spaces(world: World, rid: ResourceId, here: Resource, there: Resource) -> None:
    found = _overlap(here, there)
    if found:
        raise network_errors.spaces_overlap(rid.text, here.id, there.id, found)
    for first, second in ((here, there), (there, here)):
        for half in of(world, second.key):
            other = world.resources.get(remote_of(half))
            if other is None or other.key in (first.key, second.key):
                continue
            if half.properties["peeringState"] == "Disconnected":
                continue
            found = _overlap(first, other)
            if found:
                raise network_errors.space_overlaps_a_peers(rid.text, first.id, second.id, other.id, found)


def _overlap(first: Resource, second: Resource) -> list[str]:
    """Return the prefixes of both that overlap, those of the first in front; none for no overlap."""
    mine = first.properties["addressSpace"]["addressPrefixes"]
    theirs = second.properties["addressSpace"]["addressPrefixes"]
    found: list[str] = []
    for one in mine:
        for other in theirs:
            if overlap(parsed(one), parsed(other)):
                found += [text for text in (one, other) if text not in found]
    return found
