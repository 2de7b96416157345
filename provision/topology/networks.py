"""Decides a region's network: whether it is ours, its resources, and where the ranges of its subnets come from."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Network

from provision.arm import SUBNETS, VIRTUAL_NETWORKS, ResourceId, resource_id
from provision.environment import Environment
from provision.environment.model import NatOutbound
from provision.source import Path
from provision.topology import addresses, names
from provision.topology.model import Bastion, Network, Subnet


def network_of(environment: Environment, region: str, slot: int) -> Network | None:
    """Return a region's network; None where the nodes get an existing subnet, whose network is left alone."""
    stated = environment.regions[region]
    if existing_subnet(environment, region) is not None:
        return None
    origin: Path = ("network", "address_space")
    block = addresses.region_block(environment.network.address_space, slot)
    if stated.address_space is not None:
        origin = ("regions", region, "address_space")
        block = IPv4Network(stated.address_space)

    def subnet(name: str, key: str, range: str | None, derived: Callable[[IPv4Network], IPv4Network]) -> Subnet:
        if range is None:
            return Subnet(name, key, str(derived(block)), origin, is_stated=False)
        return Subnet(name, key, range, ("regions", region, "subnets", key), is_stated=True)

    subnets = stated.subnets
    own = stated.names
    nodes = subnet(own.nodes_subnet or names.NODES_SUBNET, "nodes", subnets.nodes, addresses.nodes_range)
    lustre = subnet(own.lustre_subnet or names.LUSTRE_SUBNET, "lustre", subnets.lustre, addresses.lustre_range)
    bastion = subnet(names.BASTION_SUBNET, "bastion", subnets.bastion, addresses.bastion_range)
    prefix = f"{environment.name}-{region}"
    outbound = environment.network.outbound
    count = outbound.nat_gateway.addresses if isinstance(outbound, NatOutbound) else 0
    has_storage = any(each.region == region for each in environment.storage.values())
    named = own.nat_addresses[:count]
    return Network(
        unit=names.NETWORK,
        virtual_network=_virtual_network(environment, region),
        address_space=str(block),
        origin=origin,
        nodes=nodes,
        lustre=lustre if has_storage else None,
        bastion=Bastion(own.bastion or f"{prefix}-bastion", own.bastion_address or f"{prefix}-bastion-ip", bastion)
        if environment.network.bastion
        else None,
        reserved=tuple(
            each
            for each, is_made in ((lustre, has_storage), (bastion, environment.network.bastion))
            if each.is_stated and not is_made
        ),
        security_group=own.security_group or f"{prefix}-nodes-nsg",
        ssh_from=environment.network.ssh_from,
        nat_gateway=(own.nat_gateway or f"{prefix}-nat") if count else None,
        nat_addresses=(*named, *(f"{prefix}-nat-ip-{n}" for n in range(len(named), count))),
    )


def group_of(environment: Environment, region: str) -> str:
    """Return the resource group of a region: the one that is given, else the environment's own."""
    return environment.regions[region].resource_group or names.region_group(environment.name, region)


def nodes_subnet_of(environment: Environment, region: str, network: Network | None) -> ResourceId:
    """Return the subnet that the nodes of a region stand in: the existing one that is stated, else ours."""
    if network is None:
        return ResourceId(existing_subnet(environment, region) or "")
    group = group_of(environment, region)
    return resource_id(environment.subscription, group, SUBNETS, network.virtual_network, network.nodes.name)


def virtual_network_of(environment: Environment, region: str) -> ResourceId:
    """Return the virtual network of ours in a region."""
    name = _virtual_network(environment, region)
    return resource_id(environment.subscription, group_of(environment, region), VIRTUAL_NETWORKS, name)


def _virtual_network(environment: Environment, region: str) -> str:
    return environment.regions[region].names.virtual_network or names.virtual_network(environment.name, region)


def existing_subnet(environment: Environment, region: str) -> str | None:
    """Return the id of the existing subnet that the environment states for the nodes of a region."""
    nodes = environment.regions[region].subnets.nodes
    return nodes if nodes is not None and nodes.startswith("/") else None
