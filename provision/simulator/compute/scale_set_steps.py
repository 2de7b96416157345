"""How a write of a scale set is carried out: nodes come and go at once, the model reaches them as the policy has it."""

from __future__ import annotations

from provision.simulator.compute import allocation, capacity, rolling_upgrades, scale_in
from provision.simulator.network import instance_addresses, private_addresses
from provision.simulator.state import instances, operations
from provision.simulator.state.durations import (
    EACH_NEW_NODE_S,
    MODEL_TO_INSTANCES_S,
    SCALE_IN_S,
    SCALE_OUT_S,
    SCALE_SET_CREATE_S,
    SCALE_SET_UPDATE_S,
)
from provision.simulator.state.operations import COMPUTE, Origin
from provision.simulator.state.world import Operation, ScaleSet, World
from provision.simulator.wire.messages import Json


def create(world: World, at: float, row: ScaleSet, origin: Origin) -> Operation:
    nodes = instances.stated(row)
    arrival = allocation.bring(world, at, row, nodes, [], SCALE_SET_CREATE_S + EACH_NEW_NODE_S * nodes)
    detail = _detail(arriving=arrival.numbers, short=arrival.error is not None)
    seconds = arrival.ends - at
    operation = start(world, at, row, "scale-set-put", seconds, origin, outcome=arrival.error, detail=detail)
    _slow_down(row, arrival.numbers, at, operation)
    row.operation = operation.name
    world.resources.put(row.key, row)
    return operation


def update(world: World, at: float, before: ScaleSet, after: ScaleSet, origin: Origin, method: str) -> Operation:
    """Start to make a set what it is to be. Instances with an old model are upgraded, unless the mode is Manual.

    So it goes also where the write changes nothing: that is how a stopped upgrade is started again.
    """
    nodes, present = instances.stated(after), instances.count(before)
    mode = after.properties["upgradePolicy"]["mode"]
    upgraded = rolling_upgrades.behind(after) if mode == "Automatic" else []
    ends = at + (MODEL_TO_INSTANCES_S if upgraded else SCALE_SET_UPDATE_S)
    if capacity.size_of(before).lower() != capacity.size_of(after).lower():
        capacity.resize(world, after)
    # A node that could not be started again stays deallocated: only a start is another try.
    retried = [number for number in instances.failed(after) if after.touched[str(number)].get("power") is None]
    leaving: list[int] = []
    if nodes < present:
        leaving = scale_in.victims(after, present - nodes)
        retried = [number for number in retried if number not in leaving]
        ends = max(ends, at + SCALE_IN_S)
        for number in leaving:
            after.touched.setdefault(str(number), {})["busy"] = "Deleting"
    after.state = "Updating"
    arrival = allocation.Arrival([], ends, None)
    if nodes > present or retried:
        added = max(0, nodes - present)
        seconds = max(ends - at, SCALE_OUT_S + EACH_NEW_NODE_S * (added + len(retried)))
        arrival = allocation.bring(world, at, after, added, retried, seconds, method=method)
        for number in retried:
            after.touched.setdefault(str(number), {}).update(busy="Updating", model=after.model)
    else:
        # The nodes that stay may have got another subnet, or public addresses.
        private_addresses.take(world, after)
        instance_addresses.take(world, after)
    upgraded = [number for number in upgraded if number not in (*leaving, *retried)]
    for number in upgraded:
        after.touched.setdefault(str(number), {})["busy"] = "Updating"
    detail = _detail(
        arriving=arrival.numbers,
        leaving=leaving,
        retried=retried,
        upgraded=upgraded,
        rolls=mode == "Rolling",
        short=arrival.error is not None,
    )
    operation = start(
        world,
        at,
        after,
        "scale-set-put",
        arrival.ends - at,
        origin,
        outcome=arrival.error,
        detail=detail,
        method=method,
    )
    _slow_down(after, arrival.numbers, at, operation)
    after.operation = operation.name
    instances.drop_unused_models(after)
    world.resources.put(after.key, after)
    return operation


def due(world: World, operation: Operation, at: float) -> bool:
    """Take the next step of a write: first what it did itself, then an upgrade in batches, where one is needed."""
    row = own(world, operation)
    if row is None:
        return True
    if not operation.detail.get("arrived"):
        operation.detail["arrived"] = True
        _arrive(world, row, operation)
    rolls = operation.detail["rolls"] and operation.outcome is None
    rolls = rolls and (row.rolling.get("operation") == operation.name or bool(rolling_upgrades.behind(row)))
    if rolls and not rolling_upgrades.go_on(world, at, row, operation, rolling_upgrades.MODEL):
        return False
    row.operation = ""
    row.state = "Succeeded" if operation.outcome is None or rolling_upgrades.was_cancelled(row, operation) else "Failed"
    world.resources.put(row.key, row)
    return True


def _arrive(world: World, row: ScaleSet, operation: Operation) -> None:
    detail = operation.detail
    failed = operation.outcome is not None and not detail["short"]
    if not failed:
        capacity.given_up(world, row, detail["leaving"])
        instances.remove(row, detail["leaving"])
    for number in (*detail["retried"], *detail["upgraded"], *detail["leaving"]):
        row.touched.get(str(number), {}).pop("busy", None)
    if operation.outcome is None:
        instances.give_model(row, _present(row, detail["upgraded"]))
    elif failed:
        # The operation failed as a whole: none of the nodes that it was to bring came up, and none of those went that
        # it was to take. The next write tries again.
        for number in _present(row, detail["arriving"]):
            row.touched.setdefault(str(number), {})["failed"] = operation.outcome
    row.touched = {key: differs for key, differs in row.touched.items() if differs}


def _slow_down(row: ScaleSet, numbers: list[int], at: float, operation: Operation) -> None:
    """Let the nodes of an operation that a fault makes slower come up as late as it ends."""
    if operations.slowness(operation) != 1:
        instances.delay(row, numbers, at, operations.slowness(operation))


def _present(row: ScaleSet, numbers: list[int]) -> list[int]:
    return [number for number in numbers if instances.number_of(row, str(number)) is not None]


def _detail(
    *,
    arriving: list[int],
    leaving: list[int] | None = None,
    retried: list[int] | None = None,
    upgraded: list[int] | None = None,
    rolls: bool = False,
    short: bool = False,
) -> Json:
    return {
        "arriving": arriving,
        "leaving": leaving or [],
        "retried": retried or [],
        "upgraded": upgraded or [],
        "rolls": rolls,
        "short": short,
    }


def start(
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
        row,
        kind=kind,
        dialect=COMPUTE,
        seconds=seconds,
        origin=origin,
        method=method,
        outcome=outcome,
        detail=detail,
        hidden=hidden,
    )


def own(world: World, operation: Operation) -> ScaleSet | None:
    """Return the operation's set, unless it is gone or a newer operation has taken it over."""
    row = operations.own(world, operation)
    return row if isinstance(row, ScaleSet) else None


def busy(world: World, row: ScaleSet) -> bool:
    return operations.running(world, row.operation) is not None or any(
        "busy" in differs for differs in row.touched.values()
    )
