"""Decides whether Azure is still as a plan took it, and says what has moved since."""

from __future__ import annotations

from collections.abc import Iterator

from provision.plan.model import Plan
from provision.plan.observed import Observed
from provision.plan.record import record_in

#: How many things are named; the others are counted.
_NAMED = 10


def moved(plan: Plan, observed: Observed) -> tuple[str, ...]:
    """Return what differs from what a plan rests on, each as a phrase; nothing if it still holds."""
    now, was = observed.digests(), plan.read
    changed = sorted(id for id in now.keys() | was.keys() if now.get(id) != was.get(id))
    if not changed:
        return ()
    told = [f"{id} {'is new' if id not in was else 'is gone' if id not in now else 'has changed'}" for id in changed]
    more = [f"and {len(told) - _NAMED} more"] if len(told) > _NAMED else []
    return (*_own_doing(plan, observed), *told[:_NAMED], *more)


def _own_doing(plan: Plan, observed: Observed) -> Iterator[str]:
    """Yield that the plan itself has been applied, where stacks hold the very run that it would send."""
    puts = [operation for operation in plan.operations if operation.kind == "put-stack"]
    done = [put for put in puts if _run(observed.stacks.get(put.target.key, {})) == _run(put.body or {}) != ""]
    if done:
        yield f"{len(done)} of its {len(puts)} deployments have been made: it has been applied already"


def _run(stack: object) -> str:
    record = record_in(stack) if isinstance(stack, dict) else None
    return record.run if record else ""
