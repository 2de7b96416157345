"""What becomes of the nodes that a write or a start asks for: where each gets its hardware, and which fail, and how.

This is what scale sets ask. What hardware there is stands in `capacity`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from provision.simulator.compute import capacity, eviction, node_failures
from provision.simulator.network import instance_addresses, private_addresses
from provision.simulator.refusals import errors
from provision.simulator.state import instances
from provision.simulator.state.world import ScaleSet, World
from provision.simulator.wire.messages import Json

OVERPROVISIONED = 0.2
"""How many extra nodes, as a share, overprovisioning makes and takes away again."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What an operation that brings nodes comes to."""

    numbers: list[int]
    """Those that it brings and that stay, failed ones among them."""
    ends: float
    """When the last of them is up, or known to have failed."""
    error: Json | None
    """What the operation ends with; None where all come up."""


def extra_nodes(row: ScaleSet, added: int) -> int:
    """Return how many nodes overprovisioning makes beside those that are wanted."""
    return math.ceil(added * OVERPROVISIONED) if row.properties["overprovision"] else 0


def bring(
    world: World, at: float, row: ScaleSet, added: int, retried: list[int], seconds: float, *, method: str = "PUT"
) -> Arrival:
    """Add nodes to a set and try the `retried` ones again; those that come up do so within `seconds`.

    What overprovisioning has made too much of is given back: failed nodes first.
    """
    extra = extra_nodes(row, added)
    numbers = instances.add(row, added + extra, at, at + seconds)
    lacking = [number for number in instances.unallocated(row) if number in retried]
    failures = _house(world, row, [*lacking, *numbers])
    housed = [number for number in (*retried, *numbers) if number not in failures]
    late: dict[int, float] = {}
    for number, failure in node_failures.drawn(world, row, housed, method).items():
        failures[number] = failure.error
        if failure.seconds is not None:
            late[number] = at + max(seconds, failure.seconds)
    surplus = [number for number in failures if number in numbers][:extra]
    surplus += _spread([number for number in numbers if number not in failures], extra - len(surplus))
    for number in retried:
        for key in ("failed", "until"):
            row.touched[str(number)].pop(key, None)
    for number in surplus:
        failures.pop(number, None)
    instances.remove(row, surplus)
    for number, error in failures.items():
        known = {"until": late[number]} if number in late else {}
        row.touched.setdefault(str(number), {}).update(failed=error, **known)
    private_addresses.take(world, row)
    instance_addresses.take(world, row)
    world.resources.put(row.key, row)
    eviction.make_room(world, at, row.location, capacity.size_of(row))
    arrived = [number for number in numbers if number not in surplus]
    ends = max([at + seconds, *(until for number, until in late.items() if number in failures)])
    return Arrival([*retried, *arrived], ends, told(failures))


def start(world: World, at: float, row: ScaleSet, numbers: Collection[int]) -> dict[int, Json]:
    """Get hardware for those of the nodes that hold none, and return the errors of those that get none.

    A set of which nothing runs any more is no longer bound to the cluster that it was in.
    """
    holding = set(instances.holding(row))
    lacking = [number for number in numbers if number not in holding]
    failures = _house(world, row, lacking)
    for number in lacking:
        if number not in failures:
            row.touched[str(number)]["starts"] = True
    world.resources.put(row.key, row)
    eviction.make_room(world, at, row.location, capacity.size_of(row))
    return failures


def told(failures: Mapping[int, Json]) -> Json | None:
    """Return the error that an operation ends with: Azure names one of the nodes that failed, as the target."""
    return next(({**error, "target": str(number)} for number, error in failures.items()), None)


def _house(world: World, row: ScaleSet, numbers: Collection[int]) -> dict[int, Json]:
    """Put nodes where there is hardware, and return the errors of those for which there is none, lowest first."""
    places = capacity.place(world, row, numbers)
    short = sorted(number for number, name in places.items() if name is None)
    if short and not world.setting("partialAllocation", True):
        short = sorted(numbers)
    instances.put_in(row, {number: name for number, name in places.items() if name and number not in short})
    return {number: _error(world, row, number, short) for number in short}


def _error(world: World, row: ScaleSet, number: int, short: Collection[int]) -> Json:
    """Return why there is no hardware for a node.

    When Azure says which is not published; assumed here: a set that runs in a cluster hears of that cluster; what asks
    for more than a size and a zone, or for a zone without any such hardware, of its constraints; others of the place.
    """
    zone, size = instances.zone_of(row, number), capacity.size_of(row)
    if row.properties["singlePlacementGroup"] and capacity.home_of(row, zone, without=short):
        return errors.allocation_failed(single_placement_group=True)
    constraints = _constraints(row)
    served = any(cluster.serves(zone) for cluster in capacity.clusters(world, row.location, size) or ())
    if constraints or not served:
        return errors.overconstrained(zone, [*constraints, *_networking(row)])
    if zone:
        return errors.zonal_allocation_failed(size, zone)
    return errors.allocation_failed(single_placement_group=False)


def _constraints(row: ScaleSet) -> list[str]:
    """Return what a set asks for that makes hardware hard to find, in Azure's words."""
    profile = row.properties.get("virtualMachineProfile", {})
    found = []
    if profile.get("storageProfile", {}).get("osDisk", {}).get("diffDiskSettings"):
        found.append("Differencing (Ephemeral) Disks")
    if profile.get("priority") == "Low":
        found.append("Low Priority VMs")
    if profile.get("priority") == "Spot":
        found.append("Preemptible VMs (VM might be preempted by another VM with a higher priority)")
    return found


def _networking(row: ScaleSet) -> list[str]:
    """Return what is told of networking, of which every set for InfiniBand has something: it excludes no hardware."""
    network = row.properties.get("virtualMachineProfile", {}).get("networkProfile", {})
    interfaces = network.get("networkInterfaceConfigurations", [])
    fast = any(each["properties"].get("enableAcceleratedNetworking") for each in interfaces)
    return ["Networking Constraints (such as Accelerated Networking or IPv6)"] if fast else []


def _spread(numbers: list[int], wanted: int) -> list[int]:
    """Return so many of the numbers, evenly spread: the ids of what overprovisioning gives back leave holes."""
    return [numbers[1 + index * (len(numbers) // wanted)] for index in range(wanted)]
