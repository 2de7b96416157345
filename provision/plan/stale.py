"""Decides whether Azure is still as a plan took it, and says what has moved since."""

from __future__ import annotations

from collections.abc import Iterator

from provision.plan.model import Plan
from provision.plan.observed import Observed
from provision.plan.record import record_in

#: How many things are named; the others are counted.
_NAMED = 10
_PARTS = 3


def moved(plan: Plan, observed: Observed) -> tuple[str, ...]:
    """Return what differs from what a plan rests on, each as a phrase; nothing if it still holds."""
    now, was = observed.digests(), plan.read
    changed = sorted(id for id in now.keys() | was.keys() if now.get(id) != was.get(id))
    if not changed:
        return ()
    told = [f"{id} {_what(was.get(id), now.get(id))}" for id in changed]
    more = [f"and {len(told) - _NAMED} more"] if len(told) > _NAMED else []
    return (*_own_doing(plan, observed), *told[:_NAMED], *more)


def _what(was: str | None, now: str | None) -> str:
    """Return what happened to something, by its digests; of what has changed, the parts that have."""
    if was is None or now is None:
        return "is new" if was is None else "is gone"
    parts = sorted({part.partition(":")[0] for part in {*was.split()[1:]} ^ {*now.split()[1:]}})
    more = f" and {len(parts) - _PARTS} more" if len(parts) > _PARTS else ""
    return f"has changed: {', '.join(parts[:_PARTS])}{more}" if parts else "has changed"


def _own_doing(plan: Plan, observed: Observed) -> Iterator[str]:
    """Yield that the plan itself has been applied, where stacks hold the very run that it would send."""
    puts = [operation for operation in plan.operations if operation.kind == "put-stack"]
    done = [put for put in puts if _run(observed.stacks.get(put.target.key, {})) == _run(put.body or {}) != ""]
    if done:
        yield f"{len(done)} of its {len(puts)} deployments have been made: it has been applied already"


def _run(stack: object) -> str:
    record = record_in(stack) if isinstance(stack, dict) else None
    return record.run if record else ""
