"""Proximity placement groups: made and gone at once, bound to one zone, and kept as long as a scale set uses them."""

from __future__ import annotations

from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.network.network import Written
from provision.simulator.network.network_uses import check_reference
from provision.simulator.refusals import compute_errors as refused
from provision.simulator.refusals import errors
from provision.simulator.state import instances
from provision.simulator.state.facts import regions, sizes
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.operations import Origin
from provision.simulator.state.world import Resource, ScaleSet, World
from provision.simulator.wire.messages import Json

TYPE = "microsoft.compute/proximityplacementgroups"
_KIND = "Proximity Placement Group"


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin) -> Written:
    given = bodies.read(rid.type, body, origin.text, How(origin.version))
    before = world.resources.get(rid.key)
    location = bodies.location_of(given, rid.type)
    if before is not None and before.location != location:
        raise errors.resource_elsewhere(rid.name, before.location, rid.group, location)
    stored = filled(given)
    _check(location, stored)
    if before is not None:
        _check_change(world, before, stored)
    text, made = (before.id, before.made) if before is not None else (rid.text, at)
    row = Resource(text, rid.type, location, stored, made, "Succeeded", "")
    world.resources.put(row.key, row)
    return Written(201 if before is None else 200, row, None)


def filled(body: Json) -> Json:
    properties = {"proximityPlacementGroupType": "Standard", **body.get("properties", {})}
    zones = {"zones": body["zones"]} if body.get("zones") else {}
    return {"tags": body.get("tags", {}), **zones, "properties": properties}


def delete(world: World, row: Resource) -> None:
    if members(world, row):
        raise refused.in_use(_KIND, row.rid.name, "Virtual Machine Scale Set")
    world.resources.remove(row.key)


def members(world: World, row: Resource) -> list[ScaleSet]:
    return [user for user in world.resources.users(row.key) if isinstance(user, ScaleSet)]


def render(world: World, row: Resource, *, colocation: bool = False) -> Json:
    """Return a group as it is shown; with `colocation`, how its members lie."""
    found = members(world, row)
    states = [_alignment(each) for each in found]
    properties: Json = {
        **row.properties,
        "virtualMachines": [],
        "virtualMachineScaleSets": [
            {"id": each.id, **({"colocationStatus": _status(state)} if colocation else {})}
            for each, state in zip(found, states, strict=True)
        ],
        "availabilitySets": [],
    }
    if colocation:
        properties["colocationStatus"] = _status("Unknown" if "Unknown" in states else "Aligned")
    body = {"id": row.id, "name": row.rid.name, "type": row.type, "location": row.location, "tags": row.body["tags"]}
    zones = {"zones": row.body["zones"]} if "zones" in row.body else {}
    return {**body, **zones, "properties": properties}


def check_set(world: World, rid: ResourceId, before: ScaleSet | None, after: ScaleSet) -> None:
    """Refuse a set that a group cannot take: the members of one are in one zone, and its sets come in deallocated."""
    held = (before.properties.get("proximityPlacementGroup") or {}).get("id", "") if before is not None else ""
    wanted = (after.properties.get("proximityPlacementGroup") or {}).get("id", "")
    if before is not None and held.lower() != wanted.lower() and instances.holding(before):
        text = "Changing property 'proximityPlacementGroup' is allowed only when all VMs of the set are deallocated."
        raise errors.not_allowed(text)
    if not wanted:
        return
    check_reference(world, "proximityPlacementGroup", wanted, after.location, rid)
    group = world.resources[wanted.lower()]
    zones = after.body.get("zones") or []
    if len(zones) > 1:
        text = f"{_KIND} '{group.rid.name}' cannot be used by a Virtual Machine Scale Set that spans zones."
        raise refused.bad_request(text, "proximityPlacementGroup")
    places = [group.body.get("zones", [])] if group.body.get("zones") else []
    places += [
        other.body.get("zones") or []
        for other in members(world, group)
        if other.key != after.key and instances.holding(other)
    ]
    if any(place != zones for place in places):
        raise refused.overconstrained(zones[0] if zones else "", _KIND)


def _check(location: str, stored: Json) -> None:
    zones, wanted = stored.get("zones", []), stored["properties"].get("intent", {}).get("vmSizes", [])
    if zones and not wanted:
        raise refused.bad_request(f"'zones' of a {_KIND} can be specified only together with 'intent'.", "zones")
    if len(zones) > 1:
        raise refused.bad_request(f"A {_KIND} can have only one zone.", "zones")
    if any(zone not in regions()[location].zones for zone in zones):
        raise refused.no_zone(zones[0], location)
    for name in wanted:
        size = sizes().get(name.lower())
        if size is None:
            raise errors.bad_parameter(
                "intent.vmSizes", f"The value '{name}' of parameter 'intent.vmSizes' is invalid."
            )
        if location not in size.regions:
            raise refused.overconstrained(zones[0] if zones else "", _KIND)


def _check_change(world: World, before: Resource, stored: Json) -> None:
    if before.body.get("zones", []) != stored.get("zones", []):
        raise errors.unchangeable("zones")
    if before.properties["proximityPlacementGroupType"] != stored["properties"]["proximityPlacementGroupType"]:
        raise errors.unchangeable("proximityPlacementGroupType")
    changed = before.properties.get("intent") != stored["properties"].get("intent")
    if changed and any(instances.holding(member) for member in members(world, before)):
        raise errors.not_allowed(f"The intent of a {_KIND} can be changed only when all of its VMs are deallocated.")


def _alignment(row: ScaleSet) -> str:
    """Return whether a set lies where its group does: nobody knows of one with instances that hold no hardware."""
    return "Aligned" if len(instances.holding(row)) == instances.count(row) else "Unknown"


def _status(state: str) -> Json:
    return {"code": f"ColocationStatus/{state}", "level": "Info", "displayStatus": state}
