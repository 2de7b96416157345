"""Decides what waits for what across units.

Nodes that come wait for those that go, in the same region: quota and capacity that a deletion frees are what a growing
set needs. A subnet waits for all that stands in it. Halves of peerings that go, go before the networks at both their
ends, and before halves that are made again; of one network, and of the regions that make them, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from provision.arm import BASTIONS, FILE_SYSTEMS, PEERINGS, SCALE_SETS, SUBNETS, VIRTUAL_NETWORKS, ResourceId
from provision.plan.model import Action, Change, Operation
from provision.topology.names import PEERING

_GUESTS = frozenset(type.lower() for type in (SCALE_SETS, BASTIONS, FILE_SYSTEMS))


def in_sequence(
    operations: Sequence[Operation], changes: Iterable[Change], remotes: Mapping[str, ResourceId]
) -> tuple[Operation, ...]:
    """Return the operations with what they wait for across units, each behind all that it waits for.

    `remotes`: the network at the other end of each half that there is, by the half's id in lower case.
    """
    found = _subnets_last(_after_what_frees_nodes(operations, changes))
    found = _peerings_one_by_one(_peerings_apart(found, remotes))
    known = {operation.id: operation for operation in found}
    placed: dict[str, Operation] = {}

    def place(operation: Operation, waiting: tuple[str, ...]) -> None:
        assert operation.id not in waiting, f"{operation.id} waits for itself"
        for need in operation.after:
            if need not in placed:
                place(known[need], (*waiting, operation.id))
        placed.setdefault(operation.id, operation)

    for operation in found:
        place(operation, ())
    return tuple(placed.values())


def _after_what_frees_nodes(operations: Sequence[Operation], changes: Iterable[Change]) -> list[Operation]:
    """Return the operations, those that add nodes after those of their region that take nodes away."""
    of_sets = [change for change in changes if change.id.type.lower() == SCALE_SETS.lower()]
    shrinking = {(change.region, change.unit) for change in of_sets if change.action is Action.SCALE_IN}
    growing = {(change.region, change.unit) for change in of_sets if _grows(change)} - shrinking
    freeing: dict[str, list[str]] = {}
    for operation in operations:
        deletes = operation.kind == "delete" and operation.target.type.lower() == SCALE_SETS.lower()
        shrinks = operation.kind == "put-stack" and (operation.region, operation.unit) in shrinking
        if deletes or shrinks:
            freeing.setdefault(operation.region, []).append(operation.id)
    return [
        _after(operation, freeing.get(operation.region, ()))
        if operation.kind == "put-stack" and (operation.region, operation.unit) in growing
        else operation
        for operation in operations
    ]


def _subnets_last(operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations, each subnet that goes after what its region's units delete that may stand in it."""
    guests: dict[str, list[Operation]] = {}
    for operation in operations:
        if operation.kind == "delete" and operation.target.type.lower() in _GUESTS:
            guests.setdefault(operation.region, []).append(operation)

    def needs(wait: Operation) -> list[str]:
        # What goes after its unit's deployment can't be waited for by what goes before one.
        late = any(map(_is_put, wait.after))
        return [op.id for op in guests.get(wait.region, ()) if late or not any(map(_is_put, op.after))]

    return [
        _after(operation, needs(operation))
        if operation.kind == "await-empty" and operation.target.type.lower() == SUBNETS.lower()
        else operation
        for operation in operations
    ]


def _peerings_apart(operations: Sequence[Operation], remotes: Mapping[str, ResourceId]) -> list[Operation]:
    """Return the operations, with halves of peerings deleted before their networks, and before any is made again.

    Azure refuses to make a half whose other end still holds a torn one.
    """
    halves = [op for op in operations if op.kind == "delete" and op.target.type.lower() == PEERINGS.lower()]
    at: dict[str, list[str]] = {}
    for half in halves:
        for end in (half.target.parent, remotes.get(half.target.key)):
            if end is not None:
                at.setdefault(end.key, []).append(half.id)
    # A half that a unit no longer states goes after that unit's deployment, so no deployment may wait for it.
    torn = [op.id for op in halves if not any(map(_is_put, op.after))]
    return [
        _after(operation, at.get(operation.target.key, ()))
        if operation.kind == "delete" and operation.target.type.lower() == VIRTUAL_NETWORKS.lower()
        else _after(operation, torn)
        if operation.kind == "put-stack" and operation.unit == PEERING
        else operation
        for operation in operations
    ]


def _peerings_one_by_one(operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations, with peerings deployed one region after the other, and one network's halves deleted so.

    A half touches both networks, and Azure refuses a second write to a network while one is under way. Deployments run
    out of step, so however their halves are ordered inside, those of many regions would meet and fail.
    """
    last: dict[str, str] = {}

    def behind(operation: Operation) -> Operation:
        if operation.kind == "put-stack" and operation.unit == PEERING:
            line = PEERING
        elif operation.kind == "delete" and operation.target.type.lower() == PEERINGS.lower():
            # Those that go before a deployment and those that go after one are two lines: neither waits for the other.
            line = f"{operation.target.parent.key} {any(map(_is_put, operation.after))}"
        else:
            return operation
        before, last[line] = last.get(line), operation.id
        return _after(operation, [before] if before else ())

    return [behind(operation) for operation in operations]


def _after(operation: Operation, needs: Iterable[str]) -> Operation:
    after = tuple(dict.fromkeys((*operation.after, *needs)))
    return operation if after == operation.after else replace(operation, after=after)


def _is_put(id: str) -> bool:
    return id.startswith("stack ")


def _grows(change: Change) -> bool:
    if change.action in (Action.CREATE, Action.REPLACE):
        return True
    return any(edit.path == "sku.capacity" and (edit.after or 0) > (edit.before or 0) for edit in change.edits)
