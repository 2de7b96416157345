"""Whole resources put into the world as they are: settled, and without asking whether Azure would have taken them."""

from __future__ import annotations

from typing import Any

from provision.simulator.access import identities, locks, registrations, role_assignments
from provision.simulator.bodies.reading import Misfit, read
from provision.simulator.bodies.shapes import TAGS, Each, Needed, Shape
from provision.simulator.compute import (
    marketplace,
    proximity,
    reservation_writes,
    scale_set_checks,
    scale_set_extensions,
    scale_sets,
)
from provision.simulator.compute import scale_set_defaults as defaults
from provision.simulator.network import instance_addresses, network, peerings, private_addresses
from provision.simulator.refusals.errors import Refusal
from provision.simulator.resources import providers
from provision.simulator.state import instances
from provision.simulator.state.facts import location_name
from provision.simulator.state.ids import ResourceId, parse
from provision.simulator.state.world import Group, Registration, Resource, ScaleSet, Stack, World
from provision.simulator.storage import lustre, stored
from provision.simulator.tables import RESOURCES
from provision.simulator.wire.messages import Json

_INLINE = {
    network.VNET: ("subnets", "virtualNetworkPeerings"),
    network.NSG: ("securityRules",),
}
_SHOWN: Shape = {"id": Needed(str), "name": str, "location": str, "tags": TAGS, "properties": dict}
_SHOWN_STACK: Shape = {
    "id": Needed(str),
    "tags": TAGS,
    "properties": {
        "resources": [{"id": Needed(str)}],
        "parameters": Each({"type": str}),
        "actionOnUnmanage": Each(str),
        "denySettings": dict,
        "provisioningState": str,
        "deploymentId": str,
        "correlationId": str,
        "error": dict,
        "outputs": dict,
    },
}


def group(world: World, at: float, body: Any) -> None:
    body = _fit(_SHOWN, body)
    name, resource_id = _text(body, "name"), body["id"]
    parts = resource_id.split("/")
    if len(parts) != 5:
        raise ValueError(f"{resource_id} is no id of a resource group")
    row = Group(resource_id, name, parts[2], location_name(_text(body, "location")), body.get("tags") or {}, None, at)
    world.groups.put(row.key, row)


def resource(world: World, at: float, body: Any) -> None:
    """Put in one resource; subnets may come as resources of their own or inside their virtual network."""
    body = _fit(_SHOWN, body)
    rid = parse(body["id"])
    if rid is None or not (providers.known(world, rid.type)):
        raise ValueError(f"{body['id']} is no id of a type that is simulated")
    if rid.type.lower() == scale_set_extensions.TYPE:
        raise ValueError(f"{rid.text} is part of its scale set: state it there")
    if rid.group_key not in world.groups:
        raise ValueError(f"{rid.text} is in a resource group that does not exist")
    parent = world.resources.get(rid.parent.key) if rid.parent is not None else None
    if rid.parent is not None and parent is None:
        raise ValueError(f"{rid.text} has no parent: put it first")
    is_stored = rid.type.lower() not in providers.TYPES
    sent = {key: body[key] for key in body if key not in ("kind", "managedBy")}
    kept = dict(sent) if is_stored else _fit(RESOURCES[rid.type.lower()], sent)
    location = parent.location if parent is not None else location_name(_text(body, "location"))
    kept.pop("location", None)
    kept.setdefault("properties", {})
    try:
        if is_stored:
            row = Resource(rid.text, rid.type, location, stored.filled(body, location), at, "Succeeded", "")
            world.resources.put(row.key, row)
        elif rid.type.lower() == scale_sets.TYPE:
            _scale_set(world, at, rid, location, kept)
        elif rid.type.lower() == proximity.TYPE:
            row = Resource(rid.text, rid.type, location, proximity.filled(kept), at, "Succeeded", "")
            world.resources.put(row.key, row)
        elif rid.namespace == "Microsoft.Compute":
            row = Resource(rid.text, rid.type, location, reservation_writes.filled(kept), at, "Succeeded", world.guid())
            world.resources.put(row.key, row)
        elif rid.type.lower() == lustre.TYPE:
            filled = lustre.filled(kept)
            filled["addresses"] = lustre.addresses(world, rid.key, filled, _stated_address(body))
            row = Resource(rid.text, rid.type, location, filled, at, "Succeeded", "")
            world.resources.put(row.key, row)
        elif rid.type.lower() == identities.TYPE:
            ids = identities.adopted_ids(kept, world.guid())
            row = Resource(rid.text, rid.type, location, identities.filled(kept, ids), at, "Succeeded", "")
            world.resources.put(row.key, row)
        else:
            _network(world, at, rid, location, kept, body.get("properties") or {})
    except Refusal as refusal:
        raise ValueError(f"{rid.text}: {refusal.error['message']}") from refusal


def _stated_address(body: Json) -> str:
    """Return the address of a file system's management server where a body states one, as those that are read do."""
    info = (body.get("properties") or {}).get("clientInfo")
    found = info.get("mgsAddress") if isinstance(info, dict) else None
    return found if isinstance(found, str) else ""


def _network(world: World, at: float, rid: ResourceId, location: str, kept: Json, given: Json) -> None:
    stored = network.stored_body(world, rid, kept, None)
    kept_as_given = ("resourceGuid", "ipAddress", "dnsName", "peeringState", "remoteAddressSpace")
    stored["properties"] |= {key: given[key] for key in kept_as_given if key in given}
    row = Resource(rid.text, rid.type, location, stored, at, "Succeeded", f'W/"{world.guid()}"')
    if rid.type.lower() == peerings.TYPE:
        peerings.adopted(world, row)
    world.resources.put(row.key, row)
    for kind in _INLINE.get(rid.type.lower(), ()):
        for child in given.get(kind) or []:
            resource(world, at, {**child, "id": rid.child(kind, _text(child, "name")).text})


def _scale_set(world: World, at: float, rid: ResourceId, location: str, kept: Json) -> None:
    secrets = defaults.take_secrets(kept)
    body = defaults.fill(kept)
    row = ScaleSet(rid.text, rid.type, location, body, at, "Succeeded", "", unique_id=world.guid(), secrets=secrets)
    scale_set_checks.check_whole(row)
    marketplace.refresh(world, row)
    instances.add(row, instances.stated(row), at, at)
    private_addresses.take(world, row)
    instance_addresses.take(world, row)
    world.resources.put(row.key, row)


def stack(world: World, at: float, body: Any) -> None:
    body = _fit(_SHOWN_STACK, body)
    rid = parse(body["id"])
    if rid is None or rid.type.lower() != "microsoft.resources/deploymentstacks":
        raise ValueError(f"{body['id']} is no id of a deployment stack at group scope")
    properties = body.get("properties") or {}
    # A template that was refused shows what it was given, as it was: without types, and perhaps nothing at all.
    parameters = {name: each for name, each in (properties.get("parameters") or {}).items() if each is not None}
    request = {
        "actionOnUnmanage": properties.get("actionOnUnmanage", {"resources": "detach"}),
        "denySettings": properties.get("denySettings", {"mode": "none"}),
        "parameters": {name: {"value": each.get("value")} for name, each in parameters.items()},
        "template": {
            "parameters": {name: {"type": each["type"]} for name, each in parameters.items() if "type" in each},
            "resources": [],
        },
    }
    row = Stack(
        rid.text,
        rid.subscription,
        rid.group,
        rid.name,
        body.get("tags"),
        request,
        _settled(properties.get("provisioningState", "succeeded")),
        "",
        properties.get("correlationId", ""),
        at,
        at,
        managed=[each["id"] for each in properties.get("resources") or []],
        deployment=properties.get("deploymentId", ""),
        ended=at,
        error=properties.get("error"),
        outputs=properties.get("outputs") or {},
    )
    world.stacks.put(row.key, row)


def _settled(state: str) -> str:
    """Return the state of a stack that does nothing: of one that was at work when it was seen, that it succeeded."""
    return state if state.lower() in ("succeeded", "failed", "canceled") else "succeeded"


def lock(world: World, body: Any) -> None:
    scope, _, name = _text(body, "id").rpartition(f"/providers/{locks.TYPE}/")
    if not scope:
        raise ValueError(f"{body['id']} is no id of a lock")
    try:
        row = locks.made(scope, name, body)
    except Refusal as refusal:
        raise ValueError(f"{body['id']}: {refusal.error['message']}") from refusal
    world.locks.put(row.key, row)


def role_assignment(world: World, at: float, body: Any) -> None:
    scope, _, name = _text(body, "id").rpartition(f"/providers/{role_assignments.TYPE}/")
    if not scope:
        raise ValueError(f"{body['id']} is no id of a role assignment")
    by = str((body.get("properties") or {}).get("createdBy", ""))
    try:
        row = role_assignments.made(scope, name, body, at, by)
    except Refusal as refusal:
        raise ValueError(f"{body['id']}: {refusal.error['message']}") from refusal
    world.role_assignments.put(row.key, row)


def registration(world: World, name: str, state: Any) -> None:
    """Put in the state of a provider, or of a feature as `namespace/feature`."""
    if state not in registrations.STATES:
        raise ValueError(f"registrations.{name} is one of {', '.join(registrations.STATES)}")
    if name.partition("/")[0] in registrations.FREE:
        raise ValueError(f"{name} needs no registration")
    world.registrations.put(name.lower(), Registration(name, state))


def _fit(shape: Shape, body: Any) -> Any:
    """Return what is kept of a body."""
    try:
        return read(Needed(shape), body)
    except Misfit as found:
        raise ValueError(f"a body does not fit: {found}") from found


def _text(body: Any, key: str) -> str:
    if not isinstance(body, dict) or not isinstance(body.get(key), str):
        raise ValueError(f"a full body has {key}")
    return str(body[key])
