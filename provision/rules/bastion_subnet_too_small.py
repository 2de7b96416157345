"""A bastion wants a subnet of a fixed least size."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology
from provision.topology.addresses import BASTION_PREFIX
from provision.topology.names import BASTION_SUBNET


@rule(
    id="bastion-subnet-too-small",
    subject=Topology,
    severity=Severity.ERROR,
    why="Azure refuses a bastion whose subnet is smaller than a /26",
    link="https://learn.microsoft.com/azure/bastion/configuration-settings#subnet",
    remedy="give it a /26 or larger",
)
def bastion_subnet_too_small(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each bastion's subnet that is smaller than a /26."""
    for region in topology.regions:
        network = region.network
        if network is None:
            continue
        for subnet in (*network.subnets(), *network.reserved):
            prefix = IPv4Network(subnet.range).prefixlen
            if subnet.name != BASTION_SUBNET or prefix <= BASTION_PREFIX:
                continue
            yield Problem(
                at=subnet.origin,
                message=f"the subnet {subnet.name} of {region.name} is {subnet.range}, a /{prefix}; it must be a "
                f"/{BASTION_PREFIX} or larger",
                fix=f"state a /{BASTION_PREFIX} or larger"
                if subnet.is_stated
                else f"state a range in regions.{region.name}.subnets.bastion, or an address_space of /24 or larger",
            )
