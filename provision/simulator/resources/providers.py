"""One way to write, delete and show a resource whatever its provider: for requests, deployments and stacks alike."""

from __future__ import annotations

from provision.simulator.access import identities
from provision.simulator.compute import proximity, reservation_writes, reservations, scale_set_extensions, scale_sets
from provision.simulator.network import names, network, network_views
from provision.simulator.network.network import Written
from provision.simulator.refusals import errors, network_errors
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.operations import Origin
from provision.simulator.state.world import Group, Operation, Resource, ScaleSet, World
from provision.simulator.storage import lustre, stored
from provision.simulator.wire.messages import Json

TYPES = (
    scale_sets.TYPE,
    scale_set_extensions.TYPE,
    proximity.TYPE,
    reservations.GROUP_TYPE,
    reservations.TYPE,
    *network.TYPES,
    lustre.TYPE,
    identities.TYPE,
)


def known(world: World, type_: str) -> bool:
    return type_.lower() in TYPES or stored.known(world, type_)


def group_of(world: World, rid: ResourceId, *, writes: bool = False) -> Group:
    """Return the group of a resource; refuse where it is absent, or, for writes, on its way out."""
    group = world.groups.get(rid.group_key)
    if group is None:
        raise errors.no_group(rid.group)
    if writes and group.state == "Deleting":
        raise errors.group_going(group.name)
    return group


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin) -> Written:
    group_of(world, rid, writes=True)
    type_ = rid.type.lower()
    if rid.key not in world.resources:
        names.check(rid)
    if type_ == scale_sets.TYPE:
        return scale_sets.put(world, at, rid, body, origin)
    if type_ == scale_set_extensions.TYPE:
        return scale_set_extensions.put(world, at, rid, body, origin)
    if type_ == proximity.TYPE:
        return proximity.put(world, at, rid, body, origin)
    if type_ in (reservations.GROUP_TYPE, reservations.TYPE):
        return reservation_writes.put(world, at, rid, body, origin)
    if type_ == lustre.TYPE:
        return lustre.put(world, at, rid, body, origin)
    if type_ == identities.TYPE:
        return Written(*identities.put(world, at, rid, body, origin), None)
    if type_ not in TYPES:
        return stored.put(world, at, rid, body, origin)
    return network.put(world, at, rid, body, origin)


def delete(world: World, at: float, rid: ResourceId, origin: Origin) -> Operation | None:
    """Start a deletion; None where there is nothing to wait for: nothing was there, or it is gone at once."""
    if rid.type.lower() == scale_set_extensions.TYPE:
        return scale_set_extensions.delete(world, at, rid, origin)
    row = world.resources.get(rid.key)
    if row is None:
        return None
    if isinstance(row, ScaleSet):
        return scale_sets.delete(world, at, rid, origin)
    if row.type.lower() == proximity.TYPE:
        proximity.delete(world, row)
        return None
    if row.type.lower() in (reservations.GROUP_TYPE, reservations.TYPE):
        return reservation_writes.delete(world, at, row, origin)
    if row.type.lower() == lustre.TYPE:
        return lustre.delete(world, at, rid, origin)
    if row.type.lower() == identities.TYPE:
        world.resources.remove(row.key)
        return None
    if row.type.lower() not in TYPES:
        return stored.delete(world, at, rid, origin)
    return network.delete(world, at, rid, origin)


def get(world: World, rid: ResourceId) -> Resource:
    group_of(world, rid)
    row = world.resources.get(rid.key)
    if row is not None:
        return row
    if rid.type.lower() not in TYPES:
        raise errors.no_resource(rid.type, "/".join(rid.names), rid.group)
    if rid.parent is not None and rid.parent.key in world.resources:
        compute = rid.namespace.lower() == "microsoft.compute"
        raise errors.compute_child_missing() if compute else network_errors.network_child_missing(rid.text)
    top = rid if rid.parent is None else rid.parent
    raise errors.no_resource(top.type, top.name, rid.group)


def render(world: World, row: Resource) -> Json:
    if isinstance(row, ScaleSet):
        return scale_sets.render(world, row)
    if row.type.lower() == proximity.TYPE:
        return proximity.render(world, row)
    if row.type.lower() in (reservations.GROUP_TYPE, reservations.TYPE):
        return reservation_writes.render(world, row)
    if row.type.lower() == lustre.TYPE:
        return lustre.render(world, row)
    if row.type.lower() == identities.TYPE:
        return identities.render(row)
    if row.type.lower() not in TYPES:
        return stored.render(row)
    return network_views.render(world, row)


def etag(row: Resource) -> str:
    return scale_sets.etag(row) if isinstance(row, ScaleSet) else row.etag


def generic(row: Resource) -> Json:
    """Return the resource as Resource Manager lists it, without what only its provider knows."""
    body: Json = {"id": row.id, "name": row.rid.name, "type": row.type}
    for key in ("kind", "sku", "zones", "identity"):
        if key in row.body:
            body[key] = row.body[key]
    return {**body, "location": row.location, **({"tags": row.body["tags"]} if row.body.get("tags") else {})}
