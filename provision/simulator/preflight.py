"""What a deployment finds out before it starts: quotas that all its nodes would exceed, and sizes that are closed."""

from __future__ import annotations

from provision.simulator import capacity, errors, quota, restrictions, scale_sets
from provision.simulator.bodies import at_path
from provision.simulator.errors import preflight_failed
from provision.simulator.facts import location_name, sizes
from provision.simulator.ids import parse
from provision.simulator.messages import Json
from provision.simulator.world import ScaleSet, World


def check(world: World, name: str, steps: list[Json]) -> None:
    """Refuse a template whose scale sets would exceed a quota, or are of a size that the subscription may not use.

    Everything else is left to the providers.
    """
    sets = [step for step in steps if step["type"].lower() == scale_sets.TYPE]
    details = [*_over_quota(world, sets), *_closed(world, sets)]
    if details:
        raise preflight_failed(name, world.guid(), details)


def _over_quota(world: World, steps: list[Json]) -> list[Json]:
    wanted: dict[tuple[str, str, str], int] = {}
    for step in steps:
        rid = parse(step["id"])
        assert rid is not None
        for counter, cores in _cores(world, step).items():
            place = (rid.subscription, _location(step), counter)
            wanted[place] = wanted.get(place, 0) + cores
    found = []
    for (subscription, location, counter), cores in wanted.items():
        used = quota.usage(world, subscription, location).get(counter, 0)
        text = quota.excess_text(world, subscription, location, counter, used, cores)
        if text is not None:
            found.append({"code": "QuotaExceeded", "message": text})
    return found


def _cores(world: World, step: Json) -> dict[str, int]:
    """Return the vCPUs that a scale set of the template adds, by counter. What it leaves out stays as it is."""
    body, before = step["body"], _before(world, step)
    name, nodes = at_path(body, "sku.name"), at_path(body, "sku.capacity")
    priority = at_path(body, "properties.virtualMachineProfile.priority")
    if not isinstance(nodes, int) or not isinstance(name, str):
        return {}
    spot = capacity.is_spot(before) if before is not None and priority is None else priority in capacity.SPOT
    return quota.added(before, name, nodes, spot=spot)


def _closed(world: World, steps: list[Json]) -> list[Json]:
    found = []
    for step in steps:
        size, before = sizes().get(str(at_path(step["body"], "sku.name")).lower()), _before(world, step)
        if size is None or (before is not None and capacity.size_of(before).lower() == size.name.lower()):
            continue
        zones = step["body"].get("zones")
        if restrictions.refuses(world, _location(step), size.name, zones if isinstance(zones, list) else []):
            found.append(errors.size_not_available(size.name, _location(step)).error)
    return found


def _before(world: World, step: Json) -> ScaleSet | None:
    row = world.resources.get(step["id"].lower())
    return row if isinstance(row, ScaleSet) else None


def _location(step: Json) -> str:
    return location_name(str(step["body"].get("location")))
