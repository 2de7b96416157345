"""Scale sets: what a write, a deletion and a read do. A PUT onto a set that exists merges deeply."""

from __future__ import annotations

from provision.simulator.access import identities
from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.compute import capacity, marketplace, scale_set_checks, scale_set_machines
from provision.simulator.compute import scale_set_defaults as defaults
from provision.simulator.compute import scale_set_steps as steps
from provision.simulator.network.network import Written
from provision.simulator.refusals import errors
from provision.simulator.state import instances, operations
from provision.simulator.state.durations import INTERFACES_LINGER_S, SCALE_SET_DELETE_S
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.operations import Origin
from provision.simulator.state.world import Linger, Operation, ScaleSet, World, guid_of
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import iso_offset

TYPE = "microsoft.compute/virtualmachinescalesets"


def put(world: World, at: float, rid: ResourceId, body: Json, origin: Origin, *, method: str = "PUT") -> Written:
    """Create a set, or lay the body onto the one that exists."""
    before = find(world, rid)
    # Onto a set that exists a body is laid, so that nulls mean something and what is needed may be left out.
    onto = before is not None
    change = bodies.read(rid.type, body, origin.text, How(origin.version, partial=onto, nulls=onto))
    scale_set_machines.check_sent(change)
    secrets = defaults.take_secrets(change)
    location = (
        before.location if before is not None and not change.get("location") else bodies.location_of(change, rid.type)
    )
    if before is not None and before.location != location:
        raise errors.resource_elsewhere(rid.name, before.location, rid.group, location)
    if before is not None and steps.busy(world, before):
        raise errors.concurrent_request()
    after = _candidate(world, rid, location, before, change, secrets, at)
    scale_set_checks.check(world, rid, before, after, change, origin)
    marketplace.refresh(world, after)
    if before is None:
        return Written(201, after, steps.create(world, at, after, origin))
    return Written(200, after, steps.update(world, at, before, after, origin, method))


def find(world: World, rid: ResourceId) -> ScaleSet | None:
    row = world.resources.get(rid.key)
    return row if isinstance(row, ScaleSet) else None


def delete(world: World, at: float, rid: ResourceId, origin: Origin) -> Operation:
    row = find(world, rid)
    assert row is not None
    operations.preempt(world, row.operation, at)
    operation = steps.start(world, at, row, "scale-set-delete", SCALE_SET_DELETE_S, origin, method="DELETE")
    row.operation, row.state = operation.name, "Deleting"
    world.resources.put(row.key, row)
    return operation


def delete_ended(world: World, operation: Operation, at: float) -> None:
    row = steps.own(world, operation)
    if row is None:
        return
    if operation.outcome is not None:
        row.operation, row.state = "", "Failed"
        world.resources.put(row.key, row)
        return
    leave_behind(world, row, at)
    world.resources.remove(row.key)


def leave_behind(world: World, row: ScaleSet, at: float) -> None:
    """Let go of a set's hardware, and leave its interfaces behind for a while.

    They are why a subnet cannot go right after its set.
    """
    numbers = instances.live(row)
    capacity.given_up(world, row, numbers)
    if not numbers:
        return
    operation = steps.start(world, at, row, "linger", INTERFACES_LINGER_S, Origin(), hidden=True)
    world.lingers.put(operation.name, Linger(row.id, numbers, instances.configurations(row), row.addresses))


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
        rest["identity"] = _identity(world, row, rest["identity"])
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
    change = identities.with_held_names(change, before)
    merged = bodies.merged(base, {key: value for key, value in change.items() if key != "location"})
    if (merged.get("identity") or {}).get("type") == "None":
        merged["identity"] = {"type": "None"}  # which gives up all that there were, named or not
    body = defaults.fill({**merged, "tags": kept_tags})
    if before is None:
        row = ScaleSet(rid.text, rid.type, location, body, at, "Creating", "", secrets=secrets)
        scale_set_checks.check_whole(row)
        row.unique_id = world.guid()
        return row
    after = ScaleSet(**{**vars(before), "body": body})
    scale_set_checks.check_whole(after)
    after.secrets = defaults.kept_secrets({**before.secrets, **secrets}, body)
    after.writes += 1
    if before.properties["singlePlacementGroup"] and not after.properties["singlePlacementGroup"]:
        after.one_group_below = before.next_instance
    if _model(after) != _model(before) or after.secrets != before.secrets:
        after.old_models = {**before.old_models, str(before.model): _shown_model(before)}
        after.model += 1
    return after


def _model(row: ScaleSet) -> Json:
    return {"sku": row.body["sku"]["name"], "profile": row.properties.get("virtualMachineProfile")}


def _shown_model(row: ScaleSet) -> Json:
    return {"sku": row.body["sku"], "virtualMachineProfile": row.properties.get("virtualMachineProfile", {})}


def _identity(world: World, row: ScaleSet, identity: Json) -> Json:
    """Return the identity with the ids that the directory gives to it."""
    given = {key: value for key, value in identity.items() if key not in ("principalId", "tenantId")}
    shown = identities.shown(world, given)
    if "SystemAssigned" in str(identity.get("type")):
        shown["principalId"] = guid_of(row.unique_id, "principal")
        shown["tenantId"] = guid_of("tenant")
    return shown
