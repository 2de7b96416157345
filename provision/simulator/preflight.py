"""What a deployment finds out before it starts: quotas that its new nodes would exceed, all together."""

from __future__ import annotations

from provision.simulator import instances, quota, scale_sets
from provision.simulator.bodies import at_path
from provision.simulator.errors import preflight_failed
from provision.simulator.facts import sizes
from provision.simulator.ids import parse
from provision.simulator.messages import Json
from provision.simulator.world import ScaleSet, World


def check(world: World, name: str, steps: list[Json]) -> None:
    """Refuse a template whose scale sets would exceed a quota. Everything else is left to the providers."""
    wanted: dict[tuple[str, str, str], int] = {}
    texts = []
    for step in steps:
        if step["type"].lower() != scale_sets.TYPE:
            continue
        for counter, cores in _cores(world, step).items():
            rid = parse(step["id"])
            assert rid is not None
            place = (rid.subscription, str(step["body"].get("location")), counter)
            wanted[place] = wanted.get(place, 0) + cores
    for (subscription, location, counter), cores in wanted.items():
        used = quota.usage(world, subscription, location).get(counter, 0)
        text = quota.excess_text(world, location, counter, used, cores)
        if text is not None:
            texts.append(text)
    if texts:
        details = [{"code": "QuotaExceeded", "message": text} for text in texts]
        raise preflight_failed(name, world.guid(), details)


def _cores(world: World, step: Json) -> dict[str, int]:
    """Return the vCPUs that a scale set of the template adds, by counter."""
    body = step["body"]
    size = sizes().get(str(at_path(body, "sku.name")).lower())
    nodes = at_path(body, "sku.capacity")
    if size is None or not isinstance(nodes, int):
        return {}
    before = world.resources.get(step["id"].lower())
    held = instances.count(before) if isinstance(before, ScaleSet) else 0
    spot = at_path(body, "properties.virtualMachineProfile.priority") in ("Spot", "Low")
    added = max(0, nodes - held) * size.vcpus
    return dict.fromkeys(quota.counters(spot, size), added) if added else {}
