"""Hardware for instances: the one place that is asked for it, whoever brings them up."""

from __future__ import annotations

from provision.simulator import errors, quota
from provision.simulator.messages import Json
from provision.simulator.world import ScaleSet, World


def granted(world: World, row: ScaleSet, wanted: int) -> tuple[int, Json | None]:
    """Return how many of the wanted instances get hardware, and the error of those that get none.

    Asked before the instances are added to the set: what the world holds counts as taken.
    """
    room = quota.room(world, row)
    if room is None or wanted <= room:
        return wanted, None
    zones = row.body.get("zones") or []
    single = bool(row.properties["singlePlacementGroup"])
    if len(zones) == 1 and not single:
        return room, errors.zonal_allocation_failed(row.body["sku"]["name"], zones[0])
    return room, errors.allocation_failed(single_placement_group=single)
