"""Hardware that is lost: nodes of a scale set that vanish, fail or are evicted, and whose place others take."""

from __future__ import annotations

from collections import Counter

from provision.simulator.compute import capacity, eviction
from provision.simulator.refusals import errors
from provision.simulator.state import instances, operations
from provision.simulator.state.world import ScaleSet, World
from provision.simulator.wire.messages import Json


def able(world: World, target: str, fault: Json) -> bool:
    """Return whether there is a set that stands still and has nodes to lose."""
    row = world.resources.get(target.lower())
    if not isinstance(row, ScaleSet) or operations.running(world, row.operation) is not None:
        return False
    return bool(_losable(row, fault))


def lose(world: World, at: float, target: str, fault: Json) -> None:
    """Let the newest nodes go, `nodes` of them or all: `how` says whether they vanish, fail where they are, or are
    evicted, which only Spot nodes are, after a notice and by their set's policy."""
    row = world.resources[target.lower()]
    assert isinstance(row, ScaleSet)
    lost, size = _losable(row, fault), capacity.size_of(row)
    lost = lost[-fault.get("nodes", len(lost)) :]
    how = fault.get("how", "fail")
    if how == "evict":
        capacity.fill(world, row.location, size)  # after which each node is in a cluster
        taken = Counter(instances.cluster_of(row, number) for number in lost)
        capacity.lose(world, row.location, size, taken)
        eviction.begin(world, at, row, lost, lost=True)
        return
    if how == "vanish":
        instances.remove(row, lost)
        row.body["sku"]["capacity"] = instances.count(row)
        row.writes += 1
    else:
        single = bool(row.properties["singlePlacementGroup"])
        error = errors.allocation_failed(single_placement_group=single)
        error |= {key: fault[key] for key in ("code", "message") if key in fault}
        for number in lost:
            row.touched.setdefault(str(number), {})["failed"] = error
    world.resources.put(row.key, row)
    capacity.fill(world, row.location, size)


def _losable(row: ScaleSet, fault: Json) -> list[int]:
    """Return the nodes that hold hardware and are left alone, lowest first."""
    if fault.get("how") == "evict" and not capacity.is_spot(row):
        return []
    return [
        number
        for number in instances.holding(row)
        if not {"busy", "failed", "evicted"} & set(row.touched.get(str(number), {}))
    ]
