"""All nodes of a region share one subnet, whose range can't grow while it is in use."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology
from provision.topology.addresses import nodes_range, region_block


@rule(
    id="subnet-too-small",
    subject=Topology,
    severity=Severity.ERROR,
    why="each node takes one address of its subnet, of which Azure keeps 5 for itself",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq",
    remedy="choose a larger address_space before the first apply; it can not change later",
)
def subnet_too_small(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region whose subnet has fewer addresses than the region's pools have nodes."""
    reserved = catalog.limits["subnet_reserved_addresses"]
    for region in topology.regions:
        subnet = IPv4Network(region.network.subnet_range)
        usable = subnet.num_addresses - reserved
        needed = sum(scale_set.nodes for scale_set in region.scale_sets)
        if needed <= usable:
            continue
        pools = [pool for pool in topology.pools if pool.region == region.name and pool.nodes]
        each = " + ".join(f"{pool.nodes} of {pool.name}" for pool in pools)
        total = f"{each} = {needed}" if len(pools) > 1 else each
        prefix = 32 - (needed + reserved - 1).bit_length()
        yield Problem(
            at=("network", "address_space"),
            message=f"the nodes of {region.name} need {total} addresses; the subnet {subnet} has {usable} to give",
            fix=_fix(prefix),
        )


def _fix(prefix: int) -> str:
    """Return how to get subnets of a prefix length, or shorter."""
    length = prefix - (nodes_range(region_block("10.0.0.0/8", 0)).prefixlen - 8)
    if length < 8:
        return f"spread the nodes over more regions: they need a /{prefix}, and the largest address_space gives less"
    return f"they need a /{prefix} or larger: an address_space of /{length}, such as 10.0.0.0/{length}, gives that"
