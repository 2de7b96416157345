"""Hardware that is lost: nodes of a scale set that vanish or fail, and whose place others take."""

from __future__ import annotations

from provision.simulator import capacity, errors, instances, operations
from provision.simulator.messages import Json
from provision.simulator.world import ScaleSet, World


def able(world: World, target: str) -> bool:
    """Return whether there is a set that stands still and has nodes to lose."""
    row = world.resources.get(target.lower())
    if not isinstance(row, ScaleSet) or operations.running(world, row.operation) is not None:
        return False
    return bool(_losable(row))


def lose(world: World, target: str, fault: Json) -> None:
    """Let the newest nodes go, `nodes` of them or all: `how` says whether they vanish or fail where they are."""
    row = world.resources[target.lower()]
    assert isinstance(row, ScaleSet)
    lost = _losable(row)[-fault.get("nodes", len(row.touched) + instances.count(row)) :]
    if fault.get("how", "fail") == "vanish":
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
    capacity.fill(world, row.location, capacity.size_of(row))


def _losable(row: ScaleSet) -> list[int]:
    """Return the nodes that hold hardware and are left alone, lowest first."""
    return [
        number for number in instances.holding(row) if not {"busy", "failed"} & set(row.touched.get(str(number), {}))
    ]
