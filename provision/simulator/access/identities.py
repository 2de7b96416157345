"""User-assigned identities: resources that exist at once, and what others say of those that they use."""

from __future__ import annotations

from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.refusals import errors
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.operations import Origin
from provision.simulator.state.world import Resource, World, guid_of
from provision.simulator.wire.messages import Json

TYPE = "microsoft.managedidentity/userassignedidentities"


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin) -> tuple[int, Resource]:
    """Make an identity or change its tags; there is no operation to wait for."""
    given = bodies.read(rid.type, body, origin.text, How(origin.version))
    before = world.resources.get(rid.key)
    location = bodies.location_of(given, rid.type)
    if before is not None and before.location != location:
        raise errors.resource_elsewhere(rid.name, before.location, rid.group, location)
    text, made = (before.id, before.made) if before is not None else (rid.text, at)
    # The ids come from when it was made: one that is made again under its name is another one, as in Azure.
    ids = before.body["ids"] if before is not None else {"seed": world.guid()}
    stored = filled(given, ids)
    row = Resource(text, rid.type, location, stored, made, "Succeeded", "")
    world.resources.put(row.key, row)
    return 200 if before else 201, row


def filled(body: Json, ids: Json) -> Json:
    return {"tags": body.get("tags", {}), "properties": body.get("properties", {}), "ids": ids}


def adopted_ids(body: Json, seed: str) -> Json:
    """Return the ids that a full body shows, where it shows them, and a seed for others."""
    properties = body.get("properties") or {}
    given = {key: properties[key] for key in ("principalId", "clientId") if isinstance(properties.get(key), str)}
    return {"seed": seed, **given}


def render(row: Resource) -> Json:
    return {
        "id": row.id,
        "name": row.rid.name,
        "type": row.type,
        "location": row.location,
        "tags": row.body["tags"],
        "properties": {**row.properties, "tenantId": guid_of("tenant"), **_ids(row)},
    }


def check(world: World, resource_id: str, body: Json, before: Resource | None) -> None:
    """Refuse a resource that uses an identity that does not exist, or states what only Azure knows of one."""
    wanted = (body.get("identity") or {}).get("userAssignedIdentities") or {}
    held = _keys(before)
    for text, value in wanted.items():
        row = world.resources.get(text.lower())
        if row is None or row.type.lower() != TYPE:
            # What is held already is not looked up again: an identity may go away under its users.
            if text.lower() in held:
                continue
            raise errors.no_identity(resource_id, text)
        if value and any(value.get(key) not in (None, known) for key, known in _ids(row).items()):
            raise errors.bad_identity_value(text)


def used(world: World, identity: Json) -> Json:
    """Return the user-assigned identities of a resource as it shows them; what is gone keeps its name alone."""
    found: Json = {}
    for text in identity:
        row = world.resources.get(text.lower())
        found[text] = _ids(row) if row is not None and row.type.lower() == TYPE else {}
    return found


def shown(world: World, identity: Json) -> Json:
    body = {key: value for key, value in identity.items() if key != "userAssignedIdentities"}
    if "userAssignedIdentities" in identity:
        body["userAssignedIdentities"] = used(world, identity["userAssignedIdentities"])
    return body


def with_held_names(change: Json, before: Resource | None) -> Json:
    """Return a change whose identities have the names that are held already: an id is the same in any casing."""
    identity = change.get("identity")
    named = identity.get("userAssignedIdentities") if isinstance(identity, dict) else None
    if before is None or not isinstance(named, dict):
        return change
    held = (before.body.get("identity") or {}).get("userAssignedIdentities") or {}
    known = {name.lower(): name for name in held}
    renamed = {known.get(name.lower(), name): value for name, value in named.items()}
    return {**change, "identity": {**(identity or {}), "userAssignedIdentities": renamed}}


def all_of(world: World) -> list[Resource]:
    return [row for row in world.resources.values() if row.type.lower() == TYPE]


def principal_of(row: Resource) -> str:
    return str(_ids(row)["principalId"]).lower()


def _ids(row: Resource) -> Json:
    ids = row.body["ids"]
    return {
        "principalId": ids.get("principalId", guid_of(ids["seed"], "principal")),
        "clientId": ids.get("clientId", guid_of(ids["seed"], "client")),
    }


def _keys(row: Resource | None) -> frozenset[str]:
    if row is None:
        return frozenset()
    return frozenset(key.lower() for key in (row.body.get("identity") or {}).get("userAssignedIdentities") or {})
