"""Which private address each interface of an instance has: the lowest that is free when it is made, for as long as it
is there. File systems have theirs in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from itertools import chain, count, islice

from provision.simulator.network import subnets
from provision.simulator.network.prefixes import parsed, prefixes_of
from provision.simulator.network.runs import Runs, all_offsets, offset_of, offsets_of, runs_of
from provision.simulator.refusals import network_errors
from provision.simulator.state import instances
from provision.simulator.state.facts import limit
from provision.simulator.state.world import Resource, ScaleSet, World
from provision.simulator.wire.messages import Json

_FIRST = 4
"""Azure keeps the first four addresses of a range, and the last."""
_SUGGESTED = 5
"""How many free addresses Azure names beside one that is taken: the example of its specification."""


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


def reserve(world: World, key: str, subnet: str, number: int, first: str = "") -> Runs:
    """Return addresses of a subnet that are free for a resource which is no scale set: the lowest, or where a first one
    is wanted that one and those behind it. Raise ValueError where it is none of the subnet's, or another's.
    """
    used = _used_by_others(world, key, subnet)
    if not first:
        return runs_of(dict(enumerate(islice(_free(used), number))))
    row = world.resources.get(subnet)
    offset = None if row is None else _offset(first, prefixes_of(row.properties))
    if row is None or offset is None:
        raise ValueError(f"{first} is no address of {subnet}")
    if offset in used:
        raise ValueError(f"{first} of {subnet} is in use")
    behind = (each for each in range(offset, subnets.size(row)) if each not in used)
    before = (each for each in _free(used) if each < offset or each >= subnets.size(row))
    return runs_of(dict(enumerate(islice(chain(behind, before), number))))


def availability(world: World, network: Resource, text: str) -> Json:
    """Return whether an address of a virtual network is free, as Network says it, and free ones where it is not.

    Refuse what is no address, or in none of the network's subnets.
    """
    try:
        address = IPv4Address(text)
    except AddressValueError as error:
        raise network_errors.no_address(text) from error
    for subnet in subnets.of(world, network.key):
        ranges = prefixes_of(subnet.properties)
        if not any(address in parsed(prefix) for prefix in ranges):
            continue
        used = {offset for _, offsets in held(world, subnet.key) for offset in offsets}
        offset = _offset(text, ranges)
        if offset is not None and offset not in used:
            return {"available": True, "availableIPAddresses": [], "isPlatformReserved": False}
        others = (_address(each, ranges) for each in _free(used))
        names = [each for each in islice(others, _SUGGESTED) if each is not None]
        return {"available": False, "availableIPAddresses": names, "isPlatformReserved": offset is None}
    raise network_errors.no_subnet_has(text, network.id)


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


def _offset(text: str, prefixes: Iterable[str]) -> int | None:
    """Return which of a subnet's addresses a text is; None where it is none, or one that Azure keeps."""
    address, before = IPv4Address(text), 0
    for prefix in prefixes:
        network = parsed(prefix)
        if not isinstance(network, IPv4Network):
            continue
        size = network.num_addresses - limit("subnet_reserved_addresses")
        offset = int(address) - int(network.network_address) - _FIRST
        if address in network:
            return before + offset if 0 <= offset < size else None
        before += size
    return None


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
