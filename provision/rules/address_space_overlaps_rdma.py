"""InfiniBand has an address range of its own, which the virtual network must leave alone."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology

_RDMA = IPv4Network("172.16.0.0/16")  # read in the page of `link`, 2026-11-30


@rule(
    id="address-space-overlaps-rdma",
    subject=Topology,
    severity=Severity.ERROR,
    why="Azure reserves 172.16.0.0/16 for the RDMA network of InfiniBand nodes; no virtual network may overlap it",
    link="https://learn.microsoft.com/azure/virtual-machines/setup-infiniband",
    remedy="choose an address_space that stays clear of 172.16.0.0/16",
)
def address_space_overlaps_rdma(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region with InfiniBand nodes whose network overlaps the RDMA network's."""
    with_infiniband = {pool.region for pool in topology.pools if pool.infiniband}
    for region in topology.regions:
        network = region.network
        if network is None or region.name not in with_infiniband:
            continue
        block = network.address_space
        if IPv4Network(block).overlaps(_RDMA):
            yield Problem(
                at=network.origin,
                message=f"the network of {region.name} is {block}, which overlaps the RDMA network {_RDMA}",
                fix="choose an address_space apart from it, such as 10.0.0.0/8",
            )
