"""How a plan says that it is not about the whole environment, or was made without Azure: never to be overlooked."""

from __future__ import annotations

from collections.abc import Iterator

from provision.plan.model import LeftOut, Part, Plan
from provision.report.excerpt import Paint, printable


def scope_of(plan: Plan) -> str:
    """Return what stands before a plan's verdict; empty of a plan of the whole environment, made against Azure."""
    offline = "OFFLINE, never to be applied: " if plan.offline else ""
    if plan.part is None:
        return offline
    return f"{offline}ONLY A PART ({_options(plan.part)}; {_changes(plan.part.left_out)} left out): "


def part_lines(plan: Plan, paint: Paint) -> Iterator[str]:
    """Yield what a plan of a part has beside what was asked for, and what it leaves out, by region and pool."""
    if plan.part is None:
        return
    if plan.part.taken_along:
        yield printable(f"  taken along, because something needs it: {', '.join(plan.part.taken_along)}")
    if not plan.part.left_out:
        return
    yield ""
    yield paint("Left out of this plan", "1")
    places: dict[tuple[str, str | None], list[LeftOut]] = {}
    for each in plan.part.left_out:
        places.setdefault((each.region, each.pool), []).append(each)
    for (region, pool), found in places.items():
        nodes = sum(each.nodes for each in found)
        more = f", {nodes} {'node' if nodes == 1 else 'nodes'}" if nodes else ""
        yield printable(f"  {region or 'outside the regions':<19} {pool or 'in no pool'}: {_changes(found)}{more}")
        for each in found:
            if each.reason:
                yield printable(f"      {each.unit or 'the group'}: asked for, but {each.reason}")


def _options(part: Part) -> str:
    given = [("--region", part.regions), ("--pool", part.pools)]
    return " ".join(f"{option} {','.join(names)}" for option, names in given if names)


def _changes(left_out: tuple[LeftOut, ...] | list[LeftOut]) -> str:
    count = sum(each.changes for each in left_out)
    return f"{count} {'change' if count == 1 else 'changes'}"
