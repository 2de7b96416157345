"""Decides how long a plan takes: what waits for what, and the chain of operations that takes longest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from provision.arm import SCALE_SETS, ResourceId
from provision.catalog.model import Durations
from provision.plan.model import Action, Change, Estimate, Operation

_BATCHES = 5  # Azure rolls a fifth of the nodes at a time where nothing else is stated


def estimate_of(operations: Sequence[Operation], changes: Iterable[Change], durations: Durations) -> Estimate:
    """Return the estimate of operations, each of which stands behind all that it waits for."""
    of_units: dict[tuple[str, str], list[Change]] = {}
    of_ids: dict[str, Change] = {}
    for change in changes:
        of_units.setdefault((change.region, change.unit), []).append(change)
        of_ids[change.id.key] = change
    ends: dict[str, float] = {}
    before: dict[str, str] = {}
    waves: dict[str, int] = {}
    for operation in operations:
        last = max(operation.after, key=ends.__getitem__, default="")
        before[operation.id] = last
        waves[operation.id] = max((waves[need] + 1 for need in operation.after), default=0)
        ends[operation.id] = ends.get(last, 0.0) + _seconds(operation, of_units, durations)
    counts = [0] * (max(waves.values(), default=-1) + 1)
    for wave in waves.values():
        counts[wave] += 1
    return Estimate(round(max(ends.values(), default=0.0)), tuple(counts), _path(ends, before))


def _path(ends: dict[str, float], before: dict[str, str]) -> tuple[str, ...]:
    path: list[str] = []
    at = max(ends, key=ends.__getitem__, default="")
    while at:
        path.append(at)
        at = before[at]
    return tuple(reversed(path))


def _seconds(operation: Operation, of_units: dict[tuple[str, str], list[Change]], durations: Durations) -> float:
    if operation.kind == "delete":
        return durations.of("delete", operation.target.type)
    own = durations.of(operation.kind)
    if operation.kind != "put-stack":
        return own
    # The resources of a unit are taken to be made one after the other, as those of a network are.
    return own + sum(_resource_s(change, durations) for change in of_units.get((operation.region, operation.unit), ()))


def _resource_s(change: Change, durations: Durations) -> float:
    id: ResourceId = change.id
    if change.action in (Action.RECORD, Action.DELETE, Action.REFUSED):
        return 0.0
    if id.type.lower() != SCALE_SETS.lower():
        return durations.of("put", id.type)
    if change.action is Action.ROLL:
        return durations.of("put", id.type) + _BATCHES * durations.of("roll-batch")
    resized = change.action is Action.UPDATE and any(edit.path == "sku.capacity" for edit in change.edits)
    if change.nodes and (resized or change.action in (Action.CREATE, Action.REPLACE)):
        return durations.of("nodes-come") + change.nodes * durations.of("each-node")
    return durations.of("put", id.type)
