"""Scale sets: what a write, a deletion and a read do. A PUT onto a set that exists merges deeply."""

from __future__ import annotations

import math
from typing import Any

from provision.simulator import (
    bodies,
    errors,
    immutables,
    instances,
    operations,
    quota,
    restrictions,
    subnets,
)
from provision.simulator import scale_set_defaults as defaults
from provision.simulator.durations import (
    EACH_NEW_NODE_S,
    INTERFACES_LINGER_S,
    MODEL_TO_INSTANCES_S,
    SCALE_IN_S,
    SCALE_OUT_S,
    SCALE_SET_CREATE_S,
    SCALE_SET_DELETE_S,
    SCALE_SET_UPDATE_S,
)
from provision.simulator.facts import limit, regions, sizes
from provision.simulator.ids import ResourceId
from provision.simulator.messages import Json
from provision.simulator.network import Written, references
from provision.simulator.operations import COMPUTE, Origin
from provision.simulator.times import iso_offset
from provision.simulator.world import Linger, Operation, ScaleSet, World, guid_of

TYPE = "microsoft.compute/virtualmachinescalesets"
OVERPROVISIONED = 0.2
"""How many extra nodes, as a share, overprovisioning makes and takes away again."""

STANDARD_SECURITY_SINCE = "2025-11-01"


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin, *, method: str = "PUT") -> Written:
    """Create a set, or lay the body onto the one that exists."""
    before = find(world, rid)
    bodies.check(rid.type, body, partial=before is not None)
    change = bodies.merged({}, body) if before is None else _copied(body)
    secrets = defaults.take_secrets(change)
    location = (
        before.location if before is not None and not body.get("location") else bodies.location_of(body, rid.type)
    )
    if before is not None and before.location != location:
        raise errors.resource_elsewhere(rid.name, before.location, rid.group, location)
    if before is not None and _busy(world, before):
        raise errors.concurrent_request()
    after = _candidate(world, rid, location, before, change, secrets, at)
    _check_model(world, rid, before, after, body, origin)
    if before is None:
        return Written(201, after, _create(world, at, after, origin))
    return Written(200, after, _update(world, at, before, after, origin, method))


def find(world: World, rid: ResourceId) -> ScaleSet | None:
    row = world.resources.get(rid.key)
    return row if isinstance(row, ScaleSet) else None


def delete(world: World, at: float, rid: ResourceId, origin: Origin) -> Operation:
    row = find(world, rid)
    assert row is not None
    operations.preempt(world, row.operation, at)
    operation = _start(world, at, row, "scale-set-delete", SCALE_SET_DELETE_S, origin, method="DELETE")
    row.operation, row.state = operation.name, "Deleting"
    world.resources.put(row.key, row)
    return operation


def put_ended(world: World, operation: Operation, at: float) -> None:
    row = _own(world, operation)
    if row is None:
        return
    detail = operation.detail
    instances.remove(row, detail["leaving"])
    for number in detail["retried"]:
        row.touched.get(str(number), {}).pop("busy", None)
    if operation.outcome is None:
        if detail["upgrades"]:
            instances.give_model(row, None)
    elif not detail["short"]:
        # The operation failed as a whole: none of the nodes that it was to bring came up.
        for number in detail["arriving"]:
            row.touched.setdefault(str(number), {})["failed"] = operation.outcome
    row.touched = {key: differs for key, differs in row.touched.items() if differs}
    row.operation, row.state = "", "Succeeded" if operation.outcome is None else "Failed"
    world.resources.put(row.key, row)


def delete_ended(world: World, operation: Operation, at: float) -> None:
    row = _own(world, operation)
    if row is None:
        return
    if operation.outcome is not None:
        row.operation, row.state = "", "Failed"
        world.resources.put(row.key, row)
        return
    linger(world, row, at)
    world.resources.remove(row.key)


def linger(world: World, row: ScaleSet, at: float) -> None:
    """Leave the interfaces of a set behind for a while: this is why a subnet cannot go right after its set."""
    numbers = instances.live(row)
    if not numbers:
        return
    operation = _start(world, at, row, "linger", INTERFACES_LINGER_S, Origin(), hidden=True)
    world.lingers.put(operation.name, Linger(row.id, numbers, instances.configurations(row)))


def linger_ended(world: World, operation: Operation, at: float) -> None:
    world.lingers.remove(operation.name)


def render(world: World, row: ScaleSet) -> Json:
    rid, properties = row.rid, dict(row.properties)
    if "virtualMachineProfile" in properties:
        made = {"timeCreated": iso_offset(row.made)}
        properties["virtualMachineProfile"] = {**properties["virtualMachineProfile"], **made}
    properties |= {
        "provisioningState": state(row),
        "uniqueId": row.unique_id,
        "timeCreated": iso_offset(row.made),
    }
    rest = {key: value for key, value in row.body.items() if key != "properties"}
    if "identity" in rest:
        rest["identity"] = _identity(row, rest["identity"])
    return {
        "name": rid.name,
        "id": row.id,
        "type": row.type,
        "location": row.location,
        **rest,
        "etag": etag(row),
        "properties": properties,
    }


def state(row: ScaleSet) -> str:
    """Return the set's state as shown: actions on its instances make it Updating, though its model stands still."""
    acting = row.state == "Succeeded" and any("busy" in differs for differs in row.touched.values())
    return "Updating" if acting else row.state


def etag(row: ScaleSet) -> str:
    return f'"{row.writes}"'


def capacity(row: ScaleSet) -> int:
    return int(row.body["sku"]["capacity"])


# --- the steps of a write ---


def _candidate(
    world: World,
    rid: ResourceId,
    location: str,
    before: ScaleSet | None,
    change: Json,
    secrets: dict[str, str],
    at: float,
) -> ScaleSet:
    """Return the set as it would be: merged, with defaults, its model numbered. The world is not touched."""
    base = {} if before is None else {key: value for key, value in before.body.items() if key != "tags"}
    tags = change.pop("tags", None)
    kept_tags = (before.body["tags"] if before is not None else {}) if tags is None else bodies.without_nulls(tags)
    writable = bodies.WRITABLE[TYPE] - {"location"}
    merged = bodies.merged(base, {key: value for key, value in change.items() if key in writable})
    body = defaults.fill({**merged, "tags": kept_tags})
    if before is None:
        name = world.guid()
        return ScaleSet(rid.text, rid.type, location, body, at, "Creating", "", unique_id=name, secrets=secrets)
    after = ScaleSet(**{**vars(before), "body": body})
    after.secrets = defaults.kept_secrets({**before.secrets, **secrets}, body)
    after.writes += 1
    if _model(after) != _model(before) or after.secrets != before.secrets:
        after.old_models = {**before.old_models, str(before.model): _shown_model(before)}
        after.model += 1
    return after


def _create(world: World, at: float, row: ScaleSet, origin: Origin) -> Operation:
    nodes = capacity(row)
    extra = math.ceil(nodes * OVERPROVISIONED) if row.properties["overprovision"] else 0
    seconds = SCALE_SET_CREATE_S + EACH_NEW_NODE_S * nodes
    room = quota.room(world, row)
    arriving = instances.add(row, nodes, at, at + seconds, extra)
    outcome = _fail_beyond(row, arriving, room)
    detail = _detail(arriving=arriving, short=outcome is not None)
    operation = _start(world, at, row, "scale-set-put", seconds, origin, outcome=outcome, detail=detail)
    row.operation = operation.name
    world.resources.put(row.key, row)
    return operation


def _update(world: World, at: float, before: ScaleSet, after: ScaleSet, origin: Origin, method: str) -> Operation:
    nodes, present = capacity(after), instances.count(before)
    upgrades = after.model != before.model and after.properties["upgradePolicy"]["mode"] != "Manual"
    seconds = MODEL_TO_INSTANCES_S if upgrades else SCALE_SET_UPDATE_S
    room = quota.room(world, after)
    retried = instances.failed(after)
    arriving: list[int] = []
    leaving: list[int] = []
    if nodes < present:
        leaving = instances.victims(after, present - nodes)
        retried = [number for number in retried if number not in leaving]
        seconds = max(seconds, SCALE_IN_S)
        for number in leaving:
            after.touched.setdefault(str(number), {})["busy"] = "Deleting"
    outcome = None
    if nodes > present or retried:
        added = max(0, nodes - present)
        seconds = max(seconds, SCALE_OUT_S + EACH_NEW_NODE_S * (added + len(retried)))
        arriving = instances.add(after, added, at, at + seconds)
        for number in retried:
            after.touched[str(number)].pop("failed")
            after.touched[str(number)] |= {"busy": "Updating", "model": after.model}
        outcome = _fail_beyond(after, [*retried, *arriving], room)
    detail = _detail(
        arriving=[*retried, *arriving],
        leaving=leaving,
        retried=retried,
        upgrades=upgrades,
        short=outcome is not None,
    )
    after.state = "Updating"
    operation = _start(
        world, at, after, "scale-set-put", seconds, origin, outcome=outcome, detail=detail, method=method
    )
    after.operation = operation.name
    instances.drop_unused_models(after)
    world.resources.put(after.key, after)
    return operation


def _fail_beyond(row: ScaleSet, numbers: list[int], room: int | None) -> Json | None:
    """Mark the nodes for which there is no hardware, and return the error that the operation ends with."""
    if room is None or room >= len(numbers):
        return None
    zones = row.body.get("zones") or []
    single = bool(row.properties["singlePlacementGroup"])
    if len(zones) == 1 and not single:
        error = errors.zonal_allocation_failed(row.body["sku"]["name"], zones[0])
    else:
        error = errors.allocation_failed(single_placement_group=single)
    for number in numbers[room:]:
        row.touched.setdefault(str(number), {})["failed"] = error
    return error


def _detail(
    *,
    arriving: list[int],
    leaving: list[int] | None = None,
    retried: list[int] | None = None,
    upgrades: bool = False,
    short: bool = False,
) -> Json:
    return {
        "arriving": arriving,
        "leaving": leaving or [],
        "retried": retried or [],
        "upgrades": upgrades,
        "short": short,
    }


def _start(
    world: World,
    at: float,
    row: ScaleSet,
    kind: str,
    seconds: float,
    origin: Origin,
    *,
    method: str = "PUT",
    outcome: Json | None = None,
    detail: Json | None = None,
    hidden: bool = False,
) -> Operation:
    return operations.start(
        world,
        at,
        kind=kind,
        target=row.id,
        subscription=row.rid.subscription,
        location=row.location,
        dialect=COMPUTE,
        seconds=seconds,
        origin=origin,
        method=method,
        outcome=outcome,
        detail=detail,
        hidden=hidden,
    )


def _own(world: World, operation: Operation) -> ScaleSet | None:
    """Return the operation's set, unless it is gone or a newer operation has taken it over."""
    row = world.resources.get(operation.target.lower())
    return row if isinstance(row, ScaleSet) and row.operation == operation.name else None


def _busy(world: World, row: ScaleSet) -> bool:
    return operations.running(world, row.operation) is not None or any(
        "busy" in differs for differs in row.touched.values()
    )


def _model(row: ScaleSet) -> Json:
    return {"sku": row.body["sku"]["name"], "profile": row.properties.get("virtualMachineProfile")}


def _shown_model(row: ScaleSet) -> Json:
    return {"sku": row.body["sku"], "virtualMachineProfile": row.properties.get("virtualMachineProfile", {})}


def _identity(row: ScaleSet, identity: Json) -> Json:
    """Return the identity with the ids that the directory gives to it."""
    shown = {key: value for key, value in identity.items() if key not in ("principalId", "tenantId")}
    if "SystemAssigned" in str(identity.get("type")):
        shown["principalId"] = guid_of(row.unique_id, "principal")
        shown["tenantId"] = guid_of("tenant")
    if "userAssignedIdentities" in shown:
        shown["userAssignedIdentities"] = {
            each: {
                "principalId": guid_of(each.lower(), "principal"),
                "clientId": guid_of(each.lower(), "client"),
            }
            for each in shown["userAssignedIdentities"]
        }
    return shown


def _copied(value: Any) -> Any:
    """Return a deep copy that keeps nulls, which take away."""
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


# --- what is refused ---


def _check_model(
    world: World, rid: ResourceId, before: ScaleSet | None, after: ScaleSet, request: Json, origin: Origin
) -> None:
    body = after.body
    if not isinstance(body["sku"].get("name"), str):
        raise errors.missing_parameter("sku.name")
    nodes = body["sku"].get("capacity")
    if not isinstance(nodes, int) or isinstance(nodes, bool) or nodes < 0:
        raise errors.bad_parameter("sku.capacity", f"The value '{nodes}' of parameter 'sku.capacity' is invalid.")
    if "virtualMachineProfile" not in after.properties:
        raise errors.missing_parameter("virtualMachineProfile")
    if before is not None:
        immutables.check(before.body, body)
        if before.properties.get("proximityPlacementGroup") != after.properties.get("proximityPlacementGroup"):
            if instances.allocated(before):
                text = "Changing property 'proximityPlacementGroup' is only allowed when all VMs of the set are deallocated."
                raise errors.not_allowed(text)
    _check_security_type(request, origin.version)
    _check_size(world, before, after)
    _check_zones(after)
    _check_count(world, rid, before, after)
    _check_network(world, rid, after)


def _check_security_type(request: Json, version: str) -> None:
    if bodies.at_path(request, "properties.virtualMachineProfile.securityProfile.securityType") == "Standard":
        if version and version < STANDARD_SECURITY_SINCE:
            path = "securityProfile.securityType"
            text = f"The value 'Standard' is not available for property '{path}' until you register for the feature 'UseStandardSecurityType'."
            raise errors.bad_parameter(path, text)


def _check_size(world: World, before: ScaleSet | None, after: ScaleSet) -> None:
    name = str(after.body["sku"]["name"])
    if before is not None and before.body["sku"]["name"].lower() == name.lower():
        return
    size = sizes().get(name.lower())
    offered = sorted(each.name for each in sizes().values() if after.location in each.regions)
    if size is None or after.location not in size.regions:
        text = (
            f"The requested VM size {name} is not available in the current region. The sizes available in the current "
            f"region are: {','.join(offered)}. Find out more on the available VM sizes in each region at "
            "https://aka.ms/azure-regions."
        )
        raise errors.bad_parameter("vmSize", text)
    if restrictions.refuses(world, after.location, size.name, after.body.get("zones") or []):
        raise errors.size_not_available(size.name, after.location)


def _check_zones(after: ScaleSet) -> None:
    for zone in after.body.get("zones") or []:
        if zone not in regions()[after.location].zones:
            text = f"Zone '{zone}' is not available in location '{after.location}'."
            raise errors.service(400, "InvalidAvailabilityZone", text, target="zones")


def _check_count(world: World, rid: ResourceId, before: ScaleSet | None, after: ScaleSet) -> None:
    nodes = capacity(after)
    single = after.properties["singlePlacementGroup"]
    most = quota.placement_group_limit(world, after.location) if single else limit("scale_set_nodes")
    held = 0 if before is None else instances.count(before)
    if nodes > most and nodes > held:
        raise errors.too_many_instances(rid.name, most)
    retried = 0 if before is None else len(instances.failed(before))
    quota.refuse_excess(world, after, nodes - held + retried)


def _check_network(world: World, rid: ResourceId, after: ScaleSet) -> None:
    for target in sorted(references(after.properties.get("virtualMachineProfile", {}).get("networkProfile", {}))):
        found = world.resources.get(target.lower())
        if found is None or found.location != after.location:
            raise errors.bad_reference(target, rid.text)
    nodes = capacity(after)
    if after.properties["overprovision"] and not instances.count(after):
        nodes += math.ceil(nodes * OVERPROVISIONED)
    wanted: dict[str, int] = {}
    for _, _, subnet in instances.configurations(after):
        wanted[subnet] = wanted.get(subnet, 0) + nodes
    for subnet, number in wanted.items():
        subnets.refuse_full(world, world.resources[subnet], number, without=after.key)
