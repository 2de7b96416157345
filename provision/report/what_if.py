"""How what Azure's what-if says beside a plan is told: what nobody can explain first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from provision.plan.what_if import Disagreement, Foreseen
from provision.report.excerpt import Paint, printable
from provision.report.plan import kind_of

_PATHS = 3


def what_if_as_text(found: Foreseen, colour: bool = False) -> str:
    """Return what came of asking Azure, for people."""
    return "".join(f"{line}\n" for line in _lines(found, Paint(colour)))


def what_if_as_dict(found: Foreseen) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "agreeing": found.agreeing,
        "unexplained": len(found.unexplained),
        "disagreements": [
            {
                "id": str(each.id),
                "unit": each.unit,
                "region": each.region,
                "plan": each.plan,
                "what_if": each.what_if,
                "paths": list(each.paths),
                "explained": bool(each.why),
                "why": each.why,
            }
            for each in found.disagreements
        ],
        "skipped": [{"what": what, "why": why} for what, why in found.skipped],
        "not_asked": [{"what": what, "why": why} for what, why in found.unasked],
    }


def _lines(found: Foreseen, paint: Paint) -> Iterator[str]:
    strange = found.unexplained
    differing = len({each.id.key for each in found.disagreements})
    verdict = f"agrees about {found.agreeing} {_resources(found.agreeing)}"
    if differing:
        verdict += f", differs about {differing}: " + (
            paint(f"{len(strange)} of its differences cannot be explained", "33;1")
            if strange
            else "each difference is a known one"
        )
    yield ""
    yield paint("Azure's what-if", "1") + f" {verdict}"
    for each in strange:
        yield paint(
            printable(f"  ? {_told(each)}: nothing that is known explains this; look at it before applying"), "33"
        )
    for each in found.disagreements:
        if each.why:
            yield printable(f"  · {_told(each)}: {each.why}")
    for what, why in found.skipped:
        yield printable(f"  ! {what}: INCOMPLETE, Azure did not look at part of it: {why}")
    for what, why in found.unasked:
        yield printable(f"  - {what}: not asked: {why}")


def _told(each: Disagreement) -> str:
    what = f"{each.region} {kind_of(each.id.type)} {each.id.name}"
    more = f" and {len(each.paths) - _PATHS} more" if len(each.paths) > _PATHS else ""
    of = f" of {', '.join(each.paths[:_PATHS])}{more}" if each.paths else ""
    return f"{what}: the plan says {each.plan}, what-if says {each.what_if}{of}"


def _resources(count: int) -> str:
    return "resource" if count == 1 else "resources"
