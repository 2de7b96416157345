"""Nodes usually need a way to the internet."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="no-way-out",
    subject=Topology,
    severity=Severity.WARNING,
    why="without a way out, nodes reach neither package mirrors nor registries, and extensions that download time out",
    link="https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access",
    remedy="give the network a NAT gateway, or make sure that nodes need nothing from outside",
)
def no_way_out(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region whose nodes have neither a NAT gateway nor public addresses."""
    pools = topology.pools_by_region()
    for region in topology.regions:
        network = region.network
        if network is None or network.nat_gateway is not None:
            continue
        closed = [pool.name for pool in pools[region.name] if pool.nodes and not pool.settings.public_ip]
        if closed:
            yield Problem(
                at=("network", "outbound"),
                message=f"the nodes of {', '.join(closed)} in {region.name} have no way out: their subnet "
                f"{network.nodes.name} has no NAT gateway, and they have no public addresses",
                fix="set outbound to {nat_gateway: {addresses: 1}}, or public_ip: true in the pool",
            )
