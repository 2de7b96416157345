"""Quota of Compute: what a subscription may use in a region, and what it uses. Unset means plenty."""

from __future__ import annotations

from provision.simulator.compute import capacity, reservations
from provision.simulator.refusals.errors import not_allowed, quota_text
from provision.simulator.state import instances
from provision.simulator.state.facts import limit, sizes
from provision.simulator.state.limits import limit_of
from provision.simulator.state.world import ScaleSet, World
from provision.simulator.wire.messages import Json

PLENTY = 10_000_000
PLACEMENT_GROUP_LIMIT = "placementGroupLimit"
"""The quota name under which a tester raises how many nodes one placement group takes."""

SPOT, CORES, NODES, SETS = "lowPriorityCores", "cores", "virtualMachines", "virtualMachineScaleSets"

_SHOWN = {
    CORES: "Total Regional vCPUs",
    SPOT: "Total Regional Low-priority vCPUs",
    "availabilitySets": "Availability Sets",
    NODES: "Virtual Machines",
    SETS: "Virtual Machine Scale Sets",
}
_IN_ERRORS = {CORES: "Total Regional Cores", SPOT: "LowPriorityCores"}
_DEFAULTS = {"availabilitySets": 2500, NODES: 25_000, SETS: 2500}
"""Shown, and refused by nobody: Azure's words for these are not known."""


def placement_group_limit(world: World, subscription: str, location: str) -> int:
    return limit_of(world, subscription, location, PLACEMENT_GROUP_LIMIT, limit("single_placement_group_nodes"))


def usage(world: World, subscription: str, location: str) -> dict[str, int]:
    """Return what is used by counter name."""
    totals = {CORES: 0, SPOT: 0, NODES: 0, SETS: 0}
    here = f"/subscriptions/{subscription}/".lower()
    for row in world.resources.scale_sets(location):
        if not row.key.startswith(here):
            continue
        totals[SETS] += 1
        totals[NODES] += instances.count(row)
        for name, cores in drawn(row).items():
            totals[name] = totals.get(name, 0) + cores
    for size, nodes in reservations.unused(world, subscription, location).items():
        for name, cores in wanted(size, nodes, spot=False).items():
            totals[name] = totals.get(name, 0) + cores
    return totals


def drawn(row: ScaleSet) -> dict[str, int]:
    """Return the vCPUs that a set draws on by counter: deallocated nodes count, those without hardware do not."""
    nodes = instances.count(row) - (len(instances.unallocated(row)) if row.touched else 0)
    return wanted(capacity.size_of(row), nodes, spot=capacity.is_spot(row))


def wanted(size_name: str, nodes: int, *, spot: bool) -> dict[str, int]:
    """Return the vCPUs that nodes draw on by counter: Spot has one of its own, for all families."""
    size = sizes().get(size_name.lower())
    if size is None:
        return {}
    counters = [SPOT] if spot else [size.family, CORES] if size.family else [CORES]
    return dict.fromkeys(counters, nodes * size.vcpus)


def added(before: ScaleSet | None, size_name: str, nodes: int, *, spot: bool) -> dict[str, int]:
    """Return how many more vCPUs a set draws on when it is resized, in nodes, in size or both, by counter."""
    held = drawn(before) if before is not None else {}
    after = wanted(size_name, nodes, spot=spot)
    return {name: cores - held.get(name, 0) for name, cores in after.items() if cores > held.get(name, 0)}


def refuse_excess(world: World, before: ScaleSet | None, after: ScaleSet) -> None:
    """Refuse a set that would exceed a quota, in Azure's words."""
    subscription = after.rid.subscription
    more = added(before, capacity.size_of(after), instances.stated(after), spot=capacity.is_spot(after))
    if not more:
        return
    used = usage(world, subscription, after.location)
    covered = _reserved(world, after)
    for counter, cores in more.items():
        used[counter] = used.get(counter, 0) - min(cores, covered.get(counter, 0))
        text = excess_text(world, subscription, after.location, counter, used.get(counter, 0), cores)
        if text is not None:
            raise not_allowed(text)


def _reserved(world: World, row: ScaleSet) -> dict[str, int]:
    """Return the vCPUs, by counter, that a set's reservation has for more of its nodes; they are counted as used."""
    group = reservations.group_of(row)
    if not group:
        return {}
    free = reservations.unused(world, row.rid.subscription, row.location, group)
    size = capacity.size_of(row)
    return wanted(size, free.get(size.lower(), 0), spot=False)


def excess_text(world: World, subscription: str, location: str, counter: str, used: int, cores: int) -> str | None:
    """Return Azure's words for a counter that `cores` more vCPUs would exceed, or None where they fit."""
    allowed = limit_of(world, subscription, location, counter, PLENTY)
    if used + cores <= allowed:
        return None
    return quota_text(_IN_ERRORS.get(counter, f"{counter} Cores"), location, allowed, used, cores)


def usages(world: World, subscription: str, location: str) -> Json:
    """Return the usages of a region: the counters of Compute, then one row a family."""
    used = usage(world, subscription, location)
    families: dict[str, str] = {}
    for size in sizes().values():
        if size.family:
            families.setdefault(size.family.lower(), size.family)
    rows = [_row(world, subscription, location, name, shown, used.get(name, 0)) for name, shown in _SHOWN.items()]
    for name in families.values():
        rows.append(_row(world, subscription, location, name, _family_shown(name), used.get(name, 0)))
    return {"value": rows}


def _row(world: World, subscription: str, location: str, name: str, shown: str, used: int) -> Json:
    return {
        "limit": limit_of(world, subscription, location, name, _DEFAULTS.get(name, PLENTY)),
        "unit": "Count",
        "currentValue": used,
        "name": {"value": name, "localizedValue": shown},
    }


def _family_shown(name: str) -> str:
    """Return `standardNDSH100v5Family` as "Standard NDSH100v5 Family vCPUs"."""
    middle = name.removesuffix("Family").strip()
    if middle.lower().startswith("standard"):
        middle = middle[len("standard") :].strip()
    return f"Standard {middle} Family vCPUs"
