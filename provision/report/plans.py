"""The plans of several environments together: one verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from provision.plan.document import actions
from provision.plan.model import Action, Plan


def summary_of(plans: Sequence[Plan]) -> dict[str, Any]:
    """Return what several plans come to together. Money is None where that of one of them is."""
    counts = [actions(plan) for plan in plans]
    before = [plan.assessment.usd_per_hour_before for plan in plans]
    after = [plan.assessment.usd_per_hour_after for plan in plans]
    return {
        "environments": len(plans),
        "with_changes": sum(not plan.empty for plan in plans),
        "refused": [plan.environment for plan in plans if plan.refused or plan.breaches],
        "partial": any(plan.part is not None for plan in plans),
        "offline": any(plan.offline for plan in plans),
        "actions": {
            action.label: count for action in Action if (count := sum(each.get(action.label, 0) for each in counts))
        },
        "nodes_before": sum(plan.assessment.nodes_before for plan in plans),
        "nodes_after": sum(plan.assessment.nodes_after for plan in plans),
        "nodes_deleted": sum(plan.assessment.nodes_deleted for plan in plans),
        "usd_per_hour_before": _sum(before),
        "usd_per_hour_after": _sum(after),
        "consents": sorted({consent for plan in plans for consent in plan.consents}),
    }


def plans_as_verdict(plans: Sequence[Plan]) -> str:
    """Return the one line that says what several plans come to."""
    summary = summary_of(plans)
    scope = ("OFFLINE, never to be applied: " if summary["offline"] else "") + (
        "ONLY A PART: " if summary["partial"] else ""
    )
    head = f"{len(plans)} environments: {scope}"
    if not summary["with_changes"] and not summary["refused"]:
        return f"{head}nothing to do\n"
    counts = ", ".join(f"{count} to {label}" for label, count in summary["actions"].items())
    before, after = summary["nodes_before"], summary["nodes_after"]
    nodes = f"nodes {before} → {after}" if before != after else f"nodes stay {after}"
    deleted = f", {summary['nodes_deleted']} running deleted" if summary["nodes_deleted"] else ""
    refused = f"; cannot be applied: {', '.join(summary['refused'])}" if summary["refused"] else ""
    return f"{head}{summary['with_changes']} with changes: {counts}; {nodes}{deleted}{refused}\n"


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), 4) if len(known) == len(values) else None
