"""Resources of types that are only stored: what they are sent as is what they show, and little is refused.

A parent has to be there, and to have no children when it is deleted; a write waits for the one before it.
"""

from __future__ import annotations

from provision.simulator.bodies import bodies
from provision.simulator.network.network import Written, parent_of
from provision.simulator.refusals import errors
from provision.simulator.state import operations
from provision.simulator.state.facts import location_name, regions
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.operations import STORED, Origin
from provision.simulator.state.stored_types import OTHERS_S, STORED_S
from provision.simulator.state.world import Operation, Resource, World
from provision.simulator.wire.messages import Json

SETTING = "plainTypes"
TYPES = tuple(type_.lower() for type_ in STORED_S)
_SECONDS = {type_.lower(): seconds for type_, seconds in STORED_S.items()}
_OUTSIDE = frozenset({"id", "name", "type", "etag", "systemData", "apiVersion"})
"""What a client may send back as it was read, and that means nothing in a write."""
_EVERYWHERE = "global"


def added(world: World) -> list[str]:
    """Return the types that the tester has added."""
    found: list[str] = world.setting(SETTING, [])
    return found


def known(world: World, type_: str) -> bool:
    return type_.lower() in TYPES or type_.lower() in (each.lower() for each in added(world))


def namespaces(world: World) -> list[str]:
    """Return the namespaces that have such types."""
    return sorted({type_.partition("/")[0] for type_ in (*STORED_S, *added(world))})


def in_namespace(world: World, namespace: str) -> list[str]:
    """Return the kinds of a namespace, without it."""
    pairs = (type_.partition("/") for type_ in (*STORED_S, *added(world)))
    return sorted({kind for each, _, kind in pairs if each.lower() == namespace.lower()})


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin) -> Written:
    if not isinstance(body, dict):
        raise errors.bad_content("The request body must be a JSON object.")
    bodies.check_tags(body.get("tags"))
    before = world.resources.get(rid.key)
    parent = parent_of(world, rid)
    location = _location(world, rid, body, parent)
    if before is not None and before.location != location:
        raise errors.resource_elsewhere(rid.name, before.location, rid.group, location)
    if before is not None and operations.running(world, before.operation) is not None:
        raise errors.concurrent_request()
    made, text = (before.made, before.id) if before is not None else (at, rid.text)
    row = Resource(text, rid.type, location, filled(body, location), made, "Succeeded", "")
    seconds, _ = _SECONDS.get(rid.type.lower(), OTHERS_S)
    operation = (
        operations.start(world, at, row, kind="stored-put", dialect=STORED, seconds=seconds, origin=origin)
        if seconds
        else None
    )
    if operation is not None:
        row.operation, row.state = operation.name, "Updating" if before else "Creating"
    world.resources.put(row.key, row)
    return Written(200 if before else 201, row, operation)


def filled(body: Json, location: str) -> Json:
    """Return what is kept of a body."""
    kept: Json = bodies.without_nulls({key: value for key, value in body.items() if key not in _OUTSIDE})
    properties = {key: value for key, value in kept.get("properties", {}).items() if key != "provisioningState"}
    return {**kept, **({"location": location} if "location" in kept else {}), "properties": properties}


def put_ended(world: World, operation: Operation, at: float) -> None:
    row = operations.own(world, operation)
    if row is not None:
        row.operation, row.state = "", "Succeeded" if operation.outcome is None else "Failed"
        world.resources.put(row.key, row)


def delete(world: World, at: float, rid: ResourceId, origin: Origin) -> Operation | None:
    row = world.resources[rid.key]
    if children := world.resources.children(row.key):
        raise errors.nested_resources(row.id, [child.id for child in children])
    operations.preempt(world, row.operation, at)
    _, seconds = _SECONDS.get(rid.type.lower(), OTHERS_S)
    if not seconds:
        world.resources.remove(row.key)
        return None
    operation = operations.start(
        world, at, row, kind="stored-delete", dialect=STORED, seconds=seconds, origin=origin, method="DELETE"
    )
    row.operation, row.state = operation.name, "Deleting"
    world.resources.put(row.key, row)
    return operation


def delete_ended(world: World, operation: Operation, at: float) -> None:
    row = operations.own(world, operation)
    if row is None:
        return
    if operation.outcome is None:
        world.resources.remove(row.key)
    else:
        row.operation, row.state = "", "Failed"
        world.resources.put(row.key, row)


def render(row: Resource) -> Json:
    properties = {**row.properties, "provisioningState": row.state}
    return {"id": row.id, "name": row.rid.name, "type": row.type, **row.body, "properties": properties}


def _location(world: World, rid: ResourceId, body: Json, parent: Resource | None) -> str:
    text = body.get("location")
    if text is None:
        return parent.location if parent is not None else world.groups[rid.group_key].location
    name = location_name(str(text))
    if name != _EVERYWHERE and name not in regions():
        raise errors.unknown_location(str(text), rid.type, sorted(regions()))
    return name
