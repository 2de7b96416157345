"""Somebody must be able to reach the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="no-way-in",
    subject=Topology,
    severity=Severity.WARNING,
    why="nodes have private addresses, which can be reached only from their network or from one that it is peered with",
    link="https://learn.microsoft.com/azure/bastion/bastion-overview",
    remedy="set network.bastion, network.peer_with or a pool's public_ip",
)
def no_way_in(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield an environment whose nodes can be reached neither from outside nor from a network of others."""
    networks = [region.network for region in topology.regions if region.network is not None]
    ways = (
        len(networks) < len(topology.regions),  # an existing subnet's owner decides who comes in
        any(network.bastion for network in networks),
        any(peering.region is None for region in topology.regions for peering in region.peerings),
        any(pool.settings.public_ip for pool in topology.pools),
    )
    if topology.regions and not any(ways):
        yield Problem(
            at=("network",),
            message="nobody can reach the nodes: there is no bastion, no peering with a network of others, and no pool "
            "with public addresses",
            fix="set bastion: true, or public_ip: true in a pool that people log in to",
        )
