"""Only some sizes have InfiniBand; names that look alike differ in it."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.near import nearest
from provision.topology import Topology


@rule(
    id="infiniband-needs-rdma-size",
    subject=Topology,
    severity=Severity.ERROR,
    why="only RDMA-capable sizes, those with an r among the letters behind the number, have InfiniBand ports",
    link="https://learn.microsoft.com/azure/virtual-machines/setup-infiniband#rdma-capable-instances",
    remedy="choose a size with an r, or do without InfiniBand",
)
def infiniband_needs_rdma_size(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool that requires InfiniBand on a size without it."""
    able = [size.name for size in catalog.sizes.values() if size.rdma and not size.unsupported]
    for pool in topology.pools:
        if pool.infiniband and not pool.size.rdma:
            near = nearest(pool.size.name, able)
            other = f"choose {near}" if near else f"choose one of {', '.join(able)}"
            yield Problem(
                at=(*pool.origin, "infiniband"),
                message=f"pool {pool.name} requires InfiniBand; {pool.size.name} has none",
                fix=f"{other}, or write infiniband: none",
            )
