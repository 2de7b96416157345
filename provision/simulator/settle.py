"""The passing of time: what is due happens, in order, each at its own moment, however late anybody looks."""

from __future__ import annotations

import heapq
from collections.abc import Callable

from provision.simulator.access import registrations
from provision.simulator.compute import (
    commands,
    eviction,
    instance_actions,
    managed_commands,
    rolling_upgrades,
    scale_set_steps,
    scale_sets,
    services,
)
from provision.simulator.deployments import deployment_history, deployments, removal, stacks
from provision.simulator.network import network
from provision.simulator.resources import group_deletion
from provision.simulator.state import operations
from provision.simulator.state.world import Operation, World
from provision.simulator.storage import stored

Effect = Callable[[World, Operation, float], None]
Move = Callable[[World, Operation, float], bool]

EFFECTS: dict[str, Effect] = {
    "network-put": network.put_ended,
    "network-delete": network.delete_ended,
    "lustre-put": stored.put_ended,
    "lustre-delete": stored.delete_ended,
    "stored-put": stored.put_ended,
    "stored-delete": stored.delete_ended,
    "scale-set-delete": scale_sets.delete_ended,
    "linger": scale_sets.linger_ended,
    "reservation-put": stored.put_ended,
    "reservation-delete": stored.delete_ended,
    "instance-action": instance_actions.ended,
    "rolling-cancel": lambda world, operation, at: None,  # it says when the last batch is over, and does nothing else
    "service-state": services.ended,
    "run-command": commands.ended,
    "managed-command": managed_commands.ended,
    "eviction": eviction.ended,
    "group-delete": group_deletion.ended,
    "deployment-delete": deployments.delete_ended,
    "history": deployment_history.trim_ended,
    "registration": registrations.change_ended,
    # The results of these were decided when they were asked for.
    "stack-validate": lambda world, operation, at: None,
    "what-if": lambda world, operation, at: None,
}
"""What happens when an operation of a kind ends."""

MOVES: dict[str, Move] = {
    "scale-set-put": scale_set_steps.due,
    "rolling-upgrade": rolling_upgrades.due,
    "deployment": deployments.due,
    "removal": removal.due,
    "stack-put": stacks.put_due,
    "stack-delete": stacks.delete_due,
}
"""Operations in several moves: each says whether it was the last."""

_WAITERS: dict[tuple[str, str], Effect] = {
    ("deployment", ""): deployments.step_ended,
    ("complete", ""): deployments.removal_ended,
    ("stack", "deployment"): stacks.deployment_ended,
    ("stack", "removal"): stacks.removal_ended,
}
"""Who is told of an end: by the first word of the waiter, and for stacks by what ended."""


def settle(world: World, now: float) -> None:
    """Let everything happen that is due by `now`. Costs what is due, not what exists."""
    world.now = now
    while world.agenda and world.agenda[0][0] <= now:
        due, _, name = heapq.heappop(world.agenda)
        operation = world.operations.get(name)
        # An entry may be stale: the operation was rescheduled, or ended otherwise.
        if operation is None or operation.detail.get("endless"):
            continue
        if operation.status == "InProgress" and operation.due == due:
            world.moment = due
            _move(world, operation, due)
        elif operation.ended is not None and operations.forgotten(world, operation):
            world.operations.remove(name)
    world.moment = now


def _move(world: World, operation: Operation, at: float) -> None:
    if operation.kind in MOVES:
        # Not due again unless the move says so: after a restart, what is saved as due comes up once more.
        operation.due = None
        world.operations.put(operation.name, operation)
        if not MOVES[operation.kind](world, operation, at):
            return
    else:
        EFFECTS[operation.kind](world, operation, at)
    operation.ended = at
    operation.status = "Succeeded" if operation.outcome is None else "Failed"
    if operation.detail.get("canceled"):
        operation.status = "Canceled"
    world.operations.put(operation.name, operation)
    world.look_again(operation, at + operations.kept_s(world))
    if operation.waiter:
        who = operation.waiter.split("|")[0]
        _WAITERS[who, operation.kind if who == "stack" else ""](world, operation, at)
