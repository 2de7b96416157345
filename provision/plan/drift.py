"""Decides what somebody else has changed in Azure since the last apply, how bad that is, and what applying does to it.

A resource has drifted where Azure differs from what its stack recorded as applied, whatever the file states by now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from provision.arm import SCALE_SETS, ResourceId
from provision.catalog.changes import INDEX, TypePolicies
from provision.plan.diff import action_of, differences
from provision.plan.model import Action, Drift, Drifted, Edit

#: Who an edit's property is left to, in words; empty where it is ours.
Owner = Callable[[Edit], str]


def drifted_from(
    id: ResourceId,
    recorded: Mapping[str, Any],
    observed: Mapping[str, Any],
    edits: tuple[Edit, ...],
    left: tuple[Edit, ...],
    owner_of: Owner,
    rows: TypePolicies,
    *,
    restated: bool,
) -> Iterator[Drifted]:
    """Yield what differs from what was recorded.

    `left`: edits that are not made, because others own the property. `restated`: the file states something else than
    was recorded; where it does not, the edits say it all, and most resources are compared but once.
    """
    owned = {edit.path: owner_of(edit) for edit in left}
    made = {edit.path: edit for edit in edits}
    found = differences(recorded, observed, None, rows) if restated else ()
    drifts = [(each.path, each.after, each.before) for each in found]
    drifts += [] if restated else [(edit.path, edit.after, edit.before) for edit in (*edits, *left) if edit.drift]
    for path, before, now in drifts:
        if path in rows.hidden:
            continue  # recorded as a hash, and never shown by Azure
        edit = made.get(path)
        action = (
            edit.action if edit else action_of(rows.policy(path, now, before, observed, recorded).action, rolls=False)
        )
        kind = _kind(path, action, rows)
        if path in owned:
            kind, effect = Drift.OWNED_ELSEWHERE, f"stays: {owned[path]}"
        elif edit is None:
            kind, effect = Drift.BENIGN, "stays: the file states the same by now"
        elif edit.drift:
            effect = f"applying takes it back: {action.label}"
        else:
            effect = f"applying writes what the file states now: {action.label}"
        yield Drifted(id, path, before, now, kind, effect)


def lost(id: ResourceId) -> Drifted:
    """Return the drift of a resource that was there after the last apply, and is gone."""
    kind = Drift.DANGEROUS if id.type.lower() == SCALE_SETS.lower() else Drift.RISKY
    return Drifted(id, "", "there", "gone", kind, "applying makes it again")


def _kind(path: str, action: Action, rows: TypePolicies) -> Drift:
    """Return how bad a drift is: as bad as what it takes to take it back, or worse where the table says so."""
    by_action = Drift.BENIGN
    if action in (Action.UPDATE_MODEL, Action.ROLL):
        by_action = Drift.RISKY
    elif action > Action.ROLL:
        by_action = Drift.DANGEROUS
    said = rows.drift_at(INDEX.sub("[]", path))
    return max(by_action, Drift[said.upper()]) if said else by_action
