"""Capacity reservations as others see them: which sizes can be reserved, what is reserved, and which sets draw on it.

A reservation counts towards the quota from the start, and the nodes of a set that draws on it do so only beyond it.
It holds no hardware: what is there for a reserved node is what `capacity` says, as for any other.
"""

from __future__ import annotations

from provision.simulator.bodies.bodies import at_path
from provision.simulator.compute import capacity
from provision.simulator.network.network_uses import check_reference
from provision.simulator.refusals import compute_errors as refused
from provision.simulator.state import instances
from provision.simulator.state.facts import Size, sizes
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Resource, ScaleSet, World

GROUP_TYPE = "microsoft.compute/capacityreservationgroups"
TYPE = f"{GROUP_TYPE}/capacityreservations"

_SERIES_WITHOUT = ("standard_nd", "standard_hb", "standard_hc")
"""Series of which no size can be reserved (MicrosoftDocs/azure-compute-docs, capacity-reservation-overview.md,
2026-02-17), for sizes of which the data does not say."""
_MOST_FAULT_DOMAINS = 3


def can_be_reserved(size: Size) -> bool:
    stated = size.facts.get("on_demand_capacity_reservation")
    return bool(stated) if stated is not None else not size.name.lower().startswith(_SERIES_WITHOUT)


def group_of(row: ScaleSet) -> str:
    """Return the key of the group that a set draws on; empty where it draws on none."""
    profile = row.properties.get("virtualMachineProfile", {})
    return str(at_path(profile, "capacityReservation.capacityReservationGroup.id") or "").lower()


def members(world: World, group_key: str) -> list[ScaleSet]:
    return [
        user for user in world.resources.users(group_key) if isinstance(user, ScaleSet) and group_of(user) == group_key
    ]


def drawing(world: World, row: Resource, *, allocated: bool) -> list[str]:
    """Return the ids of the instances that a reservation is for; `allocated`: of those that hold hardware."""
    parent = row.rid.parent
    assert parent is not None
    zone = zone_of(row)
    return [
        f"{user.id}/virtualMachines/{number}"
        for user in members(world, parent.key)
        if capacity.size_of(user).lower() == str(row.body["sku"]["name"]).lower()
        for number in (instances.holding(user) if allocated else instances.live(user))
        if instances.zone_of(user, number) == zone
    ]


def zone_of(row: Resource) -> str:
    return next(iter(row.body.get("zones", [])), "")


def unused(world: World, subscription: str, location: str, group_key: str = "") -> dict[str, int]:
    """Return how many reserved nodes nothing draws on yet, by lower-case size; of one group where one is named."""
    here = f"/subscriptions/{subscription}/".lower()
    found: dict[str, int] = {}
    for row in world.resources.of_type(TYPE):
        inside = row.key.startswith(f"{group_key}/") if group_key else row.key.startswith(here)
        if inside and row.location == location:
            size = str(row.body["sku"]["name"]).lower()
            left = int(row.body["sku"]["capacity"]) - len(drawing(world, row, allocated=False))
            found[size] = found.get(size, 0) + max(0, left)
    return found


def check_set(world: World, rid: ResourceId, after: ScaleSet) -> None:
    """Refuse a set that cannot draw on the group that it names."""
    key = group_of(after)
    if not key:
        return
    profile = after.properties["virtualMachineProfile"]
    group = profile["capacityReservation"]["capacityReservationGroup"]["id"]
    check_reference(world, "capacityReservationGroup", group, after.location, rid)
    if after.properties["singlePlacementGroup"]:
        raise refused.reservation_misfit("'singlePlacementGroup' is true")
    if after.properties.get("proximityPlacementGroup"):
        raise refused.reservation_misfit("it is in a proximity placement group")
    if capacity.is_spot(after):
        raise refused.reservation_misfit("its priority is Spot")
    if after.properties.get("hostGroup"):
        raise refused.reservation_misfit("it is on dedicated hosts")
    if at_path(after.properties, "additionalCapabilities.ultraSSDEnabled"):
        raise refused.reservation_misfit("it uses ultra disks")
    if instances.fault_domains(after) > _MOST_FAULT_DOMAINS:
        raise refused.reservation_misfit(f"it has more than {_MOST_FAULT_DOMAINS} fault domains")
    reserved = {
        (str(row.body["sku"]["name"]).lower(), zone_of(row))
        for row in world.resources.children(key)
        if row.type.lower() == TYPE
    }
    size = capacity.size_of(after).lower()
    if any((size, zone) not in reserved for zone in after.body.get("zones") or [""]):
        known = sizes().get(size)
        raise refused.reservation_misfit(
            f"the group has no reservation of {known.name if known else size} for where it is to be"
        )
