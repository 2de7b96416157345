"""Extensions of a scale set as resources of their own: each is an entry of the set's model, written through the set."""

from __future__ import annotations

from dataclasses import replace

from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.compute import scale_sets
from provision.simulator.network.network import Written
from provision.simulator.refusals import errors
from provision.simulator.state.ids import ResourceId, parse
from provision.simulator.state.operations import Origin
from provision.simulator.state.world import Operation, ScaleSet, World
from provision.simulator.wire.messages import Json

TYPE = "microsoft.compute/virtualmachinescalesets/extensions"
_NEEDED = ("publisher", "type", "typeHandlerVersion")
"""What tells which handler an extension is."""


def all_of(row: ScaleSet) -> list[Json]:
    profile = row.properties["virtualMachineProfile"].get("extensionProfile", {})
    found: list[Json] = profile.get("extensions", [])
    return found


def find(row: ScaleSet, name: str) -> Json | None:
    return next((each for each in all_of(row) if each["name"].lower() == name.lower()), None)


def shown(world: World, resource_id: str) -> Json | None:
    """Return an extension by its id, or None where the id is none of one that is there."""
    rid = parse(resource_id)
    if rid is None or rid.parent is None or rid.type.lower() != TYPE:
        return None
    row = scale_sets.find(world, rid.parent)
    found = find(row, rid.name) if row is not None else None
    return None if row is None or found is None else render(row, found)


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin, *, method: str = "PUT") -> Written:
    """Write one extension of a set; a PATCH is laid onto what there is. Its set is what is returned as written."""
    row = _set(world, rid)
    before = find(row, rid.name)
    if before is None and method == "PATCH":
        raise errors.compute_child_missing()
    how = How(origin.version, partial=method == "PATCH", nulls=method == "PATCH")
    given = bodies.read(rid.type, body, origin.text, how).get("properties") or {}
    held = before["properties"] if before is not None and method == "PATCH" else {}
    name = before["name"] if before is not None else rid.name
    made = {"name": name, "properties": bodies.merged(held, given)}
    for key in _NEEDED:
        if not made["properties"].get(key):
            raise errors.missing_parameter(key)
    others = [made if each is before else each for each in all_of(row)]
    written = _write(world, at, row, others if before is not None else [*others, made], origin, method)
    return replace(written, status=200 if before is not None else 201)


def delete(world: World, at: float, rid: ResourceId, origin: Origin) -> Operation | None:
    """Take an extension out of its set's model; None where it is not there."""
    row = scale_sets.find(world, rid.parent) if rid.parent is not None else None
    gone = find(row, rid.name) if row is not None else None
    if row is None or gone is None:
        return None
    left = [each for each in all_of(row) if each is not gone]
    return _write(world, at, row, left, origin, "DELETE").operation


def render(row: ScaleSet, extension: Json) -> Json:
    return {
        "name": extension["name"],
        "id": f"{row.id}/extensions/{extension['name']}",
        "type": "Microsoft.Compute/virtualMachineScaleSets/extensions",
        "properties": {**extension["properties"], "provisioningState": scale_sets.state(row)},
    }


def _write(world: World, at: float, row: ScaleSet, extensions: list[Json], origin: Origin, method: str) -> Written:
    body = {"properties": {"virtualMachineProfile": {"extensionProfile": {"extensions": extensions}}}}
    return scale_sets.put(world, at, row.rid, body, replace(origin, text=""), method=method)


def _set(world: World, rid: ResourceId) -> ScaleSet:
    assert rid.parent is not None
    row = scale_sets.find(world, rid.parent)
    if row is None:
        raise errors.no_parent(rid.type, rid.parent.text)
    return row
