"""What is done to instances one by one or together: start, stop, reimage, upgrade, delete."""

from __future__ import annotations

from provision.simulator import allocation, errors, instances, operations
from provision.simulator.durations import INSTANCE_ACTION_S
from provision.simulator.messages import Json
from provision.simulator.operations import COMPUTE, Origin
from provision.simulator.world import Operation, ScaleSet, World

ACTIONS = frozenset({*INSTANCE_ACTION_S, "reimageall"})
_NEED_IDS = ("delete", "manualupgrade")


def act(world: World, at: float, row: ScaleSet, action: str, named: list[str] | None, origin: Origin) -> Operation:
    """Start an action on the named instances, or, with None, on all of them."""
    action = action.lower()
    numbers = _numbers(row, action, named)
    if operations.running(world, row.operation) is not None:
        raise errors.concurrent_request()
    if any("busy" in row.touched.get(str(number), {}) for number in numbers):
        raise errors.concurrent_request()
    ephemeral = "diffDiskSettings" in row.properties["virtualMachineProfile"].get("storageProfile", {}).get(
        "osDisk", {}
    )
    if action == "deallocate" and ephemeral:
        raise errors.not_allowed(
            "Operation 'deallocate' is not supported for VMs or VM Scale Set instances using an ephemeral OS disk."
        )
    outcome = _short_of_hardware(world, row, numbers) if action == "start" else None
    operation = operations.start(
        world,
        at,
        kind="instance-action",
        target=row.id,
        subscription=row.rid.subscription,
        location=row.location,
        dialect=COMPUTE,
        seconds=INSTANCE_ACTION_S["reimage" if action == "reimageall" else action],
        origin=origin,
        method="POST",
        action=f"/{action}",
        outcome=outcome,
        detail={"action": action, "instances": numbers},
    )
    for number in numbers:
        busy = "Deleting" if action == "delete" else "Updating"
        row.touched.setdefault(str(number), {})["busy"] = busy
    world.resources.put(row.key, row)
    return operation


def ended(world: World, operation: Operation, at: float) -> None:
    row = world.resources.get(operation.target.lower())
    if not isinstance(row, ScaleSet):
        return
    action, numbers = operation.detail["action"], operation.detail["instances"]
    present = [number for number in numbers if instances.number_of(row, str(number)) is not None]
    for number in present:
        row.touched.get(str(number), {}).pop("busy", None)
    if operation.outcome is None:
        _carry_out(row, action, present)
    row.touched = {key: differs for key, differs in row.touched.items() if differs}
    world.resources.put(row.key, row)


def _carry_out(row: ScaleSet, action: str, numbers: list[int]) -> None:
    if action == "delete":
        instances.remove(row, numbers)
        row.body["sku"]["capacity"] = instances.count(row)
        row.writes += 1
    elif action == "manualupgrade":
        instances.give_model(row, numbers)
    for number in numbers if action not in ("delete", "manualupgrade") else ():
        differs = row.touched.setdefault(str(number), {})
        if action in ("start", "restart", "redeploy"):
            differs.pop("power", None)
        elif action == "deallocate":
            differs["power"] = "deallocated"
        elif action == "poweroff":
            differs["power"] = "stopped"
        else:
            differs.pop("health", None)
            differs["disk"] = differs.get("disk", 1) + 1


def _numbers(row: ScaleSet, action: str, named: list[str] | None) -> list[int]:
    if named is None and action in _NEED_IDS:
        raise errors.missing_parameter("instanceIds")
    if named is None or named == ["*"]:
        return instances.live(row)
    found = []
    for text in named:
        number = instances.number_of(row, text)
        if number is None:
            message = f"The provided instanceId {text} is not an active Virtual Machine Scale Set VM instanceId."
            raise errors.bad_parameter("instanceIds", message)
        found.append(number)
    return sorted(set(found))


def _short_of_hardware(world: World, row: ScaleSet, numbers: list[int]) -> Json | None:
    """Return the error of a start for which the region has no hardware left: it was given up by deallocating."""
    wanted = sum(1 for number in numbers if row.touched.get(str(number), {}).get("power") == "deallocated")
    return allocation.granted(world, row, wanted)[1]
