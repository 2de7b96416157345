"""Decides how long a plan is estimated to take, so that a login can be held against it.

Azure promises none of these times, and nothing waits by them. What a figure rests on stands beside it; what says
nothing is assumed.
"""

from __future__ import annotations

from provision.arm import BASTIONS, FILE_SYSTEMS, PEERINGS, SCALE_SETS
from provision.plan.model import Operation, Plan

#: Seconds until a unit with a resource of the type is deployed, and until it is deleted.
_DEPLOY_S = {
    # Nodes with GPUs take 5 to 10 minutes until they are of use: learn.microsoft.com/answers/a/12767836 (2026-05). One
    # report has 75 for a whole set (azure-cli#28708), which is not what most see.
    SCALE_SETS: 900.0,
    # "about ten minutes" in Microsoft's pages; Terraform's public logs have 5 to 35 (read 2026-11-30).
    BASTIONS: 1200.0,
    FILE_SYSTEMS: 1200.0,
    PEERINGS: 120.0,
}
_DELETE_S = {SCALE_SETS: 300.0, BASTIONS: 600.0, FILE_SYSTEMS: 600.0}
_OTHER_DEPLOY_S, _OTHER_DELETE_S, _GROUP_DELETE_S, _GROUP_S = 120.0, 60.0, 300.0, 10.0
#: Taking the lock, reading again, and looking whether lists show what was done.
_AROUND_S = 180.0


def estimated_s(plan: Plan) -> float:
    """Return the seconds that a plan takes if nothing goes wrong: its longest chain of what waits for one another."""
    of_units: dict[tuple[str, str], float] = {}
    for change in plan.changes:
        key = change.region, change.unit
        takes = next((s for type, s in _DEPLOY_S.items() if type.lower() == change.id.type.lower()), _OTHER_DEPLOY_S)
        of_units[key] = max(of_units.get(key, 0.0), takes)
    ends: dict[str, float] = {}
    for operation in plan.operations:  # each stands behind all that it waits for
        begins = max((ends.get(id, 0.0) for id in operation.after), default=0.0)
        ends[operation.id] = begins + _takes(operation, of_units)
    return max(ends.values(), default=0.0) + _AROUND_S


def _takes(operation: Operation, of_units: dict[tuple[str, str], float]) -> float:
    if operation.kind == "put-stack":
        return of_units.get((operation.region, operation.unit), _OTHER_DEPLOY_S)
    if operation.kind == "put-group":
        return _GROUP_S
    if operation.kind == "delete-group":
        return _GROUP_DELETE_S
    deleted = operation.target.type.lower()
    return next((s for type, s in _DELETE_S.items() if type.lower() == deleted), _OTHER_DELETE_S)
