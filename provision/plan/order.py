"""Decides what waits for what across units.

Nodes that come wait for those that go, in the same region: quota and capacity that a deletion frees are what a growing
set needs. Halves of peerings that go, go before a network does and before halves that are made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from provision.arm import PEERINGS, SCALE_SETS, VIRTUAL_NETWORKS
from provision.plan.model import Action, Change, Operation
from provision.topology.names import PEERING


def after_what_frees_nodes(operations: Sequence[Operation], changes: Iterable[Change]) -> list[Operation]:
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
        replace(operation, after=tuple(dict.fromkeys((*operation.after, *freeing.get(operation.region, ())))))
        if operation.kind == "put-stack" and (operation.region, operation.unit) in growing
        else operation
        for operation in operations
    ]


def peerings_apart(operations: Sequence[Operation]) -> list[Operation]:
    """Return the operations, with halves of peerings deleted before their networks, and before any is made again.

    Azure refuses to make a half whose other end still holds a torn one.
    """
    halves = [op for op in operations if op.kind == "delete" and op.target.type.lower() == PEERINGS.lower()]
    gone = tuple(op.id for op in halves)
    # A half that a unit no longer states goes after that unit's deployment, so no deployment may wait for it.
    torn = tuple(op.id for op in halves if not any(need.startswith("stack ") for need in op.after))
    return [
        replace(operation, after=tuple(dict.fromkeys((*operation.after, *gone))))
        if operation.kind == "delete" and operation.target.type.lower() == VIRTUAL_NETWORKS.lower()
        else replace(operation, after=tuple(dict.fromkeys((*operation.after, *torn))))
        if operation.kind == "put-stack" and operation.unit == PEERING
        else operation
        for operation in operations
    ]


def _grows(change: Change) -> bool:
    if change.action in (Action.CREATE, Action.REPLACE):
        return True
    return any(edit.path == "sku.capacity" and (edit.after or 0) > (edit.before or 0) for edit in change.edits)
