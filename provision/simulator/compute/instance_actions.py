"""What is done to instances one by one or together: start, stop, reimage, upgrade, delete."""

from __future__ import annotations

from provision.simulator.compute import action_rules, allocation, capacity, marketplace, protection
from provision.simulator.refusals import errors
from provision.simulator.state import instances, operations
from provision.simulator.state.durations import INSTANCE_ACTION_S
from provision.simulator.state.operations import COMPUTE, Origin
from provision.simulator.state.world import Operation, ScaleSet, World
from provision.simulator.wire.messages import Json

ACTIONS = frozenset({*INSTANCE_ACTION_S, "reimageall"}) - {"update"}
"""What a POST can ask for; `update` is a PUT of an instance."""
_TRY_AGAIN = ("start", "restart", "redeploy", "reimage", "reimageall")
"""What a node whose system or extension did not come up may come up after."""


def act(
    world: World,
    at: float,
    row: ScaleSet,
    action: str,
    named: list[str] | None,
    origin: Origin,
    *,
    alone: bool = False,
    method: str = "POST",
    detail: Json | None = None,
) -> Operation:
    """Start an action on the named instances, or, with None, on all of them.

    `alone`: it was asked of one instance, not of its set. `detail`: what else it has to know at its end.
    """
    action = action.lower()
    numbers = action_rules.chosen(row, action, named, alone=alone)
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
    short = allocation.start(world, at, row, numbers) if action == "start" else {}
    operation = operations.start(
        world,
        at,
        row,
        kind="instance-action",
        dialect=COMPUTE,
        seconds=INSTANCE_ACTION_S["reimage" if action == "reimageall" else action],
        origin=origin,
        method=method,
        action=f"/{action}",
        outcome=allocation.told(short),
        detail={
            **(detail or {}),
            "action": action,
            "instances": numbers,
            "short": {str(key): error for key, error in short.items()},
        },
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
        for passing in ("busy", "starts"):
            row.touched.get(str(number), {}).pop(passing, None)
    short = operation.detail["short"]
    if operation.outcome is None or short:
        _carry_out(world, row, action, [number for number in present if str(number) not in short], operation.detail)
    for number in present:
        if str(number) in short:
            row.touched.setdefault(str(number), {})["failed"] = short[str(number)]
    row.touched = {key: differs for key, differs in row.touched.items() if differs}
    world.resources.put(row.key, row)


def _carry_out(world: World, row: ScaleSet, action: str, numbers: list[int], detail: Json) -> None:
    marketplace.refresh(world, row)
    if action in ("delete", "deallocate"):
        capacity.given_up(world, row, numbers)
    if action == "delete":
        instances.remove(row, numbers)
        row.body["sku"]["capacity"] = instances.count(row)
        row.writes += 1
    elif action == "manualupgrade":
        instances.give_model(row, numbers)
    elif action == "update":
        for number in numbers:
            protection.put(row, number, detail["protection"])
    holding = set(instances.holding(row))
    for number in numbers if action not in ("delete", "manualupgrade", "update", "reapply") else ():
        differs = row.touched.setdefault(str(number), {})
        if action in _TRY_AGAIN and (action == "start" or number in holding):
            for over in ("failed", "until"):
                differs.pop(over, None)
        if action in ("start", "restart", "redeploy"):
            differs.pop("power", None)
        elif action == "deallocate":
            differs["power"] = "deallocated"
        elif action == "poweroff":
            differs["power"] = "stopped"
        else:
            differs.pop("health", None)
            differs["disk"] = differs.get("disk", 1) + 1
            differs["image"] = row.image
            if action == "reimageall":
                differs["data"] = differs.get("data", 1) + 1
