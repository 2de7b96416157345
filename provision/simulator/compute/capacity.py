"""What hardware there is: the clusters that a tester states, what they hold, and where more nodes of a set can go.

`world.capacity` is `{region: {size: clusters}}`. `clusters` is a number, one cluster of so many nodes that serves every
zone, or a list of `{nodes, zone?, cluster?}`: without a zone it serves every zone, without a name it is called by its
place in the list (`1`, `2`, …). The region `*` speaks for every region that does not state a size itself; a size that
nobody states has no end. What others hold is not in it: it is what this simulator's subscriptions can have together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from provision.simulator.state import instances
from provision.simulator.state.world import ScaleSet, World
from provision.simulator.wire.messages import Json

SPOT = ("Spot", "Low")
"""The priorities of nodes that give way to others; `Low` is what Spot was called."""
ENDLESS = ""
"""The cluster of a node whose size has no end."""


@dataclass(frozen=True, slots=True)
class Cluster:
    name: str
    zone: str
    """Empty where it serves every zone of the region."""
    nodes: int

    def serves(self, zone: str) -> bool:
        return not self.zone or not zone or self.zone == zone


def is_stated(value: Any) -> bool:
    """Return whether a value says what there is of a size, as `world.capacity` holds it."""
    if isinstance(value, list):
        names = {_name(each, at) for at, each in enumerate(value, 1) if _is_cluster(each)}
        return len(names) == len(value)
    return _is_number(value)


def clusters(world: World, location: str, size: str) -> list[Cluster] | None:
    """Return the clusters of a size in a region, in the tester's order; None where it has no end."""
    found = _stated(world, location, size)
    if found is None:
        return None
    region, name = found
    stated = world.capacity[region][name]
    rows = [{"nodes": stated}] if isinstance(stated, int) else stated
    return [
        Cluster(_name(row, index), str(row.get("zone", "")), int(row["nodes"])) for index, row in enumerate(rows, 1)
    ]


def place(world: World, row: ScaleSet, numbers: Iterable[int]) -> dict[int, str | None]:
    """Return the cluster that takes each of a set's nodes, which hold none now; None where no hardware is left.

    The nodes of a single placement group, in one zone, stay in one cluster: in that of those that are there already,
    else in the first that takes them all, else in the one with the most room. Other sets fill one cluster after the
    other. Spot nodes are in nobody's way but that of other Spot nodes.
    """
    wanted = list(numbers)
    stated = clusters(world, row.location, size_of(row))
    if stated is None:
        return dict.fromkeys(wanted, ENDLESS)
    free, new = _free(world, row, stated), set(wanted)
    places: dict[int, str | None] = {}
    for zone, members in instances.by_zone(row, wanted).items():
        names = [cluster.name for cluster in stated if cluster.serves(zone)]
        if row.properties["singlePlacementGroup"]:
            home = home_of(row, zone, without=new)
            names = [name for name in names if name == home] if home else _best(names, free, len(members))
        left = members
        for name in names:
            taken, left = left[: max(0, free[name])], left[max(0, free[name]) :]
            places |= dict.fromkeys(taken, name)
            free[name] -= len(taken)
        places |= dict.fromkeys(left, None)
    return places


def home_of(row: ScaleSet, zone: str, *, without: Collection[int] = ()) -> str:
    """Return the cluster that most nodes of a set in a zone are in; empty where there is none, or it has no end."""
    held = Counter(
        instances.cluster_of(row, number)
        for number in instances.holding(row)
        if number not in without and instances.zone_of(row, number) == zone
    )
    held.pop(ENDLESS, None)
    return held.most_common(1)[0][0] if held else ENDLESS


def house(world: World) -> None:
    """Put every node into a cluster, where its size has some: what there is has changed."""
    for row in world.resources.scale_sets():
        if _settle(world, row):
            world.resources.put(row.key, row)


def resize(world: World, row: ScaleSet) -> None:
    """Move a set's nodes to the hardware of the size that it has now. That there is enough is taken for granted."""
    instances.put_in(row, dict.fromkeys(instances.live(row), ENDLESS))
    _settle(world, row)


def overfull(world: World, location: str, size: str) -> dict[str, int]:
    """Return by how many nodes the clusters of a size hold more than there are."""
    rows = clusters(world, location, size)
    if rows is None:
        return {}
    held = _held(world, location, size)
    return {row.name: held[row.name] - row.nodes for row in rows if held[row.name] > row.nodes}


def given_up(world: World, row: ScaleSet, numbers: Collection[int]) -> None:
    """Note that nodes are about to let go of their hardware: with `freedNodesAreTaken` others have it at once."""
    if world.setting("freedNodesAreTaken", False):
        going = set(numbers)
        gone = [number for number in instances.holding(row) if number in going]
        lose(world, row.location, size_of(row), Counter(instances.cluster_of(row, number) for number in gone))


def lose(world: World, location: str, size: str, lost: Mapping[str, int]) -> None:
    """Let others take so many nodes of each cluster. Where a size had no end, all that is left is what is held now."""
    stated = clusters(world, location, size)
    if stated is None:
        _state(world, location, size, [Cluster(ENDLESS, "", _held(world, location, size).total())])
        house(world)
        stated, lost = clusters(world, location, size) or [], {"1": sum(lost.values())}
    left = [Cluster(row.name, row.zone, max(0, row.nodes - lost.get(row.name, 0))) for row in stated]
    _state(world, location, size, left)


def fill(world: World, location: str, size: str) -> None:
    """Let others take all that is free of a size."""
    held = _held(world, location, size)
    free = {row.name: max(0, row.nodes - held[row.name]) for row in clusters(world, location, size) or ()}
    lose(world, location, size, free)


def size_of(row: ScaleSet) -> str:
    return str(row.body["sku"]["name"])


def is_spot(row: ScaleSet) -> bool:
    return row.properties.get("virtualMachineProfile", {}).get("priority") in SPOT


def _is_cluster(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) <= {"nodes", "zone", "cluster"}
        and _is_number(value.get("nodes"))
        and all(isinstance(value.get(key, ""), str) for key in ("zone", "cluster"))
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _name(row: Json, index: int) -> str:
    return str(row.get("cluster") or index)


def _stated(world: World, location: str, size: str) -> tuple[str, str] | None:
    """Return where a size's capacity stands: under which region and which spelling."""
    for region in (location, "*"):
        for name in world.capacity.get(region, {}):
            if name.lower() == size.lower():
                return region, name
    return None


def _settle(world: World, row: ScaleSet) -> bool:
    """Find clusters for the nodes of a set that are in none that there is; return whether there were any.

    Nodes for which no cluster has room overfill one: nobody turns a running node out for that.
    """
    stated = clusters(world, row.location, size_of(row)) or []
    known = {cluster.name for cluster in stated}
    strays = [number for number in instances.holding(row) if instances.cluster_of(row, number) not in known]
    for zone, members in instances.by_zone(row, strays if stated else ()).items():
        usable = [cluster.name for cluster in stated if cluster.serves(zone)]
        if usable:
            places = place(world, row, members)
            home = next((name for name in places.values() if name), home_of(row, zone, without=members))
            instances.put_in(row, {number: name or home or usable[0] for number, name in places.items()})
    return bool(stated and strays)


def _state(world: World, location: str, size: str, left: list[Cluster]) -> None:
    """Write down what a size has in a region, as a number where that says all."""
    region, name = _stated(world, location, size) or (location, size)
    before = world.capacity.get(region, {}).get(name, 0)
    listed = [{"cluster": row.name, **({"zone": row.zone} if row.zone else {}), "nodes": row.nodes} for row in left]
    rows = left[0].nodes if isinstance(before, int) else listed
    world.capacity = {**world.capacity, location: {**world.capacity.get(location, {}), name: rows}}


def _held(world: World, location: str, size: str, *, spot: bool = True) -> Counter[str]:
    """Return how many nodes of a size each cluster holds; without `spot`, those that Spot nodes give way to."""
    held: Counter[str] = Counter()
    for row in world.resources.scale_sets(location):
        if size_of(row).lower() == size.lower() and (spot or not is_spot(row)):
            held += instances.by_cluster(row)
    return held


def _free(world: World, row: ScaleSet, stated: list[Cluster]) -> Counter[str]:
    held = _held(world, row.location, size_of(row), spot=is_spot(row))
    return Counter({cluster.name: cluster.nodes - held[cluster.name] for cluster in stated})


def _best(names: list[str], free: Counter[str], wanted: int) -> list[str]:
    if not names:
        return []
    return [next((name for name in names if free[name] >= wanted), max(names, key=lambda name: free[name]))]
