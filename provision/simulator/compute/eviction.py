"""Spot nodes that have to go: others need the hardware, it was lost, or somebody tries out what happens then."""

from __future__ import annotations

from collections.abc import Collection

from provision.simulator.compute import capacity
from provision.simulator.state import instances, operations
from provision.simulator.state.durations import EVICTION_NOTICE_S
from provision.simulator.state.operations import COMPUTE, Origin
from provision.simulator.state.world import Operation, ScaleSet, World


def make_room(world: World, at: float, location: str, size: str) -> None:
    """Evict Spot nodes from clusters that hold more nodes than there are, the newest first."""
    over = capacity.overfull(world, location, size)
    if not over:
        return
    spot = [
        (row, number, instances.cluster_of(row, number))
        for row in world.resources.scale_sets(location)
        if capacity.is_spot(row) and capacity.size_of(row).lower() == size.lower()
        for number in instances.holding(row)
    ]
    for row, number, cluster in reversed(spot):
        if _is_going(row, number):
            over[cluster] = over.get(cluster, 0) - 1
    going: dict[str, list[int]] = {}
    for row, number, cluster in reversed(spot):
        if over.get(cluster, 0) > 0 and not _is_going(row, number):
            over[cluster] -= 1
            going.setdefault(row.key, []).append(number)
    for key, numbers in going.items():
        found = world.resources[key]
        assert isinstance(found, ScaleSet)
        begin(world, at, found, numbers, lost=True)


def make_room_everywhere(world: World, at: float) -> None:
    """Evict what no longer fits anywhere: the tester has changed what there is."""
    for location, size in sorted({(row.location, capacity.size_of(row)) for row in world.resources.scale_sets()}):
        make_room(world, at, location, size)


def begin(world: World, at: float, row: ScaleSet, numbers: Collection[int], *, lost: bool = False) -> None:
    """Give nodes notice. They go as the set's eviction policy says: deleted, or deallocated.

    `lost`: whether there is too little hardware already, so that nobody can take theirs.
    """
    going = [number for number in numbers if not _is_going(row, number)]
    if not going:
        return
    for number in going:
        row.touched.setdefault(str(number), {})["evicted"] = True
    world.resources.put(row.key, row)
    operations.start(
        world,
        at,
        row,
        kind="eviction",
        dialect=COMPUTE,
        seconds=EVICTION_NOTICE_S,
        origin=Origin(),
        detail={"instances": sorted(going), "lost": lost, "set": row.unique_id},
        hidden=True,
    )


def ended(world: World, operation: Operation, at: float) -> None:
    row = world.resources.get(operation.target.lower())
    if not isinstance(row, ScaleSet) or row.unique_id != operation.detail["set"]:
        return
    going = [
        number
        for number in operation.detail["instances"]
        if row.touched.get(str(number), {}).pop("evicted", False) and number in instances.holding(row)
    ]
    if not operation.detail["lost"]:
        capacity.given_up(world, row, going)
    if row.properties["virtualMachineProfile"].get("evictionPolicy") == "Delete":
        instances.remove(row, going)
        # As for named instances that are deleted, and as the documentation of the policy says.
        row.body["sku"]["capacity"] = instances.count(row)
        row.writes += 1
    else:
        for number in going:
            row.touched[str(number)]["power"] = "deallocated"
    row.touched = {key: differs for key, differs in row.touched.items() if differs}
    world.resources.put(row.key, row)


def _is_going(row: ScaleSet, number: int) -> bool:
    return bool(row.touched.get(str(number), {}).get("evicted"))
