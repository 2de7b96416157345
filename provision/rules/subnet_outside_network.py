"""A subnet is a part of its network."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="subnet-outside-network",
    subject=Topology,
    severity=Severity.ERROR,
    why="a subnet's range must lie inside the address space of its virtual network",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq",
    remedy="choose a range inside the region's address space",
)
def subnet_outside_network(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each subnet whose range is not inside its network's."""
    for region in topology.regions:
        network = region.network
        if network is None:
            continue
        block = IPv4Network(network.address_space)
        for subnet in (*network.subnets(), *network.reserved):
            if not IPv4Network(subnet.range).subnet_of(block):
                yield Problem(
                    at=subnet.origin,
                    message=f"the subnet {subnet.name} of {region.name} is {subnet.range}, which is not contained in "
                    f"its network {block}",
                    fix=f"choose a range inside {block}, or state another regions.{region.name}.address_space",
                )
