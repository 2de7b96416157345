"""Rolling upgrades: instances brought to the model or to the newest image batch by batch, as the policy has it.

An upgrade is part of an operation, which lasts as long: of the write that changed the model, or of an action that
asked for one. What it has come to is kept with its set, also when it is over.
"""

from __future__ import annotations

from provision.simulator.compute import marketplace, node_failures, protection
from provision.simulator.refusals import compute_errors as refused
from provision.simulator.refusals.errors import concurrent_request, preempted
from provision.simulator.state import instances, operations
from provision.simulator.state.durations import ROLLING_BATCH_S, ROLLING_CANCEL_S, ROLLING_START_S
from provision.simulator.state.operations import COMPUTE, Origin
from provision.simulator.state.world import Operation, ScaleSet, World
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import seconds_in

FORWARD, CANCELLED, COMPLETED, FAULTED = "RollingForward", "Cancelled", "Completed", "Faulted"
MODEL, IMAGE, EXTENSIONS = "model", "image", "extensions"
"""What an upgrade brings."""

POLICY: Json = {
    "maxBatchInstancePercent": 20,
    "maxUnhealthyInstancePercent": 20,
    "maxUnhealthyUpgradedInstancePercent": 20,
    "pauseTimeBetweenBatches": "PT0S",
    "prioritizeUnhealthyInstances": False,
    "rollbackFailedInstancesOnPolicyBreach": False,
    "maxSurge": False,
}


def policy_of(row: ScaleSet) -> Json:
    return {**POLICY, **row.properties["upgradePolicy"].get("rollingUpgradePolicy", {})}


def behind(row: ScaleSet) -> list[int]:
    """Return the instances that a change of the model is to reach by itself, lowest first."""
    return [number for number in _reachable(row) if instances.model_of(row, number) != row.model]


# --- what a client asks for ---


def start(world: World, at: float, row: ScaleSet, brings: str, origin: Origin) -> Operation:
    """Start an upgrade to the newest version of the image, or of the extensions, whatever the upgrade mode."""
    profile = row.properties["virtualMachineProfile"]
    if brings == IMAGE and not profile.get("storageProfile", {}).get("imageReference", {}).get("publisher"):
        raise refused.no_platform_image_to_roll()
    if operations.running(world, row.operation) is not None:
        raise concurrent_request()
    operation = operations.start(
        world,
        at,
        row,
        kind="rolling-upgrade",
        dialect=COMPUTE,
        seconds=ROLLING_START_S,
        origin=origin,
        method="POST",
        action="/osRollingUpgrade" if brings == IMAGE else "/extensionRollingUpgrade",
        detail={"brings": brings},
    )
    row.operation, row.state = operation.name, "Updating"
    world.resources.put(row.key, row)
    return operation


def cancel(world: World, at: float, row: ScaleSet, origin: Origin) -> Operation:
    """Stop an upgrade: the batch at work is the last one."""
    running = operations.running(world, row.rolling.get("operation", ""))
    if running is None or row.rolling["code"] != FORWARD:
        raise refused.no_upgrade_to_cancel()
    row.rolling |= {"action": "Cancel", "acted": at}
    ends = at if not row.rolling["current"] else (running.due or at)
    if not row.rolling["current"]:
        world.schedule(running, at)
    world.resources.put(row.key, row)
    return operations.start(
        world,
        at,
        row,
        kind="rolling-cancel",
        dialect=COMPUTE,
        seconds=ends - at + ROLLING_CANCEL_S,
        origin=origin,
        method="POST",
        action="/rollingUpgrades/cancel",
    )


# --- how one goes ---


def due(world: World, operation: Operation, at: float) -> bool:
    """Take the next step of an upgrade that a client asked for; return whether the operation is over."""
    row = world.resources.get(operation.target.lower())
    if not isinstance(row, ScaleSet) or row.operation != operation.name:
        return True
    if operation.outcome is None and not go_on(world, at, row, operation, operation.detail["brings"]):
        return False
    row.operation = ""
    row.state = "Succeeded" if operation.outcome is None or was_cancelled(row, operation) else "Failed"
    world.resources.put(row.key, row)
    return True


def go_on(world: World, at: float, row: ScaleSet, operation: Operation, brings: str) -> bool:
    """Begin an upgrade, or take its next step; return whether it is over, with the operation's outcome set."""
    if row.rolling.get("operation") != operation.name:
        _begin(world, at, row, operation, brings)
    elif row.rolling["current"]:
        _end_batch(world, at, row, operation)
    rolling = row.rolling
    if rolling["code"] == FORWARD and rolling["action"] == "Cancel":
        rolling["code"], operation.outcome = CANCELLED, preempted()
    elif rolling["code"] == FORWARD and not rolling["waiting"]:
        rolling["code"] = COMPLETED
    world.resources.put(row.key, row)
    if rolling["code"] == FORWARD:
        _wait_or_take(world, at, row, operation)
        return False
    rolling["ended"] = at
    if brings == IMAGE:
        row.image_upgrades = [*row.image_upgrades, dict(rolling)]
    return True


def was_cancelled(row: ScaleSet, operation: Operation) -> bool:
    """Return whether an operation ended because its upgrade was cancelled: then the set is as good as before."""
    return row.rolling.get("operation") == operation.name and row.rolling["code"] == CANCELLED


def _begin(world: World, at: float, row: ScaleSet, operation: Operation, brings: str) -> None:
    marketplace.refresh(world, row)
    waiting = {MODEL: behind, IMAGE: _with_old_image, EXTENSIONS: _reachable}[brings](row)
    policy = policy_of(row)
    if policy["prioritizeUnhealthyInstances"]:
        waiting.sort(key=lambda number: (not _is_sick(row, number), number))
    row.rolling = {
        "operation": operation.name,
        "brings": brings,
        "code": FORWARD,
        "action": "Start",
        "acted": at,
        "started": at,
        "policy": policy,
        "image": row.image,
        "waiting": waiting,
        "current": [],
        "done": [],
        "failed": [],
        "rested": True,
        "error": None,
    }
    _fault(
        row,
        operation,
        "MaxUnhealthyInstancePercentExceededBeforeRollingUpgrade",
        _sick_of(row, _running(row)),
        len(_running(row)),
        "maxUnhealthyInstancePercent",
    )


def _wait_or_take(world: World, at: float, row: ScaleSet, operation: Operation) -> None:
    """Rest between batches, where the policy wants that, or start the next one."""
    rolling = row.rolling
    pause = seconds_in(rolling["policy"]["pauseTimeBetweenBatches"]) or 0.0
    if not rolling["rested"] and pause:
        rolling["rested"] = True
        world.schedule(operation, at + pause)
        return
    batch = _next_batch(row)
    rolling["waiting"] = [number for number in rolling["waiting"] if number not in batch]
    rolling["current"], rolling["rested"] = batch, False
    for number in batch:
        row.touched.setdefault(str(number), {})["busy"] = "Updating"
    operations.go_on(world, operation, at, ROLLING_BATCH_S)


def _next_batch(row: ScaleSet) -> list[int]:
    """Return the next instances: so many percent of them all, at least one, of one zone unless zones may be crossed."""
    rolling = row.rolling
    waiting = [number for number in rolling["waiting"] if instances.number_of(row, str(number)) is not None]
    size = max(1, instances.count(row) * int(rolling["policy"]["maxBatchInstancePercent"]) // 100)
    if not rolling["policy"].get("enableCrossZoneUpgrade"):
        zone = instances.zone_of(row, waiting[0])
        waiting = [number for number in waiting if instances.zone_of(row, number) == zone]
    return waiting[:size]


def _end_batch(world: World, at: float, row: ScaleSet, operation: Operation) -> None:
    """Note what became of a batch, and whether the policy stands it."""
    rolling = row.rolling
    batch = [number for number in rolling["current"] if instances.number_of(row, str(number)) is not None]
    method = "PUT" if rolling["brings"] == MODEL else "POST"
    for number, failure in node_failures.drawn(world, row, batch, method).items():
        row.touched[str(number)]["failed"] = failure.error
    sick = _sick_of(row, batch)
    rolling["current"], rolling["done"] = [], [*rolling["done"], *batch]
    rolling["failed"] = [*rolling["failed"], *sick]
    for number in batch:
        row.touched[str(number)].pop("busy", None)
    broken = _fault(
        row,
        operation,
        "MaxUnhealthyUpgradedInstancePercentExceededInRollingUpgrade",
        _sick_of(row, rolling["done"]),
        len(rolling["done"]),
        "maxUnhealthyUpgradedInstancePercent",
    )
    broken = broken or _fault(
        row,
        operation,
        "MaxUnhealthyInstancePercentExceededInRollingUpgrade",
        _sick_of(row, _running(row)),
        len(_running(row)),
        "maxUnhealthyInstancePercent",
    )
    back = sick if broken and rolling["policy"]["rollbackFailedInstancesOnPolicyBreach"] else []
    _bring(row, [number for number in batch if number not in back])


def _bring(row: ScaleSet, numbers: list[int]) -> None:
    if row.rolling["brings"] == IMAGE:
        for number in numbers:
            differs = row.touched.setdefault(str(number), {})
            differs |= {"image": row.image, "disk": differs.get("disk", 1) + 1}
    elif row.rolling["brings"] == MODEL:
        instances.give_model(row, numbers)
    row.touched = {key: differs for key, differs in row.touched.items() if differs}


def _fault(row: ScaleSet, operation: Operation, code: str, sick: list[int], total: int, limit: str) -> bool:
    """End an upgrade of which more instances are sick than its policy allows; return whether it did."""
    allowed = int(row.rolling["policy"][limit])
    if not total or len(sick) * 100 <= allowed * total:
        return False
    known = [row.touched[str(number)]["failed"]["message"] for number in sick if "failed" in row.touched[str(number)]]
    error = refused.upgrade_faulted(code, len(sick) * 100 // total, allowed, known[0] if known else "")
    row.rolling |= {"code": FAULTED, "error": error}
    operation.outcome = error
    return True


def _reachable(row: ScaleSet) -> list[int]:
    """Return the instances that hold hardware or once did, and are not protected from what is done to the set."""
    nowhere = set(instances.unallocated(row))
    return [
        number
        for number in instances.live(row)
        if number not in nowhere and not protection.keeps(row, number, protection.ACTIONS)
    ]


def _with_old_image(row: ScaleSet) -> list[int]:
    stated = str(row.properties["virtualMachineProfile"]["storageProfile"]["imageReference"].get("version", "latest"))
    return [number for number in _reachable(row) if instances.image_of(row, number, stated) != row.image]


def _running(row: ScaleSet) -> list[int]:
    """Return the instances whose health counts: all but the deallocated ones."""
    off = {int(key) for key, differs in row.touched.items() if differs.get("power") == "deallocated"}
    return [number for number in instances.live(row) if number not in off]


def _sick_of(row: ScaleSet, numbers: list[int]) -> list[int]:
    return [number for number in numbers if _is_sick(row, number)]


def _is_sick(row: ScaleSet, number: int) -> bool:
    """Return whether an instance is unhealthy; one that does not know its health, or is stopped, counts as such."""
    differs = row.touched.get(str(number), {})
    return differs.get("health", "healthy") != "healthy" or "failed" in differs or differs.get("power") == "stopped"
