"""Sizes that a subscription may not use somewhere.

A restriction is data: `{location, size, zones?, reasonCode?}`; without zones it covers the whole region.
"""

from __future__ import annotations

from collections.abc import Iterable

from provision.simulator.state.world import World
from provision.simulator.wire.messages import Json


def refuses(world: World, location: str, size: str, zones: Iterable[str]) -> bool:
    """Return whether a restriction keeps the size out of the region, or out of one of the zones asked for."""
    for restriction in _of(world, location, size):
        blocked = restriction.get("zones")
        if blocked is None or set(blocked) & set(zones):
            return True
    return False


def shown(world: World, location: str, size: str) -> list[Json]:
    """Return the restrictions of a size in a region as the SKU list has them."""
    return [_shown(each, location) for each in _of(world, location, size)]


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
