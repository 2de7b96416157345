"""Capacity reservation groups and the reservations in them: what a write, a deletion and a read of one do."""

from __future__ import annotations

from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.compute import quota, reservations, restrictions
from provision.simulator.compute.reservations import GROUP_TYPE, TYPE
from provision.simulator.network.network import Written
from provision.simulator.refusals import compute_errors as refused
from provision.simulator.refusals import errors
from provision.simulator.state import operations
from provision.simulator.state.durations import RESERVATION_S
from provision.simulator.state.facts import regions, sizes
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.operations import COMPUTE, Origin
from provision.simulator.state.world import Operation, Resource, World, guid_of
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import iso_offset

FAULT_DOMAINS = 3
"""Over how many fault domains a reservation is spread."""


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin) -> Written:
    """Make or change a group, at once, or a reservation, by an operation."""
    given = bodies.read(rid.type, body, origin.text, How(origin.version))
    before = world.resources.get(rid.key)
    location = bodies.location_of(given, rid.type)
    if before is not None and before.location != location:
        raise errors.resource_elsewhere(rid.name, before.location, rid.group, location)
    if rid.type.lower() == GROUP_TYPE:
        return _put_group(world, at, rid, location, before, given)
    return _put_reservation(world, at, rid, location, before, given, origin)


def filled(body: Json) -> Json:
    top = {key: body[key] for key in ("zones", "sku") if body.get(key)}
    if "sku" in top:
        top["sku"] = {"tier": "Standard", **top["sku"]}
    return {"tags": body.get("tags", {}), **top, "properties": body.get("properties", {})}


def delete(world: World, at: float, row: Resource, origin: Origin) -> Operation | None:
    if row.type.lower() == GROUP_TYPE:
        nested = world.resources.children(row.key)
        if nested:
            raise refused.nested_resources(nested[0].id.rpartition("/providers/")[2])
        if reservations.members(world, row.key):
            raise refused.in_use("Capacity Reservation Group", row.rid.name, "Virtual Machine Scale Set")
        world.resources.remove(row.key)
        return None
    if reservations.drawing(world, row, allocated=False):
        raise refused.in_use("Capacity Reservation", row.rid.name, "Virtual Machine Scale Set VM")
    operations.preempt(world, row.operation, at)
    operation = operations.start(
        world,
        at,
        row,
        kind="reservation-delete",
        dialect=COMPUTE,
        seconds=RESERVATION_S,
        origin=origin,
        method="DELETE",
    )
    row.operation, row.state = operation.name, "Deleting"
    world.resources.put(row.key, row)
    return operation


def render(world: World, row: Resource, *, view: bool = False) -> Json:
    body: Json = {"id": row.id, "name": row.rid.name, "type": row.type, "location": row.location}
    body |= {key: row.body[key] for key in ("tags", "zones", "sku") if key in row.body}
    own = _group(world, row, view) if row.type.lower() == GROUP_TYPE else _reservation(world, row, view)
    return {**body, "properties": {**row.properties, **own}}


def _group(world: World, row: Resource, view: bool) -> Json:
    inside = [child for child in world.resources.children(row.key) if child.type.lower() == TYPE]
    associated = [each for child in inside for each in reservations.drawing(world, child, allocated=False)]
    found: Json = {
        "capacityReservations": [{"id": child.id} for child in inside],
        "virtualMachinesAssociated": [{"id": each} for each in associated],
    }
    if view:
        found["instanceView"] = {
            "capacityReservations": [{"name": child.rid.name, **_view(world, child)} for child in inside]
        }
    return found


def _reservation(world: World, row: Resource, view: bool) -> Json:
    made = iso_offset(row.made)
    found: Json = {
        "reservationId": guid_of(row.etag, "reservation"),
        "platformFaultDomainCount": FAULT_DOMAINS,
        "virtualMachinesAssociated": [{"id": each} for each in reservations.drawing(world, row, allocated=False)],
        "provisioningTime": made,
        "provisioningState": row.state,
        "timeCreated": made,
    }
    return {**found, **({"instanceView": _view(world, row)} if view else {})}


def _view(world: World, row: Resource) -> Json:
    state = row.state
    status = {"code": f"ProvisioningState/{state.lower()}", "level": "Info", "displayStatus": state}
    if state == "Succeeded":
        status["displayStatus"] = "Provisioning succeeded"
    allocated = reservations.drawing(world, row, allocated=True)
    return {
        "utilizationInfo": {
            "currentCapacity": row.body["sku"]["capacity"] if state == "Succeeded" else 0,
            "virtualMachinesAllocated": [{"id": each} for each in allocated],
        },
        "statuses": [status],
    }


def _put_group(
    world: World, at: float, rid: ResourceId, location: str, before: Resource | None, given: Json
) -> Written:
    stored = filled(given)
    if stored["properties"].get("reservationType") == "Block":
        raise refused.not_simulated("capacity reservations of type Block")
    for zone in stored.get("zones", []):
        if zone not in regions()[location].zones:
            raise refused.no_zone(zone, location)
    if before is not None and before.body.get("zones", []) != stored.get("zones", []):
        raise errors.unchangeable("zones")
    kind = "reservationType"
    if before is not None and before.properties.get(kind, "Targeted") != stored["properties"].get(kind, "Targeted"):
        raise errors.unchangeable(kind)
    text, made = (before.id, before.made) if before is not None else (rid.text, at)
    row = Resource(text, rid.type, location, stored, made, "Succeeded", "")
    world.resources.put(row.key, row)
    return Written(201 if before is None else 200, row, None)


def _put_reservation(
    world: World,
    at: float,
    rid: ResourceId,
    location: str,
    before: Resource | None,
    given: Json,
    origin: Origin,
) -> Written:
    group = world.resources.get(rid.parent.key) if rid.parent is not None else None
    if group is None or rid.parent is None:
        raise errors.no_parent(rid.type, rid.parent.text if rid.parent is not None else "")
    if before is not None and operations.running(world, before.operation) is not None:
        raise errors.concurrent_request()
    stored = filled(given)
    if "scheduleProfile" in stored["properties"]:
        raise refused.not_simulated("capacity reservations with a schedule")
    if "capacity" not in stored["sku"]:
        raise errors.missing_parameter("sku.capacity")
    _check_place(group, location, stored)
    _check_size(world, rid, group, before, location, stored)
    _check_quota(world, rid, before, location, stored)
    text, made = (before.id, before.made) if before is not None else (rid.text, at)
    seed = before.etag if before is not None else world.guid()
    state = "Creating" if before is None else "Updating"
    row = Resource(text, rid.type, location, stored, made, state, seed)
    operation = operations.start(
        world, at, row, kind="reservation-put", dialect=COMPUTE, seconds=RESERVATION_S, origin=origin
    )
    row.operation = operation.name
    world.resources.put(row.key, row)
    return Written(201 if before is None else 200, row, operation)


def _check_place(group: Resource, location: str, stored: Json) -> None:
    if group.location != location:
        text = f"The location '{location}' is not that of the Capacity Reservation Group, '{group.location}'."
        raise refused.bad_request(text, "location")
    zones, offered = stored.get("zones", []), group.body.get("zones", [])
    if len(zones) > 1 or bool(zones) != bool(offered) or not set(zones) <= set(offered):
        text = (
            f"The zones '{','.join(zones)}' are not one of those of the Capacity Reservation Group '{group.rid.name}'."
        )
        raise refused.bad_request(text, "zones")


def _check_size(
    world: World, rid: ResourceId, group: Resource, before: Resource | None, location: str, stored: Json
) -> None:
    name = str(stored["sku"]["name"])
    size = sizes().get(name.lower())
    if size is None or location not in size.regions:
        raise errors.bad_parameter("sku.name", f"The value '{name}' of parameter 'sku.name' is invalid.")
    if not reservations.can_be_reserved(size):
        raise refused.no_reservation_for(name)
    if restrictions.refuses(world, location, size.name, stored.get("zones", [])):
        raise errors.size_not_available(size.name, location)
    if before is not None:
        for key, held in (("sku.name", before.body["sku"]["name"]), ("zones", before.body.get("zones", []))):
            if bodies.at_path(stored, key) not in (held, None if held == [] else held):
                raise errors.unchangeable(key)
    for other in world.resources.children(group.key):
        same = str(other.body["sku"]["name"]).lower() == name.lower()
        if other.key != rid.key and same and other.body.get("zones", []) == stored.get("zones", []):
            text = f"Capacity Reservation Group '{group.rid.name}' already has a reservation of {name} there."
            raise errors.not_allowed(text)


def _check_quota(world: World, rid: ResourceId, before: Resource | None, location: str, stored: Json) -> None:
    held = int(before.body["sku"]["capacity"]) if before is not None else 0
    more = int(stored["sku"]["capacity"]) - held
    if more <= 0:
        return
    used = quota.usage(world, rid.subscription, location)
    for counter, cores in quota.wanted(str(stored["sku"]["name"]), more, spot=False).items():
        text = quota.excess_text(world, rid.subscription, location, counter, used.get(counter, 0), cores)
        if text is not None:
            raise errors.not_allowed(text)
