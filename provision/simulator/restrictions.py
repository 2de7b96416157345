"""Sizes that a subscription may not use somewhere, and the SKU list that says so.

A restriction is data: `{location, size, zones?, reasonCode?}`; without zones it covers the whole region.
"""

from __future__ import annotations

from collections.abc import Iterable

from provision.simulator import reservations
from provision.simulator.facts import Size, regions, sizes
from provision.simulator.messages import Json
from provision.simulator.world import World

_FLAGS = {
    "PremiumIO": "premium_storage",
    "AcceleratedNetworkingEnabled": "accelerated_networking",
    "EphemeralOSDiskSupported": "ephemeral_os_disk",
    "RdmaEnabled": "rdma",
}
_NUMBERS = {"vCPUs": "vcpus", "MemoryGB": "memory_gib", "GPUs": "gpus", "MaxDataDiskCount": "max_data_disks"}


def refuses(world: World, location: str, size: str, zones: Iterable[str]) -> bool:
    """Return whether a restriction keeps the size out of the region, or out of one of the zones asked for."""
    for restriction in _of(world, location, size):
        blocked = restriction.get("zones")
        if blocked is None or set(blocked) & set(zones):
            return True
    return False


def skus(world: World, location: str) -> list[Json]:
    """Return the SKU rows of a region; without one, a row for each region and size."""
    places = [location] if location else sorted(regions())
    return [_row(world, place, size) for place in places for size in sizes().values() if place in size.regions]


def _row(world: World, location: str, size: Size) -> Json:
    zones = list(regions()[location].zones)
    name = size.name.removeprefix("Standard_")
    return {
        "resourceType": "virtualMachines",
        "name": size.name,
        "tier": "Standard",
        "size": name,
        "family": size.family,
        "locations": [location],
        "locationInfo": [{"location": location, "zones": zones, "zoneDetails": []}],
        "capabilities": _capabilities(size),
        "restrictions": [_shown(each, location) for each in _of(world, location, size.name)],
    }


def _capabilities(size: Size) -> list[Json]:
    """Return what the data knows of a size, as strings; what it does not know is left out."""
    facts = size.facts
    found = [(name, str(facts[key])) for name, key in _NUMBERS.items() if key in facts]
    found += [(name, str(facts[key])) for name, key in _FLAGS.items() if key in facts]
    generations = [text for text, key in (("V1", "generation_1"), ("V2", "generation_2")) if facts.get(key)]
    if generations:
        found.append(("HyperVGenerations", ",".join(generations)))
    found.append(("CapacityReservationSupported", str(reservations.can_be_reserved(size))))
    if facts.get("trusted_launch") is False:
        found.append(("TrustedLaunchDisabled", "True"))
    return [{"name": name, "value": value} for name, value in found]


def _shown(restriction: Json, location: str) -> Json:
    zones = restriction.get("zones")
    reason = restriction.get("reasonCode", "NotAvailableForSubscription")
    if zones is None:
        info = {"locations": [location]}
        return {"type": "Location", "values": [location], "restrictionInfo": info, "reasonCode": reason}
    info = {"locations": [location], "zones": zones}
    return {"type": "Zone", "values": [location], "restrictionInfo": info, "reasonCode": reason}


def _of(world: World, location: str, size: str) -> list[Json]:
    return [
        each for each in world.restrictions if each["location"] == location and each["size"].lower() == size.lower()
    ]
