"""Which private address each interface of an instance has: the lowest that is free when it is made, for as long as it
is there. File systems have theirs in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, islice

from provision.simulator.network.prefixes import parsed
from provision.simulator.network.runs import Runs, all_offsets, offset_of, offsets_of, runs_of
from provision.simulator.state import instances
from provision.simulator.state.facts import limit
from provision.simulator.state.world import ScaleSet, World

_FIRST = 4
"""Azure keeps the first four addresses of a range, and the last."""


def take(world: World, row: ScaleSet) -> None:
    """Give an address to each instance of a set that has none yet, and forget those of the ones that are gone."""
    live = instances.live(row)
    known = {place: offsets_of(row.addresses.get(place, ()), set(live)) for place in _places(row)}
    for place, offsets in known.items():
        lacking = [number for number in live if number not in offsets]
        if not lacking:
            continue
        subnet = place.partition("|")[0]
        used = _used_by_others(world, row.key, subnet)
        used.update(*(each.values() for other, each in known.items() if other.partition("|")[0] == subnet))
        offsets |= zip(lacking, _free(used), strict=False)
    row.addresses = {place: runs_of(offsets) for place, offsets in known.items() if offsets}


def reserve(world: World, key: str, subnet: str, number: int) -> Runs:
    """Return the lowest addresses of a subnet that are free for a resource which is no scale set."""
    free = islice(_free(_used_by_others(world, key, subnet)), number)
    return runs_of(dict(enumerate(free)))


def of(row: ScaleSet, number: int, place: str, prefixes: Iterable[str]) -> str | None:
    """Return the address of an instance; None where it has none at that place.

    `place`: `subnet|interface|ip configuration`, the subnet by its key; `prefixes`: what the subnet has.
    """
    return among(row.addresses.get(place, []), number, prefixes)


def among(runs: Runs, number: int, prefixes: Iterable[str]) -> str | None:
    """Return the address that a number has in runs; None where it has none."""
    offset = offset_of(runs, number)
    return None if offset is None else _address(offset, prefixes)


def _places(row: ScaleSet) -> list[str]:
    return [f"{subnet}|{interface}|{address}" for interface, address, subnet in instances.configurations(row)]


def held(world: World, subnet: str) -> Iterator[tuple[str, Iterable[int]]]:
    """Yield who has addresses of a subnet, by key, and the offsets of those."""
    for user in world.resources.users(subnet):
        if isinstance(user, ScaleSet):
            yield user.key, _of_instances(user.addresses, instances.live(user), subnet)
        elif "addresses" in user.body:
            yield user.key, all_offsets(user.body["addresses"])
    for name in world.lingers:
        gone = world.lingers[name]
        yield name, _of_instances(gone.addresses, gone.instances, subnet)


def _of_instances(addresses: dict[str, Runs], numbers: list[int], subnet: str) -> list[int]:
    """Return the offsets that instances have in a subnet, in the order of their places."""
    live = set(numbers)
    mine = (runs for place, runs in addresses.items() if place.partition("|")[0] == subnet)
    return [offset for runs in mine for offset in offsets_of(runs, live).values()]


def _free(used: set[int]) -> Iterator[int]:
    return (offset for offset in count() if offset not in used)


def _used_by_others(world: World, key: str, subnet: str) -> set[int]:
    return {offset for holder, offsets in held(world, subnet) if holder != key for offset in offsets}


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
