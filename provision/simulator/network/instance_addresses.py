"""The public addresses of instances: one for each ip configuration that asks for one, shown while its node has
hardware.

Each is the lowest that is free when it is asked for, and stays for as long as its node is there. What a node had that
is gone is free from the next write of its set on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from provision.simulator.network.runs import offset_of, offsets_of, runs_of
from provision.simulator.state import instances
from provision.simulator.state.world import ScaleSet, World, guid_of
from provision.simulator.wire.messages import Json

_FIRST = 4
"""So that no address ends in a zero that would look like a range's own."""


def take(world: World, row: ScaleSet) -> None:
    """Give an address to each instance of a set that is to have one and has none, and forget those that are not needed.

    Costs the nodes of the set and the runs of the others; of a set without public addresses nothing.
    """
    places = [f"{interface['name']}|{address['name']}" for interface, address, _ in _configurations(row)]
    if not places and not row.public_addresses:
        return
    live = instances.live(row)
    present = set(live)
    known = {place: offsets_of(row.public_addresses.get(place, ()), present) for place in places}
    lacking = [(place, number) for place in places for number in live if number not in known[place]]
    row.public_addresses = {place: runs_of(offsets) for place, offsets in known.items() if offsets}
    for (place, number), offset in zip(lacking, _free(world, row), strict=False):
        known[place][number] = offset
    row.public_addresses = {place: runs_of(offsets) for place, offsets in known.items() if offsets}


def held(row: ScaleSet) -> Iterator[int]:
    """Yield the offsets of the addresses that the instances of a set have."""
    live = set(instances.live(row))
    for runs in row.public_addresses.values():
        yield from offsets_of(runs, live).values()


def _free(world: World, row: ScaleSet) -> Iterator[int]:
    """Yield the offsets that are in no set's runs, lowest first, without end."""
    others = [each for each in world.resources.scale_sets() if each.key != row.key]
    taken = sorted(
        (offset, offset + size)
        for each in (*others, row)
        for runs in each.public_addresses.values()
        for _, size, offset in runs
    )
    for (_, end), (start, _) in pairwise([(0, 0), *taken]):
        yield from range(end, start)
    at = taken[-1][1] if taken else 0
    while True:
        yield at
        at += 1


def of(row: ScaleSet, number: int, now: float) -> Iterator[Json]:
    """Yield the addresses of an instance that stands; a deallocated or failed one has none."""
    differs = row.touched.get(str(number), {})
    if instances.state(row, number, now) in ("Creating", "Failed") or differs.get("power") == "deallocated":
        return
    for interface, address, public in _configurations(row):
        offset = offset_of(row.public_addresses.get(f"{interface['name']}|{address['name']}", []), number)
        if offset is not None:
            place = f"{row.id}/virtualMachines/{number}/networkInterfaces/{interface['name']}"
            yield _address(row, f"{place}/ipConfigurations/{address['name']}", public, offset)


def _configurations(row: ScaleSet) -> Iterator[tuple[Json, Json, Json]]:
    """Yield interface, ip configuration and public address as the set's model has them, where it has the last."""
    profile = row.properties.get("virtualMachineProfile", {}).get("networkProfile", {})
    for interface in profile.get("networkInterfaceConfigurations", []):
        for address in interface["properties"]["ipConfigurations"]:
            public = address["properties"].get("publicIPAddressConfiguration")
            if public is not None:
                yield interface, address, public


def _address(row: ScaleSet, configuration: str, public: Json, offset: int) -> Json:
    given = public.get("properties") or {}
    version = given.get("publicIPAddressVersion", "IPv4")
    return {
        "name": public["name"],
        "id": f"{configuration}/publicIPAddresses/{public['name']}",
        "etag": f'W/"{guid_of(row.unique_id, str(row.writes))}"',
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": guid_of(row.unique_id, configuration),
            "ipAddress": _number(offset + _FIRST, version),
            "publicIPAddressVersion": version,
            "publicIPAllocationMethod": "Static" if (public.get("sku") or {}).get("name") == "Standard" else "Dynamic",
            "idleTimeoutInMinutes": given.get("idleTimeoutInMinutes", 4),
            "ipTags": given.get("ipTags", []),
            "ipConfiguration": {"id": configuration},
        },
    }


def _number(number: int, version: str) -> str:
    if version == "IPv6":
        return f"2603:1040:{number >> 16:x}::{number & 0xFFFF:x}"
    return f"52.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
