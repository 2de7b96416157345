"""Whole resources put into the world as they are: settled, and without asking whether Azure would have taken them."""

from __future__ import annotations

from typing import Any

from provision.simulator import instances, providers
from provision.simulator import scale_set_defaults as defaults
from provision.simulator.facts import location_name
from provision.simulator.ids import parse
from provision.simulator.messages import Json
from provision.simulator.world import Group, Resource, ScaleSet, Stack, World

_OUTSIDE = frozenset({"id", "name", "type", "etag", "location"})
_COMPUTED = frozenset(
    {
        "provisioningState",
        "uniqueId",
        "timeCreated",
        "subnets",
        "virtualNetworkPeerings",
        "ipConfigurations",
        "defaultSecurityRules",
    }
)


def group(world: World, at: float, body: Any) -> None:
    name, resource_id = _text(body, "name"), _text(body, "id")
    parts = resource_id.split("/")
    if len(parts) != 5:
        raise ValueError(f"{resource_id} is no id of a resource group")
    row = Group(resource_id, name, parts[2], location_name(_text(body, "location")), body.get("tags") or {}, None, at)
    world.groups.put(row.key, row)


def resource(world: World, at: float, body: Any) -> None:
    """Put in one resource; subnets may come as resources of their own or inside their virtual network."""
    rid = parse(_text(body, "id"))
    if rid is None or not providers.known(rid.type):
        raise ValueError(f"{body['id']} is no id of a type that is simulated")
    if rid.group_key not in world.groups:
        raise ValueError(f"{rid.text} is in a resource group that does not exist")
    parent = world.resources.get(rid.parent.key) if rid.parent is not None else None
    if rid.parent is not None and parent is None:
        raise ValueError(f"{rid.text} has no parent: put it first")
    location = parent.location if parent is not None else location_name(_text(body, "location"))
    properties = body.get("properties") or {}
    kept = {key: value for key, value in properties.items() if key not in _COMPUTED}
    stored = {**{key: value for key, value in body.items() if key not in _OUTSIDE}, "properties": kept}
    if parent is None:
        stored.setdefault("tags", {})
    if rid.namespace == "Microsoft.Compute":
        _scale_set(world, at, rid.text, rid.type, location, stored)
        return
    kept.setdefault("resourceGuid", world.guid())
    if rid.parent is not None:
        kept.pop("resourceGuid")
    row = Resource(rid.text, rid.type, location, stored, at, "Succeeded", f'W/"{world.guid()}"')
    world.resources.put(row.key, row)
    for kind in ("subnets", "virtualNetworkPeerings"):
        for child in properties.get(kind) or [] if rid.types == ("virtualNetworks",) else ():
            resource(world, at, {**child, "id": rid.child(kind, child["name"]).text})


def _scale_set(world: World, at: float, resource_id: str, type_: str, location: str, stored: Json) -> None:
    secrets = defaults.take_secrets(stored)
    body = defaults.fill(stored)
    row = ScaleSet(resource_id, type_, location, body, at, "Succeeded", "", unique_id=world.guid(), secrets=secrets)
    instances.add(row, int(body["sku"].get("capacity", 0)), at, at)
    world.resources.put(row.key, row)


def stack(world: World, at: float, body: Any) -> None:
    rid = parse(_text(body, "id"))
    if rid is None or rid.type.lower() != "microsoft.resources/deploymentstacks":
        raise ValueError(f"{body['id']} is no id of a deployment stack at group scope")
    properties = body.get("properties") or {}
    parameters = properties.get("parameters") or {}
    request = {
        "actionOnUnmanage": properties.get("actionOnUnmanage", {"resources": "detach"}),
        "denySettings": properties.get("denySettings", {"mode": "none"}),
        "parameters": {name: {"value": each.get("value")} for name, each in parameters.items()},
        "template": {
            "parameters": {name: {"type": each["type"]} for name, each in parameters.items()},
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
        properties.get("provisioningState", "succeeded"),
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


def _text(body: Any, key: str) -> str:
    if not isinstance(body, dict) or not isinstance(body.get(key), str):
        raise ValueError(f"a full body has {key}")
    return str(body[key])
