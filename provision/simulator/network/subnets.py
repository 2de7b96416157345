"""Subnets: their ranges inside the virtual network, the addresses in use, and what that use forbids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from provision.simulator.network import bastions, lustre_sizes
from provision.simulator.network.prefixes import lies_in, parsed, prefixes_of
from provision.simulator.refusals import network_errors
from provision.simulator.state import instances
from provision.simulator.state.facts import limit
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Resource, ScaleSet, World
from provision.simulator.wire.messages import Json

TYPE = "microsoft.network/virtualnetworks/subnets"
SMALLEST_PREFIX, ONLY_PREFIX_6 = 29, 64
"""Lengths: of the smallest IPv4 subnet, and of every IPv6 one: azure-docs, virtual-networks-faq."""
_WITHOUT_GROUP = ("gatewaysubnet", "azurefirewallsubnet", "azurefirewallmanagementsubnet", "routeserversubnet")
"""Subnets of services of Azure that take no security group."""
_SERVICES = {
    "azurebastionsubnet": "Azure Bastion",
    "gatewaysubnet": "Virtual Network Gateway",
    "azurefirewallsubnet": "Azure Firewall",
    "azurefirewallmanagementsubnet": "Azure Firewall",
    "routeserversubnet": "Azure Route Server",
}
"""The names that Azure keeps for subnets of its own services, and which service each is for."""


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
    """Return how many IPv4 addresses a subnet has for others than Azure itself."""
    ranges = [parsed(prefix) for prefix in prefixes_of(row.properties) if parsed(prefix).version == 4]
    return sum(each.num_addresses - limit("subnet_reserved_addresses") for each in ranges)


def refuse_others(row: Resource) -> None:
    """Refuse to put nodes, or anything else that is no service of Azure's own, into a subnet that is kept for one."""
    service = _SERVICES.get(row.rid.name.lower())
    if service is not None:
        raise network_errors.subnet_of_a_service(row.rid.name, service)


def refuse_in_use(world: World, row: Resource) -> None:
    address = next(addresses_in(world, row.key), None)
    if address is not None:
        raise network_errors.subnet_in_use(row.rid.name, interface_of(address))


def interface_of(address: str) -> str:
    """Return the id of an ip configuration as refusals name it: a node's interface goes by a name made of its path."""
    front, _, path = address.partition("/providers/Microsoft.Compute/")
    if not path:
        return address
    interface, _, configuration = f"providers/Microsoft.Compute/{path}".partition("/ipConfigurations/")
    name = f"|{interface.replace('/', '|')}"
    return f"{front}/providers/Microsoft.Network/networkInterfaces/{name}/ipConfigurations/{configuration}"


def check(world: World, rid: ResourceId, properties: Json) -> None:
    """Refuse a subnet that does not fit into its virtual network beside the others."""
    assert rid.parent is not None
    vnet = world.resources[rid.parent.key]
    before = world.resources.get(rid.key)
    if before is not None:
        _refuse_range_change(world, before, properties)
        _refuse_delegation_change(world, before, properties)
    others = [(row.rid.name, row.properties) for row in of(world, vnet.key) if row.key != rid.key]
    _check_number(vnet, len(others) + 1)
    space = vnet.properties["addressSpace"]["addressPrefixes"]
    _check_ranges(vnet.rid.name, space, [*others, (rid.name, properties)])
    _check_reserved(world, rid.name, properties)
    _check_gateway(world, vnet, properties)


def check_all(vnet: Resource, space: Iterable[str], rows: Iterable[Resource]) -> None:
    """Refuse an address space that does not hold the subnets that exist."""
    _check_ranges(vnet.rid.name, space, [(row.rid.name, row.properties) for row in rows])


def check_replacement(world: World, vnet: Resource, made: list[Resource]) -> None:
    """Refuse the subnets of a body where they do not fit, or where one that is in use would change or go."""
    stated = {row.key: row for row in made}
    for before in of(world, vnet.key):
        if before.key in stated:
            _refuse_range_change(world, before, stated[before.key].properties)
            _refuse_delegation_change(world, before, stated[before.key].properties)
        else:
            refuse_in_use(world, before)
    _check_number(vnet, len(made))
    check_all(vnet, vnet.properties["addressSpace"]["addressPrefixes"], made)
    for row in made:
        _check_reserved(world, row.rid.name, row.properties)
        _check_gateway(world, vnet, row.properties)


def _refuse_range_change(world: World, before: Resource, properties: Json) -> None:
    """Refuse to take a range away in which addresses are in use; another one may be added to it."""
    kept = {parsed(text) for text in prefixes_of(properties)}
    lost = [text for text in prefixes_of(before.properties) if parsed(text) not in kept]
    if lost and next(addresses_in(world, before.key), None) is not None:
        raise network_errors.prefix_in_use(lost[0], before.rid.name)


def _refuse_delegation_change(world: World, before: Resource, properties: Json) -> None:
    """Refuse to give a subnet in which addresses are in use to another service, or to take it from one."""
    was, becomes = _services(before.properties), _services(properties)
    user = next(addresses_in(world, before.key), None) if was != becomes else None
    if user is not None:
        raise network_errors.delegation_in_use(before.id, was, becomes, interface_of(user))


def _services(properties: Json) -> list[str]:
    return [str((each.get("properties") or {}).get("serviceName")) for each in properties.get("delegations") or []]


def _check_number(vnet: Resource, number: int) -> None:
    most = limit("virtual_network_subnets")
    if number > most:
        raise network_errors.too_many(vnet.rid.name, "subnets", most)


def _check_reserved(world: World, name: str, properties: Json) -> None:
    """Refuse what the names that Azure keeps for services of its own do not go with."""
    group = (properties.get("networkSecurityGroup") or {}).get("id")
    if name.lower() in _WITHOUT_GROUP and group is not None:
        raise network_errors.no_group_allowed(group, name)
    if name.lower() == bastions.SUBNET_NAME:
        if group is not None:
            bastions.check_group(world, group, name)
        if properties.get("routeTable") is not None:
            raise network_errors.no_route_table_allowed(name)


def _check_gateway(world: World, vnet: Resource, properties: Json) -> None:
    """Refuse a NAT gateway that subnets of another virtual network use."""
    gateway = str((properties.get("natGateway") or {}).get("id", ""))
    for user in world.resources.users(gateway.lower()):
        other = user.rid.parent
        if other is not None and other.key != vnet.key:
            raise network_errors.gateway_elsewhere(gateway, other.text, vnet.id)


def _check_ranges(vnet: str, space: Iterable[str], rows: list[tuple[str, Json]]) -> None:
    spaces = [parsed(text) for text in space]
    seen: list[tuple[int, int, int]] = []
    for name, properties in rows:
        for text in prefixes_of(properties):
            network = parsed(text)
            smallest = SMALLEST_PREFIX if network.version == 4 else ONLY_PREFIX_6
            if network.prefixlen > smallest or not any(lies_in(network, outer) for outer in spaces):
                raise network_errors.subnet_outside(name, vnet)
            first, last = int(network.network_address), int(network.broadcast_address)
            if any(version == network.version and first <= end and start <= last for version, start, end in seen):
                raise network_errors.subnet_overlaps(name, vnet)
            seen.append((network.version, first, last))
