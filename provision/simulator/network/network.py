"""Network: what a write, a deletion and a read of its resources do. A PUT replaces the whole body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.network import (
    bastions,
    inline_children,
    network_defaults,
    network_uses,
    overlaps,
    peerings,
    public_addresses,
    security_groups,
    subnets,
    usages,
)
from provision.simulator.network.inline_children import RULE, SUBNET
from provision.simulator.refusals import errors
from provision.simulator.state import operations
from provision.simulator.state.durations import DELETE_S, PUT_S
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.operations import NETWORK, Origin
from provision.simulator.state.world import Operation, Resource, World
from provision.simulator.wire.messages import Json

Made = Callable[[World, ResourceId, Json, Resource | None], Json]

NSG = "microsoft.network/networksecuritygroups"
IP = public_addresses.TYPE
NAT = public_addresses.GATEWAY
VNET = "microsoft.network/virtualnetworks"
PEERING = peerings.TYPE
BASTION = bastions.TYPE

_MAKERS: dict[str, Made] = {
    NSG: network_defaults.security_group,
    RULE: lambda world, rid, body, before: security_groups.rule(rid.text, body["properties"]),
    IP: public_addresses.address,
    NAT: public_addresses.gateway,
    VNET: network_defaults.virtual_network,
    SUBNET: network_defaults.subnet,
    PEERING: network_defaults.peering,
    BASTION: bastions.filled,
}

TYPES = tuple(_MAKERS)


@dataclass(frozen=True, slots=True)
class Written:
    """What a write left behind. `operation` is None where the write was done at once."""

    status: int
    resource: Resource
    operation: Operation | None


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin) -> Written:
    type_ = rid.type.lower()
    given = bodies.read(rid.type, body, origin.text, How(origin.version))
    given.setdefault("properties", {})
    before = world.resources.get(rid.key)
    parent = parent_of(world, rid)
    location = parent.location if parent is not None else bodies.location_of(given, rid.type)
    if before is not None and before.location != location:
        raise errors.resource_elsewhere(rid.name, before.location, rid.group, location)
    superseded = overlaps.check(world, rid)
    stored = stored_body(world, rid, given, before)
    resource = Resource(before.id if before else rid.text, rid.type, location, stored, at, "Updating", _etag(world))
    if before is not None:
        resource.made = before.made
    network_uses.check_references(world, rid, location, stored)
    children = inline_children.read(world, rid, given["properties"], resource)
    _check(world, rid, resource, before, parent)
    if type_ == PEERING:
        peerings.begin(world, resource, before, sync=origin.sync)
    operation = operations.start(
        world,
        at,
        resource,
        kind="network-put",
        dialect=NETWORK,
        seconds=PUT_S[type_],
        origin=origin,
    )
    resource.operation = operation.name
    world.resources.put(resource.key, resource)
    overlaps.supersede(world, superseded, operation, at)
    inline_children.write(world, resource, children)
    _touch(world, resource)
    return Written(200 if before else 201, resource, operation)


def put_ended(world: World, operation: Operation, at: float) -> None:
    """Settle the state of what the operation wrote: a parent together with the children given inline."""
    row = world.resources.get(operation.target.lower())
    if row is None:
        return
    for each in (row, *world.resources.children(row.key)):
        if each.operation == operation.name:
            each.operation = ""
            each.state = "Succeeded" if operation.outcome is None else "Failed"
            each.etag = _etag(world)
            world.resources.put(each.key, each)
            if each.type.lower() == PEERING and each.state == "Succeeded":
                peerings.written(world, each)
    _touch(world, row)


def patch_tags(world: World, resource: Resource, tags: Json) -> None:
    bodies.check_tags(tags)
    resource.body["tags"] = bodies.without_nulls(tags)
    resource.etag = _etag(world)
    world.resources.put(resource.key, resource)


def delete(world: World, at: float, rid: ResourceId, origin: Origin) -> Operation:
    row = world.resources[rid.key]
    overlaps.check(world, rid, deletes=True)
    network_uses.refuse_in_use(world, row)
    operation = operations.start(
        world,
        at,
        row,
        kind="network-delete",
        dialect=NETWORK,
        seconds=DELETE_S[row.type.lower()],
        origin=origin,
        method="DELETE",
    )
    row.operation, row.state = operation.name, "Deleting"
    world.resources.put(row.key, row)
    return operation


def delete_ended(world: World, operation: Operation, at: float) -> None:
    row = world.resources.get(operation.target.lower())
    if row is None or row.operation != operation.name:
        return
    if operation.outcome is not None:
        row.operation, row.state = "", "Failed"
        world.resources.put(row.key, row)
        return
    for child in world.resources.children(row.key):
        world.resources.remove(child.key)
    world.resources.remove(row.key)
    peerings.lost(world, [row])
    _touch(world, row)


def stored_body(world: World, rid: ResourceId, body: Json, before: Resource | None) -> Json:
    """Return what Network keeps of a body that was read by its table: with its defaults."""
    type_ = rid.type.lower()
    properties = _MAKERS[type_](world, rid, body, before)
    stored: Json = {} if rid.parent is not None else {"tags": body.get("tags", {})}
    stored |= {key: body[key] for key in ("sku", "zones", "extendedLocation") if key in body}
    if type_ in (IP, NAT):
        stored["sku"] = public_addresses.sku(type_, stored.get("sku", {}))
    elif type_ == BASTION:
        stored["sku"] = {"name": "Basic", **stored.get("sku", {})}
    elif type_ == RULE:
        stored["place"] = inline_children.place(world, rid, before)
    return {**stored, "properties": properties}


def _check(world: World, rid: ResourceId, resource: Resource, before: Resource | None, parent: Resource | None) -> None:
    """Refuse what does not fit to what else there is."""
    if before is None:
        usages.refuse_more(world, rid, resource.location)
    type_, stored, location = resource.type.lower(), resource.body, resource.location
    if type_ == SUBNET:
        subnets.check(world, rid, stored["properties"])
    elif type_ == PEERING:
        assert parent is not None
        peerings.check(world, rid, parent, stored["properties"], before)
    elif type_ == RULE:
        assert parent is not None
        inline_children.check_rules(world, parent, [resource], whole=False)
    elif type_ == BASTION:
        bastions.check(world, rid, stored, before)
    elif type_ == IP:
        public_addresses.check_address(world, rid, location, stored, before)
    elif type_ == NAT:
        public_addresses.check_gateway(world, rid, location, stored, before)


def parent_of(world: World, rid: ResourceId) -> Resource | None:
    """Return what a child resource lies in; refuse a child of what is not there."""
    if rid.parent is None:
        return None
    parent = world.resources.get(rid.parent.key)
    if parent is None:
        raise errors.no_parent(rid.type, rid.parent.text)
    return parent


def _touch(world: World, row: Resource) -> None:
    """Give a parent and all its children one etag: whatever is written in it, the whole has changed."""
    parent = row.rid.parent
    root = world.resources.get(row.key if parent is None else parent.key)
    if root is None:
        return
    etag = _etag(world)
    for each in (root, *world.resources.children(root.key)):
        each.etag = etag
        world.resources.put(each.key, each)


def _etag(world: World) -> str:
    return f'W/"{world.guid()}"'
