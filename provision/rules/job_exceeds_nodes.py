"""A job needs all its nodes in one InfiniBand domain; where no domain has so many, it can never start."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import PoolInRegion, Topology


@rule(
    id="job-exceeds-nodes",
    subject=Topology,
    severity=Severity.ERROR,
    why="a job's nodes must share one InfiniBand domain, so one scale set must have at least so many nodes",
    link="https://learn.microsoft.com/azure/virtual-machines/setup-infiniband#cluster-configuration-options",
    remedy="state more nodes, or smaller jobs",
)
def job_exceeds_nodes(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool that has nodes, but in no region a scale set of so many as a job needs."""
    shares: dict[str, list[PoolInRegion]] = {}
    for pool in topology.pools:
        if pool.infiniband and pool.job_size is not None and pool.nodes:
            shares.setdefault(pool.name, []).append(pool)
    for name, pools in shares.items():
        largest = max(scale_set.nodes for pool in pools for scale_set in pool.scale_sets)
        job_size = pools[0].job_size or 0
        # A domain that could never hold the job is another rule's matter.
        if largest < job_size <= min(pools[0].domain_size, pools[0].placement_group_limit):
            yield Problem(
                (*pools[0].origin, "job_size"),
                f"pool {name} runs jobs of {job_size} nodes; its largest InfiniBand domain has {largest}",
                f"raise nodes in a region to {job_size}, or lower job_size to {largest}",
            )
