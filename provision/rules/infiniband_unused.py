"""Nodes with InfiniBand cost more than their siblings without."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="infiniband-unused",
    subject=Topology,
    severity=Severity.INFO,
    why="the size has InfiniBand, which is part of its price, and without a placement group nodes don't share a fabric",
    link="https://learn.microsoft.com/azure/virtual-machines/setup-infiniband",
    remedy="take the size's sibling without RDMA, where there is one",
)
def infiniband_unused(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool that turns InfiniBand off although its size has it and a sibling has not."""
    for pool in topology.pools:
        if pool.infiniband or not pool.size.rdma or not pool.nodes:
            continue
        prices = catalog.prices.get(pool.size.name, {})
        siblings = {
            other.name: catalog.prices[other.name][pool.region]
            for other in catalog.sizes.values()
            if not other.rdma
            and not other.unsupported
            and other.gpus == pool.size.gpus
            and _model(other.name) == _model(pool.size.name)
            and pool.region in catalog.prices.get(other.name, {})
        }
        if siblings and pool.region in prices:
            name = min(siblings, key=lambda name: (siblings[name], name))
            yield Problem(
                at=(*pool.origin, "infiniband"),
                message=f"pool {pool.name} pays {prices[pool.region]:.2f} USD an hour and node in {pool.region} for a "
                f"size with InfiniBand and does not use it; {name} costs {siblings[name]:.2f}",
                fix=f"write `size: {name}`, or let the pool use InfiniBand",
            )


def _model(size: str) -> str:
    """Return what siblings share in their names: the GPU and the version, `H100_v5`."""
    return "_".join(size.split("_")[-2:])
