"""Which private address each interface of an instance has: the lowest that is free when it is made, for as long as it
is there. Kept in runs, so that a set of a thousand nodes keeps one or two.
"""

from __future__ import annotations

from collections.abc import Iterable

from provision.simulator import instances
from provision.simulator.facts import limit
from provision.simulator.prefixes import parsed
from provision.simulator.world import ScaleSet, World

_FIRST = 4
"""Azure keeps the first four addresses of a range, and the last."""


def take(world: World, row: ScaleSet) -> None:
    """Give an address to each instance of a set that has none yet, and forget those of the ones that are gone."""
    live = instances.live(row)
    known = {place: _kept(row, place, set(live)) for place in _places(row)}
    for place, offsets in known.items():
        lacking = [number for number in live if number not in offsets]
        if not lacking:
            continue
        subnet = place.partition("|")[0]
        used = _used_by_others(world, row, subnet)
        used.update(*(each.values() for other, each in known.items() if other.partition("|")[0] == subnet))
        offset = 0
        for number in lacking:
            while offset in used:
                offset += 1
            offsets[number] = offset
            offset += 1
    row.addresses = {place: _runs(offsets) for place, offsets in known.items() if offsets}


def of(row: ScaleSet, number: int, place: str, prefixes: Iterable[str]) -> str | None:
    """Return the address of an instance; None where it has none at that place.

    `place`: `subnet|interface|ip configuration`, the subnet by its key; `prefixes`: what the subnet has.
    """
    for first, count, offset in row.addresses.get(place, ()):
        if first <= number < first + count:
            return _address(offset + number - first, prefixes)
    return None


def _places(row: ScaleSet) -> list[str]:
    return [f"{subnet}|{interface}|{address}" for interface, address, subnet in instances.configurations(row)]


def _kept(row: ScaleSet, place: str, live: set[int]) -> dict[int, int]:
    runs = row.addresses.get(place, ())
    return {
        number: offset + number - first
        for first, count, offset in runs
        for number in range(first, first + count)
        if number in live
    }


def _used_by_others(world: World, row: ScaleSet, subnet: str) -> set[int]:
    used: set[int] = set()
    for user in world.resources.users(subnet):
        if isinstance(user, ScaleSet) and user.key != row.key:
            live = set(instances.live(user))
            for place in user.addresses:
                if place.partition("|")[0] == subnet:
                    used.update(_kept(user, place, live).values())
    return used


def _runs(offsets: dict[int, int]) -> list[list[int]]:
    """Return `[first instance, count, offset of its address]` for instances and addresses that follow each other."""
    runs: list[list[int]] = []
    for number, offset in sorted(offsets.items()):
        last = runs[-1] if runs else None
        if last is not None and number == last[0] + last[1] and offset == last[2] + last[1]:
            last[1] += 1
        else:
            runs.append([number, 1, offset])
    return runs


def _address(offset: int, prefixes: Iterable[str]) -> str | None:
    for prefix in prefixes:
        network = parsed(prefix)
        size = network.num_addresses - limit("subnet_reserved_addresses")
        if network.version != 4:
            continue
        if offset < size:
            return str(network.network_address + _FIRST + offset)
        offset -= size
    return None
