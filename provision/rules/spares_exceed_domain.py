"""Spares stand in the same InfiniBand domain as the job whose nodes they replace."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="spares-exceed-domain",
    subject=Topology,
    severity=Severity.ERROR,
    why="a spare can stand in for a job's node only inside its InfiniBand domain, and a domain holds no more nodes",
    link="https://learn.microsoft.com/azure/virtual-machines/setup-infiniband#cluster-configuration-options",
    remedy="lower job_size or spares, or raise domain_size",
)
def spares_exceed_domain(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose largest job and spares together are more than a domain holds."""
    for pool in topology.pools:
        spares, job = pool.settings.spares, pool.job_size or 1
        if spares and job <= pool.domain_size < job + spares:
            yield Problem(
                at=(*pool.origin, "spares"),
                message=f"pool {pool.name} runs jobs of {job} nodes with {spares} spares, {job + spares} in all; "
                f"one domain in {pool.region} holds {pool.domain_size}",
                fix=f"keep {pool.domain_size - job} spares, or lower job_size to {max(pool.domain_size - spares, 1)}",
            )
