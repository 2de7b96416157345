"""How much of Network a subscription uses in a region, of how much: what is listed, and what is refused beyond it.

A tester's quota, by the names that the list has, overrides each limit that is counted. Limits of one network or one
security group stand in the list too, as Azure has them there, with nothing used.
"""

from __future__ import annotations

from dataclasses import dataclass

from provision.simulator.network import public_addresses
from provision.simulator.refusals import network_errors
from provision.simulator.state import instances
from provision.simulator.state.facts import limit
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.limits import limit_of
from provision.simulator.state.world import Resource, World
from provision.simulator.wire.messages import Json

_NETWORKS = "microsoft.network/virtualnetworks"
_GROUPS = "microsoft.network/networksecuritygroups"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A type of which a subscription may have so many in a region."""

    name: str
    words: str
    limit: str


_COUNTED = {
    _NETWORKS: _Kind("VirtualNetworks", "Virtual Networks", "region_virtual_networks"),
    _GROUPS: _Kind("NetworkSecurityGroups", "Network Security Groups", "region_security_groups"),
}
_OF_ONE = (
    ("SubnetsPerVirtualNetwork", "Subnets per Virtual Network", "virtual_network_subnets"),
    ("IPConfigurationsPerVirtualNetwork", "IP Configurations per Virtual Network", "virtual_network_addresses"),
    ("PeeringsPerVirtualNetwork", "Peerings per Virtual Network", "virtual_network_peerings"),
    ("SecurityRulesPerNetworkSecurityGroup", "Security rules per Network Security Group", "security_group_rules"),
)


def rows(world: World, subscription: str, location: str) -> list[Json]:
    """Return the usages as Network lists them. Interfaces are those of nodes: there are no others here."""

    def row(name: str, words: str, used: int, most: int, *, fixed: bool = False) -> Json:
        return {
            "currentValue": used,
            "id": f"/subscriptions/{subscription}/providers/Microsoft.Network/locations/{location}/usages/{name}",
            "isAdjustable": not fixed,
            "limit": most if fixed else limit_of(world, subscription, location, name, most),
            "name": {"localizedValue": words, "value": name},
            "unit": "Count",
        }

    addresses = _held(world, public_addresses.TYPE, subscription, location)
    static = sum(1 for each in addresses if each.properties["publicIPAllocationMethod"] == "Static")
    standard = sum(1 for each in addresses if each.body["sku"]["name"] != "Basic")
    most = limit_of(world, subscription, location, public_addresses.COUNT_QUOTA, public_addresses.MOST_ADDRESSES)
    here = f"/subscriptions/{subscription}/".lower()
    sets = [each for each in world.resources.scale_sets(location) if each.key.startswith(here)]
    interfaces = sum(_interfaces(each) * instances.count(each) for each in sets)
    counted = [
        row(kind.name, kind.words, len(_held(world, type_, subscription, location)), limit(kind.limit))
        for type_, kind in _COUNTED.items()
    ]
    return [
        *counted,
        row("PublicIPAddresses", "Public IP Addresses", len(addresses), most),
        row("StaticPublicIPAddresses", "Static Public IP Addresses", static, most),
        row("StandardSkuPublicIpAddresses", "Public IPv4 Addresses - Standard", standard, most),
        row("NetworkInterfaces", "Network Interfaces", interfaces, limit("region_network_interfaces")),
        *(row(name, words, 0, limit(known), fixed=True) for name, words, known in _OF_ONE),
    ]


def refuse_more(world: World, rid: ResourceId, location: str) -> None:
    """Refuse to make one more of a type of which the subscription has as many in the region as it may."""
    kind = _COUNTED.get(rid.type.lower())
    if kind is None:
        return
    most = limit_of(world, rid.subscription, location, kind.name, limit(kind.limit))
    if len(_held(world, rid.type.lower(), rid.subscription, location)) >= most:
        raise network_errors.no_more(kind.name.removesuffix("s"), kind.words.lower(), most)


def _held(world: World, type_: str, subscription: str, location: str) -> list[Resource]:
    here = f"/subscriptions/{subscription}/".lower()
    return [row for row in world.resources.of_type(type_) if row.location == location and row.key.startswith(here)]


def _interfaces(row: Resource) -> int:
    profile = row.properties.get("virtualMachineProfile", {}).get("networkProfile", {})
    return len(profile.get("networkInterfaceConfigurations", []))
