"""Decides what waits for what across units: nodes that come wait for those that go, in the same region.

Quota and capacity that a deletion frees are what a growing set needs; side by side, the growth would be refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from provision.arm import SCALE_SETS
from provision.plan.model import Action, Change, Operation


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


def _grows(change: Change) -> bool:
    if change.action in (Action.CREATE, Action.REPLACE):
        return True
    return any(edit.path == "sku.capacity" and (edit.after or 0) > (edit.before or 0) for edit in change.edits)
