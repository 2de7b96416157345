"""Subnets: their ranges inside the virtual network, the addresses in use, and what that use forbids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from provision.simulator import bastions, instances, lustre_sizes, network_errors
from provision.simulator.facts import limit
from provision.simulator.ids import ResourceId
from provision.simulator.messages import Json
from provision.simulator.network_defaults import parsed, prefixes_of
from provision.simulator.world import Resource, ScaleSet, World

TYPE = "microsoft.network/virtualnetworks/subnets"


def of(world: World, vnet_key: str) -> list[Resource]:
    return [child for child in world.resources.children(vnet_key) if child.type.lower() == TYPE]


def addresses_in(world: World, key: str) -> Iterator[str]:
    """Yield the ids of the ip configurations that are in use: of instances, and of those lately deleted."""
    for user in world.resources.users(key):
        if isinstance(user, ScaleSet):
            yield from instances.addresses(user.id, instances.live(user), instances.configurations(user), key)
        elif user.type.lower() == bastions.TYPE:
            yield from bastions.addresses_in(user, key)
        elif user.type.lower() == lustre_sizes.TYPE:
            yield from lustre_sizes.addresses(user.id, user.body)
    for linger in world.lingers.values():
        yield from instances.addresses(linger.id, linger.instances, linger.configurations, key)


def used(world: World, key: str, *, without: str = "") -> int:
    """Return how many addresses are in use, leaving out one resource by key."""
    total = 0
    for user in world.resources.users(key):
        if user.key == without:
            continue
        if isinstance(user, ScaleSet):
            each = sum(1 for _, _, subnet in instances.configurations(user) if subnet == key)
            total += each * instances.count(user)
        elif user.type.lower() == bastions.TYPE:
            total += sum(1 for _ in bastions.addresses_in(user, key))
        elif user.type.lower() == lustre_sizes.TYPE:
            total += lustre_sizes.addresses_needed(user.body)
    for linger in world.lingers.values():
        each = sum(1 for _, _, subnet in linger.configurations if subnet == key)
        total += each * len(linger.instances)
    return total


def refuse_full(world: World, row: Resource, wanted: int, *, without: str) -> None:
    """Refuse `wanted` addresses, all that one resource is to have, where the subnet cannot hold them."""
    if wanted > size(row) - used(world, row.key, without=without):
        raise network_errors.subnet_full(row.rid.name, prefixes_of(row.properties)[0], wanted)


def size(row: Resource) -> int:
    """Return how many addresses a subnet has for others than Azure itself."""
    reserved = limit("subnet_reserved_addresses")
    return sum(parsed(prefix).num_addresses - reserved for prefix in prefixes_of(row.properties))


def refuse_in_use(world: World, row: Resource) -> None:
    address = next(addresses_in(world, row.key), None)
    if address is not None:
        raise network_errors.subnet_in_use(row.rid.name, address)


def check(world: World, rid: ResourceId, properties: Json) -> None:
    """Refuse a subnet that does not fit into its virtual network beside the others."""
    assert rid.parent is not None
    vnet = world.resources[rid.parent.key]
    before = world.resources.get(rid.key)
    if before is not None:
        _refuse_range_change(world, before, properties)
    others = [(row.rid.name, row.properties) for row in of(world, vnet.key) if row.key != rid.key]
    space = vnet.properties["addressSpace"]["addressPrefixes"]
    _check_ranges(vnet.rid.name, space, [*others, (rid.name, properties)])


def check_all(vnet: str, space: Iterable[str], rows: Iterable[Resource]) -> None:
    """Refuse an address space that does not hold the subnets that exist."""
    _check_ranges(vnet, space, [(row.rid.name, row.properties) for row in rows])


def check_replacement(world: World, vnet: Resource, made: list[Resource]) -> None:
    """Refuse the subnets of a body where they do not fit, or where one that is in use would change or go."""
    stated = {row.key: row for row in made}
    for before in of(world, vnet.key):
        if before.key in stated:
            _refuse_range_change(world, before, stated[before.key].properties)
        else:
            refuse_in_use(world, before)
    check_all(vnet.rid.name, vnet.properties["addressSpace"]["addressPrefixes"], made)


def replace(world: World, vnet: Resource, made: list[Resource]) -> None:
    """Make the subnets of a virtual network those given, as part of the operation that writes the network."""
    stated = {row.key for row in made}
    for before in of(world, vnet.key):
        if before.key not in stated:
            world.resources.remove(before.key)
    for row in made:
        row.operation = vnet.operation
        world.resources.put(row.key, row)


def _refuse_range_change(world: World, before: Resource, properties: Json) -> None:
    changed = [parsed(text) for text in prefixes_of(properties)] != [
        parsed(text) for text in prefixes_of(before.properties)
    ]
    if changed and next(addresses_in(world, before.key), None) is not None:
        raise network_errors.subnet_in_use_for_change(before.rid.name)


def _check_ranges(vnet: str, space: Iterable[str], rows: list[tuple[str, Json]]) -> None:
    spaces = [parsed(text) for text in space]
    seen: list[tuple[int, int]] = []
    for name, properties in rows:
        for text in prefixes_of(properties):
            network = parsed(text)
            if not any(network.subnet_of(outer) for outer in spaces):
                raise network_errors.subnet_outside(name, vnet)
            first, last = int(network.network_address), int(network.broadcast_address)
            if any(first <= other_last and other_first <= last for other_first, other_last in seen):
                raise network_errors.subnet_overlaps(name, vnet)
            seen.append((first, last))
