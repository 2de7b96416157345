"""The history of deployments of a scope: how many it holds, and which ones Azure forgets by itself.

Azure lets a scope hold 800. Past 700 it deletes the oldest until 600 are left, in the name of who deploys: a lock
against deletion, or a missing permission, keeps them, and then the next new one is refused.
https://learn.microsoft.com/azure/azure-resource-manager/templates/deployment-history-deletions, read 2026-12.
"""

from __future__ import annotations

from provision.simulator.refusals import errors_deployments
from provision.simulator.refusals.errors import Refusal
from provision.simulator.resources import gate
from provision.simulator.state import operations
from provision.simulator.state.durations import HISTORY_DELETE_S
from provision.simulator.state.facts import limit
from provision.simulator.state.operations import Origin
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import Deployment, Operation, World


def refuse_full(world: World, at: float, made: Deployment) -> None:
    """Refuse a new deployment where there is no room for its record; Azure starts to make room then, or before."""
    held = len(_beside(world, made.key, made.location))
    trim(world, at, made, held)
    if made.key not in world.deployments and held >= limit("deployment_history"):
        raise errors_deployments.deployment_quota(made.name, limit("deployment_history"), held)


def trim(world: World, at: float, row: Deployment, held: int | None = None) -> None:
    """Start to forget the oldest where a scope holds more than 700, this one among them."""
    if held is None:
        held = len(_beside(world, row.key, row.location))
    if held + (row.key not in world.deployments) <= limit("deployment_history_trimmed_above"):
        return
    scope = _scope(row.key)
    started = (each for each in world.operations.values() if each.kind == "history" and each.status == "InProgress")
    if any(_scope(each.target.lower()) == scope and each.location == row.location for each in started):
        return
    operations.start(
        world,
        at,
        row,
        kind="history",
        dialect="",
        seconds=HISTORY_DELETE_S,
        origin=Origin(),
        method="DELETE",
        detail={"caller": row.caller},
        hidden=True,
    )


def trim_ended(world: World, operation: Operation, at: float) -> None:
    held = sorted(_beside(world, operation.target.lower(), operation.location), key=lambda row: (row.started, row.key))
    over = held[: max(0, len(held) - limit("deployment_history_trimmed_to"))]
    for row in over:
        if operations.running(world, row.operation) is not None:
            continue
        try:
            gate.refuse(world, Caller(*operation.detail["caller"]), "DELETE", row.id)
        except Refusal:
            return
        world.deployments.remove(row.key)


def _beside(world: World, key: str, location: str) -> list[Deployment]:
    """Return the deployments of a scope: of a group, or, at the scope of a subscription, of one region there."""
    scope = f"{_scope(key)}/providers/"
    rows = (row for row in world.deployments.values() if row.key.startswith(scope))
    return [row for row in rows if row.group or row.location == location]


def _scope(key: str) -> str:
    return key.rpartition("/providers/")[0]
