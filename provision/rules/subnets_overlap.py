"""No address belongs to two subnets."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import combinations

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Network, Subnet, Topology
from provision.topology.addresses import free_range


@rule(
    id="subnets-overlap",
    subject=Topology,
    severity=Severity.ERROR,
    why="no two subnets of a virtual network may share an address; Azure then refuses the later, and does not say why",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-network-manage-subnet",
    remedy="give each subnet a range of its own",
)
def subnets_overlap(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pair of subnets of a region whose ranges overlap."""
    for region in topology.regions:
        if region.network is None:
            continue
        block = IPv4Network(region.network.address_space)
        # One that is outside is told of by a rule of its own, and has to move anyway.
        subnets = tuple(
            subnet
            for subnet in (*region.network.subnets(), *region.network.reserved)
            if IPv4Network(subnet.range).subnet_of(block)
        )
        for one, other in combinations(subnets, 2):
            a, b = IPv4Network(one.range), IPv4Network(other.range)
            if not a.overlaps(b):
                continue
            common = a if a.subnet_of(b) else b
            how = f"overlap: both are {a}, a duplicate" if a == b else f"overlap in {common}"
            # Of two ranges one lies inside the other; the one to move is the derived one, else the later.
            moved = one if other.is_stated and not one.is_stated else other
            yield Problem(
                at=other.origin if other.is_stated else one.origin,
                message=f"the subnets {one.name} ({a}) and {other.name} ({b}) of {region.name} {how}",
                fix=_fix(region.name, region.network, moved, subnets),
            )


def _fix(region: str, network: Network, moved: Subnet, subnets: tuple[Subnet, ...]) -> str:
    prefix = IPv4Network(moved.range).prefixlen
    taken = [IPv4Network(subnet.range) for subnet in subnets if subnet is not moved]
    free = free_range(IPv4Network(network.address_space), prefix, taken)
    if free is None:
        return f"make them smaller: {network.address_space} has no /{prefix} left"
    return f"move {moved.name}: the next free /{prefix} is {free} (regions.{region}.subnets.{moved.key})"
