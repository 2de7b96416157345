"""A job's nodes must share one InfiniBand domain: one scale set, in one placement group."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="job-exceeds-placement-group",
    subject=Topology,
    severity=Severity.ERROR,
    why="InfiniBand joins only VMs of one placement group, and Azure caps it at 100 VMs until support raises it",
    link="https://learn.microsoft.com/azure/virtual-machines/setup-infiniband#cluster-configuration-options",
    remedy="make the jobs smaller, or ask Azure support for a raise and state it in placement_group_limit",
)
def job_exceeds_placement_group(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose jobs span more nodes than a placement group or a scale set of it holds."""
    most = catalog.limits["single_placement_group_nodes_raised"]
    for pool in topology.pools:
        if not pool.infiniband or pool.job_size is None:
            continue
        at, limit = (*pool.origin, "job_size"), pool.placement_group_limit
        runs = f"pool {pool.name} runs jobs of {pool.job_size} nodes"
        if pool.job_size > limit:
            more = f", or set placement_group_limit to what support has granted (up to {most})" if limit < most else ""
            yield Problem(at, f"{runs}; one placement group holds {limit}", f"lower job_size to {limit}{more}")
        elif pool.job_size > pool.domain_size:
            yield Problem(
                at,
                f"{runs}; its scale sets, each an InfiniBand domain, hold {pool.domain_size}",
                f"raise domain_size to {pool.job_size} (at most {limit}), or lower job_size to {pool.domain_size}",
            )
