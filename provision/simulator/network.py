"""Network: what a write, a deletion and a read of its resources do. A PUT replaces the whole body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from provision.simulator import (
    bastions,
    bodies,
    errors,
    instances,
    network_defaults,
    network_errors,
    operations,
    peerings,
    subnets,
)
from provision.simulator.durations import DELETE_S, PUT_S
from provision.simulator.ids import ResourceId
from provision.simulator.messages import Json
from provision.simulator.operations import NETWORK, Origin
from provision.simulator.shapes import How
from provision.simulator.world import Operation, Resource, ScaleSet, World

Made = Callable[[World, ResourceId, Json, Resource | None], Json]

NSG = "microsoft.network/networksecuritygroups"
IP = "microsoft.network/publicipaddresses"
NAT = "microsoft.network/natgateways"
VNET = "microsoft.network/virtualnetworks"
SUBNET = "microsoft.network/virtualnetworks/subnets"
PEERING = peerings.TYPE
BASTION = bastions.TYPE

_MAKERS: dict[str, Made] = {
    NSG: network_defaults.security_group,
    IP: network_defaults.public_address,
    NAT: network_defaults.nat_gateway,
    VNET: network_defaults.virtual_network,
    SUBNET: network_defaults.subnet,
    PEERING: network_defaults.peering,
    BASTION: bastions.filled,
}

TYPES = tuple(_MAKERS)

_REFERRED = {
    "networkSecurityGroup": NSG,
    "publicIpAddresses": IP,
    "publicIPAddress": IP,
    "natGateway": NAT,
    "subnet": SUBNET,
    "remoteVirtualNetwork": VNET,
}
"""What the properties that refer to something refer to. A peering may reach into other regions; nothing else may."""


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
    parent = _parent(world, rid)
    location = parent.location if parent is not None else bodies.location_of(given, rid.type)
    if before is not None and before.location != location:
        raise errors.resource_elsewhere(rid.name, before.location, rid.group, location)
    _refuse_overlap(world, rid)
    stored = stored_body(world, rid, given, before)
    resource = Resource(before.id if before else rid.text, rid.type, location, stored, at, "Updating", _etag(world))
    if before is not None:
        resource.made = before.made
    _check_references(world, rid, location, stored)
    inline = _inline_subnets(world, rid, location, given["properties"], resource) if type_ == VNET else None
    halves = _inline_peerings(world, rid, given["properties"], resource) if type_ == VNET else None
    if type_ == SUBNET:
        subnets.check(world, rid, stored["properties"])
    elif type_ == PEERING:
        assert parent is not None
        peerings.check(world, rid, parent, stored["properties"], before)
        peerings.begin(world, resource, before, sync=origin.sync)
    elif type_ == BASTION:
        bastions.check(world, rid, stored)
    operation = operations.start(
        world,
        at,
        kind="network-put",
        target=resource.id,
        subscription=rid.subscription,
        location=location,
        dialect=NETWORK,
        seconds=PUT_S[type_],
        origin=origin,
    )
    resource.operation = operation.name
    world.resources.put(resource.key, resource)
    if inline is not None:
        subnets.replace(world, resource, inline)
    if halves is not None:
        _replace_peerings(world, resource, halves)
    return Written(200 if before else 201, resource, operation)


def put_ended(world: World, operation: Operation, at: float) -> None:
    """Settle the state of what the operation wrote: a virtual network together with the subnets given inline."""
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


def patch_tags(world: World, resource: Resource, tags: Json) -> None:
    bodies.check_tags(tags)
    resource.body["tags"] = bodies.without_nulls(tags)
    resource.etag = _etag(world)
    world.resources.put(resource.key, resource)


def delete(world: World, at: float, rid: ResourceId, origin: Origin) -> Operation:
    row = world.resources[rid.key]
    _refuse_overlap(world, rid)
    _refuse_in_use(world, row)
    operation = operations.start(
        world,
        at,
        kind="network-delete",
        target=row.id,
        subscription=rid.subscription,
        location=row.location,
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


# --- what is refused ---


def _parent(world: World, rid: ResourceId) -> Resource | None:
    if rid.parent is None:
        return None
    parent = world.resources.get(rid.parent.key)
    if parent is None:
        raise errors.no_parent(rid.type, rid.parent.text)
    return parent


def _refuse_overlap(world: World, rid: ResourceId) -> None:
    """Refuse a write beside another one: a virtual network and its children are one unit."""
    root = rid if rid.parent is None else rid.parent
    row = world.resources.get(root.key)
    if row is None:
        return
    for each in (row, *world.resources.children(root.key)):
        running = operations.running(world, each.operation)
        if running is not None:
            region = f"/subscriptions/{running.subscription}/providers/Microsoft.Network/locations/{running.location}"
            raise network_errors.another_operation(f"{region}/operations/{running.name}")


def _check_references(world: World, rid: ResourceId, location: str, stored: Json) -> None:
    """Refuse a reference to what is absent, elsewhere or not ready."""
    for name, target in sorted(references(stored)):
        found = check_reference(world, name, target, location, rid)
        # Of a peering's other network more is asked, and more is said, in `peerings`.
        if found.state != "Succeeded" and name != "remoteVirtualNetwork":
            raise network_errors.reference_not_ready(found.id, rid.text, found.state)


def check_reference(world: World, name: str, target: str, location: str, source: ResourceId) -> Resource:
    """Return what a body refers to under a name; refuse what is absent, elsewhere, going, or of another type."""
    found = world.resources.get(target.lower())
    elsewhere = found is not None and found.location != location and name != "remoteVirtualNetwork"
    if found is None or elsewhere or _REFERRED.get(name, found.type.lower()) != found.type.lower():
        raise network_errors.bad_reference(target, source.text)
    if found.state == "Deleting" and name != "remoteVirtualNetwork":
        raise network_errors.reference_not_ready(found.id, source.text, found.state)
    return found


def references(value: object, name: str = "") -> set[tuple[str, str]]:
    """Return what a body refers to by `{"id": …}`, each with the name of the property that does."""
    found: set[tuple[str, str]] = set()
    if isinstance(value, dict):
        target = value.get("id")
        if isinstance(target, str) and ("/providers/" in target or name in _REFERRED):
            found.add((name, target))
        for key, inner in value.items():
            found |= references(inner, key)
    elif isinstance(value, list):
        for inner in value:
            found |= references(inner, name)
    return found


def _refuse_in_use(world: World, row: Resource) -> None:
    type_ = row.type.lower()
    users = world.resources.users(row.key)
    if type_ == SUBNET:
        subnets.refuse_in_use(world, row)
    elif type_ == VNET:
        for child in world.resources.children(row.key):
            if child.type.lower() == SUBNET:
                subnets.refuse_in_use(world, child)
    elif type_ == NSG:
        using = [user.id for user in users if not isinstance(user, ScaleSet) or instances.count(user)]
        if using:
            raise network_errors.security_group_in_use(row.id, using)
    elif type_ == IP and users:
        raise network_errors.address_in_use(row.id, bastions.holder_of(world, row) or users[0].id)
    elif type_ == NAT and users:
        raise network_errors.gateway_in_use(row.id, len(users))


def _inline_subnets(world: World, rid: ResourceId, location: str, given: Json, vnet: Resource) -> list[Resource] | None:
    """Return the subnets that the body states, checked; None where it states none, which leaves them alone."""
    if given.get("subnets") is None:
        space = vnet.properties["addressSpace"]["addressPrefixes"]
        subnets.check_all(rid.name, space, subnets.of(world, rid.key))
        return None
    made = []
    for entry in given["subnets"]:
        child = rid.child("subnets", entry["name"])
        before = world.resources.get(child.key)
        properties = network_defaults.subnet(world, child, entry.get("properties") or {}, before)
        _check_references(world, child, location, {"properties": properties})
        made.append(
            Resource(
                before.id if before else child.text,
                child.type,
                location,
                {"properties": properties},
                vnet.made,
                "Updating",
                vnet.etag,
            )
        )
    subnets.check_replacement(world, vnet, made)
    return made


def _inline_peerings(
    world: World, rid: ResourceId, given: Json, vnet: Resource
) -> list[tuple[Resource, Resource | None]] | None:
    """Return the halves that the body states, checked, each with what it was; None where it states none."""
    if given.get("virtualNetworkPeerings") is None:
        return None
    made: list[tuple[Resource, Resource | None]] = []
    for entry in given["virtualNetworkPeerings"]:
        child = rid.child("virtualNetworkPeerings", entry["name"])
        before = world.resources.get(child.key)
        properties = network_defaults.peering(world, child, entry["properties"], before)
        _check_references(world, child, vnet.location, {"properties": properties})
        peerings.check(world, child, vnet, properties, before)
        text = before.id if before else child.text
        body = {"properties": properties}
        half = Resource(text, child.type, vnet.location, body, vnet.made, "Updating", vnet.etag)
        if any(peerings.remote_of(half) == peerings.remote_of(each) for each, _ in made):
            raise network_errors.peered_already(child.text, made[0][0].id, properties["remoteVirtualNetwork"]["id"])
        made.append((half, before))
    return made


def _replace_peerings(world: World, vnet: Resource, halves: list[tuple[Resource, Resource | None]]) -> None:
    stated = {half.key for half, _ in halves}
    gone = [each for each in peerings.of(world, vnet.key) if each.key not in stated]
    for each in gone:
        world.resources.remove(each.key)
    peerings.lost(world, gone)
    for half, before in halves:
        peerings.begin(world, half, before, sync=False)
        half.operation = vnet.operation
        world.resources.put(half.key, half)


def stored_body(world: World, rid: ResourceId, body: Json, before: Resource | None) -> Json:
    """Return what Network keeps of a body: with its defaults, and without what can only be read."""
    type_ = rid.type.lower()
    properties = _MAKERS[type_](world, rid, body["properties"], before)
    stored: Json = {}
    if type_ not in (SUBNET, PEERING):
        stored["tags"] = body.get("tags") or {}
    for key in ("sku", "zones", "extendedLocation"):
        if body.get(key) is not None:
            stored[key] = body[key]
    if type_ == IP:
        stored["sku"] = {"name": "Standard", "tier": "Regional", **stored.get("sku", {})}
        if stored["sku"]["name"] == "Standard" and properties["publicIPAllocationMethod"] != "Static":
            message = "Standard sku publicIp must have AllocationMethod set to Static."
            raise network_errors.network(400, "StandardSkuPublicIPAddressesMustBeStatic", message)
    if type_ == NAT:
        stored["sku"] = {"name": "Standard", **stored.get("sku", {})}
    return {**stored, "properties": properties}


def _etag(world: World) -> str:
    return f'W/"{world.guid()}"'
