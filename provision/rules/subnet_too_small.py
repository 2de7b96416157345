"""All nodes of a region share one subnet, whose range can't grow while it is in use."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Network, PoolInRegion, Topology
from provision.topology.addresses import nodes_range, region_block


@rule(
    id="subnet-too-small",
    subject=Topology,
    severity=Severity.ERROR,
    why="each node takes one address of its subnet, of which Azure keeps 5 for itself",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq",
    remedy="choose a larger range before the first apply; it can not change later",
)
def subnet_too_small(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region whose subnet has fewer addresses than its pools have, or may come to have, nodes."""
    reserved = catalog.limits["subnet_reserved_addresses"]
    pools = topology.pools_by_region()
    for region in topology.regions:
        if region.network is None:
            continue  # an existing subnet, of which only Azure knows how much is free
        subnet = IPv4Network(region.network.nodes.range)
        usable = max(0, subnet.num_addresses - reserved)
        needs = [(pool, _most(pool)) for pool in pools[region.name] if pool.nodes]
        needed = sum(nodes for _, nodes in needs)
        if needed <= usable:
            continue
        each = " + ".join(
            f"{nodes} of {pool.name}{' (max_nodes)' if nodes > pool.nodes else ''}" for pool, nodes in needs
        )
        total = f"{each} = {needed}" if len(needs) > 1 else each
        prefix = 32 - (needed + reserved - 1).bit_length()
        yield Problem(
            at=region.network.nodes.origin,
            message=f"the nodes of {region.name} need {total} addresses; the subnet {subnet} has {usable} to give",
            fix=_fix(region.network, prefix),
        )


def _most(pool: PoolInRegion) -> int:
    """Return the most nodes that a pool will have in a region: those of today, or `max_nodes`."""
    return max(pool.nodes, pool.settings.max_nodes or 0)


def _fix(network: Network, prefix: int) -> str:
    """Return how to get a subnet of a prefix length, or shorter."""
    if network.nodes.is_stated:
        return f"state a /{prefix} or larger"
    half = nodes_range(region_block("10.0.0.0/8", 0)).prefixlen - 8
    if network.origin[0] == "regions":
        return f"they need a /{prefix} or larger: an address_space of /{prefix - 1} gives that"
    length = prefix - half
    if length < 8:
        return f"spread the nodes over more regions: they need a /{prefix}, and the largest address_space gives less"
    return f"they need a /{prefix} or larger: an address_space of /{length}, such as 10.0.0.0/{length}, gives that"
