"""What the network and peering templates see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from provision import arm
from provision.arm import ResourceId
from provision.render.place import Place, Resource
from provision.topology import Bastion, Network, Subnet


@dataclass(frozen=True, slots=True)
class SubnetLayout:
    """A subnet; the ids are None where it has no security group, or no NAT gateway."""

    resource: Resource
    range: str
    security_group_id: ResourceId | None
    nat_gateway_id: ResourceId | None


@dataclass(frozen=True, slots=True)
class BastionLayout:
    """A bastion; its public address is among the network's `addresses`."""

    resource: Resource
    subnet_id: ResourceId
    address_id: ResourceId


@dataclass(frozen=True, slots=True)
class NetworkLayout:
    """The value `network` of the network templates. `addresses` are all public ones, `nat_addresses` the gateway's."""

    location: str
    tags: Mapping[str, str]
    security_group: Resource
    ssh_from: tuple[str, ...]
    addresses: tuple[Resource, ...]
    nat_addresses: tuple[Resource, ...]
    nat_gateway: Resource | None
    virtual_network: Resource
    address_space: str
    subnets: tuple[SubnetLayout, ...]
    lustre_subnet: SubnetLayout | None
    bastion: BastionLayout | None


@dataclass(frozen=True, slots=True)
class PeeringLayout:
    """One half in the value `peerings` of the peering templates; each waits for the one before it."""

    resource: Resource
    remote: ResourceId


def network_layout(place: Place, network: Network) -> NetworkLayout:
    """Return the layout of a region's network."""
    group = place.resource(arm.SECURITY_GROUPS, network.security_group, symbol="securityGroup")
    nat_addresses = tuple(
        place.resource(arm.PUBLIC_ADDRESSES, name, symbol=f"natAddress{index}")
        for index, name in enumerate(network.nat_addresses)
    )
    nat = (
        place.resource(arm.NAT_GATEWAYS, network.nat_gateway, symbol="natGateway", after=nat_addresses)
        if network.nat_gateway
        else None
    )
    virtual_network = place.resource(arm.VIRTUAL_NETWORKS, network.virtual_network, symbol="virtualNetwork")
    subnets = _subnets(place, network, virtual_network, group, nat)
    address = network.bastion and place.resource(arm.PUBLIC_ADDRESSES, network.bastion.address, symbol="bastionAddress")
    return NetworkLayout(
        location=place.region.name,
        tags=place.tags(network.unit),
        security_group=group,
        ssh_from=network.ssh_from,
        addresses=(*nat_addresses, *([address] if address else [])),
        nat_addresses=nat_addresses,
        nat_gateway=nat,
        virtual_network=virtual_network,
        address_space=network.address_space,
        subnets=subnets,
        lustre_subnet=subnets[1] if network.lustre else None,
        bastion=_bastion(place, network.bastion, subnets[-1].resource, address)
        if network.bastion and address
        else None,
    )


def peering_layouts(place: Place, network: Network) -> tuple[PeeringLayout, ...]:
    """Return the layouts of a region's halves, one after the other: Azure takes one write to a network at a time."""
    found: list[PeeringLayout] = []
    for index, peering in enumerate(place.region.peerings):
        resource = place.resource(
            arm.PEERINGS,
            network.virtual_network,
            peering.name,
            symbol=f"peering{index}",
            after=(found[-1].resource,) if found else (),
        )
        found.append(PeeringLayout(resource, peering.remote))
    return tuple(found)


def _subnets(
    place: Place, network: Network, virtual_network: Resource, group: Resource, nat: Resource | None
) -> tuple[SubnetLayout, ...]:
    """Return the subnets, one after the other: Azure takes one write to a network at a time.

    The Lustre servers get the nodes' way out, because they call Azure's services from their subnet; the bastion has an
    address of its own. Only the nodes have a security group: the bastion's own would have to let all of its traffic
    through, and Lustre speaks over ports that the default rules leave open inside a network.
    """
    found: list[SubnetLayout] = []
    for subnet in network.subnets():
        is_nodes, is_bastion = _roles(network, subnet)
        needs = (*([group] if is_nodes else []), *([nat] if nat and not is_bastion else []))
        resource = place.resource(
            arm.SUBNETS,
            network.virtual_network,
            subnet.name,
            symbol=f"{subnet.key}Subnet",
            parent=virtual_network,
            after=(*needs, *(each.resource for each in found[-1:])),
        )
        found.append(
            SubnetLayout(
                resource=resource,
                range=subnet.range,
                security_group_id=group.id if is_nodes else None,
                nat_gateway_id=nat.id if nat and not is_bastion else None,
            )
        )
    return tuple(found)


def _roles(network: Network, subnet: Subnet) -> tuple[bool, bool]:
    return subnet is network.nodes, network.bastion is not None and subnet is network.bastion.subnet


def _bastion(place: Place, bastion: Bastion, subnet: Resource, address: Resource) -> BastionLayout:
    resource = place.resource(arm.BASTIONS, bastion.name, symbol="bastion", after=(subnet, address))
    return BastionLayout(resource, subnet.id, address.id)
