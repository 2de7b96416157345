"""Large jobs wait for one broken node unless a spare stands by."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import PoolInRegion, Topology

_LARGE = 64


@rule(
    id="spares-missing",
    subject=Topology,
    severity=Severity.INFO,
    why="of about 128 nodes two a day were down in a published training run, and to replace one takes hours to days",
    link="https://github.com/facebookresearch/metaseq/tree/main/projects/OPT/chronicles",
    remedy="keep some nodes of each InfiniBand domain free: `spares`",
)
def spares_missing(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each large pool of InfiniBand nodes, 64 in a region or more, that keeps none free."""
    large: dict[str, PoolInRegion] = {}
    for pool in topology.pools:
        if pool.infiniband and pool.nodes >= max(_LARGE, large[pool.name].nodes + 1 if pool.name in large else 0):
            large[pool.name] = pool
    for pool in large.values():
        if not pool.settings.spares:
            yield Problem(
                at=pool.origin,
                message=f"pool {pool.name} keeps none of its {pool.nodes} nodes in {pool.region} free; "
                "when one breaks, a job that needs them all waits for its repair",
                fix="set `spares`, and make jobs smaller by as many nodes",
            )
