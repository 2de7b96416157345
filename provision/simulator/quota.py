"""Quota and capacity: what a subscription may use in a region, what is used, and what is physically there.

Unset means plenty: limits exist only where the tester sets them. The region `*` sets a limit everywhere.
"""

from __future__ import annotations

from provision.simulator import instances
from provision.simulator.errors import not_allowed, quota_text
from provision.simulator.facts import Size, limit, sizes
from provision.simulator.messages import Json
from provision.simulator.world import ScaleSet, World

PLENTY = 10_000_000
PLACEMENT_GROUP_LIMIT = "placementGroupLimit"
"""The quota name under which a tester raises how many nodes one placement group takes."""

SPOT, CORES, SETS = "lowPriorityCores", "cores", "virtualMachineScaleSets"

_SHOWN = {
    CORES: "Total Regional vCPUs",
    SPOT: "Total Regional Low-priority vCPUs",
    SETS: "Virtual Machine Scale Sets",
}
_IN_ERRORS = {CORES: "Total Regional Cores", SPOT: "LowPriorityCores"}
_DEFAULTS = {SETS: 2500}


def size_of(row: ScaleSet) -> Size | None:
    return sizes().get(str(row.body["sku"]["name"]).lower())


def is_spot(row: ScaleSet) -> bool:
    return row.properties.get("virtualMachineProfile", {}).get("priority") in ("Spot", "Low")


def limit_of(world: World, location: str, name: str, default: int) -> int:
    """Return the limit by a name that is compared without case."""
    for region in (location, "*"):
        for key, value in world.quota.get(region, {}).items():
            if key.lower() == name.lower():
                return value
    return default


def placement_group_limit(world: World, location: str) -> int:
    return limit_of(world, location, PLACEMENT_GROUP_LIMIT, limit("single_placement_group_nodes"))


def usage(world: World, subscription: str, location: str) -> dict[str, int]:
    """Return what is used by counter name. Deallocated nodes count, as they do in Azure; failed ones do not."""
    totals = {CORES: 0, SPOT: 0, SETS: 0}
    here = f"/subscriptions/{subscription}/".lower()
    for row in world.resources.scale_sets(location):
        if not row.key.startswith(here):
            continue
        totals[SETS] += 1
        size = size_of(row)
        if size is not None:
            nodes = instances.count(row) - (len(instances.failed(row)) if row.touched else 0)
            for name in counters(is_spot(row), size):
                totals[name] = totals.get(name, 0) + nodes * size.vcpus
    return totals


def counters(spot: bool, size: Size) -> list[str]:
    """Return the counters that nodes draw on: Spot has one of its own, for all families."""
    if spot:
        return [SPOT]
    return [size.family, CORES] if size.family else [CORES]


def refuse_excess(world: World, row: ScaleSet, added_nodes: int) -> None:
    """Refuse nodes that would exceed a quota, in Azure's words."""
    size = size_of(row)
    if size is None or added_nodes <= 0:
        return
    used = usage(world, row.rid.subscription, row.location)
    for counter in counters(is_spot(row), size):
        text = excess_text(world, row.location, counter, used.get(counter, 0), added_nodes * size.vcpus)
        if text is not None:
            raise not_allowed(text)


def excess_text(world: World, location: str, counter: str, used: int, cores: int) -> str | None:
    """Return Azure's words for a counter that `cores` more vCPUs would exceed, or None where they fit."""
    allowed = limit_of(world, location, counter, PLENTY)
    if used + cores <= allowed:
        return None
    return quota_text(_IN_ERRORS.get(counter, f"{counter} Cores"), location, allowed, used, cores)


def room(world: World, row: ScaleSet) -> int | None:
    """Return how many more nodes of a set's size the region has hardware for; None for no end."""
    size_name = str(row.body["sku"]["name"]).lower()
    for region in (row.location, "*"):
        for name, total in world.capacity.get(region, {}).items():
            if name.lower() == size_name:
                taken = sum(
                    instances.allocated(other)
                    for other in world.resources.scale_sets(row.location)
                    if str(other.body["sku"]["name"]).lower() == size_name
                )
                return max(0, total - taken)
    return None


def usages(world: World, subscription: str, location: str) -> Json:
    """Return the usages of a region: the counters of Compute, then one row a family."""
    used = usage(world, subscription, location)
    families: dict[str, str] = {}
    for size in sizes().values():
        if size.family:
            families.setdefault(size.family.lower(), size.family)
    rows = [_row(world, location, name, shown, used[name]) for name, shown in _SHOWN.items()]
    for name in families.values():
        rows.append(_row(world, location, name, _family_shown(name), used.get(name, 0)))
    return {"value": rows}


def _row(world: World, location: str, name: str, shown: str, used: int) -> Json:
    return {
        "limit": limit_of(world, location, name, _DEFAULTS.get(name, PLENTY)),
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
