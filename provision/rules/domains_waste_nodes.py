"""How a pool is cut decides how many jobs fit at once."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="domains-waste-nodes",
    subject=Topology,
    severity=Severity.WARNING,
    why="a job never crosses two InfiniBand domains, so nodes that are left over in each domain do nothing",
    link="https://learn.microsoft.com/azure/virtual-machines/setup-infiniband#cluster-configuration-options",
    remedy="choose a domain_size that is a multiple of job_size, with the spares",
)
def domains_waste_nodes(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool of which fewer jobs fit at once than would with another domain size."""
    for pool in topology.pools:
        job, spares = pool.job_size or 0, pool.settings.spares
        if not pool.infiniband or job < 2 or job + spares > pool.domain_size:
            continue  # a job that fits into no domain is another rule's business
        fit = sum(max(each.nodes - spares, 0) // job for each in pool.scale_sets)
        sizes = range(job + spares, pool.placement_group_limit + 1)
        size = max(sizes, key=lambda size: _fitting(pool.nodes, size, job, spares), default=pool.domain_size)
        best = _fitting(pool.nodes, size, job, spares)
        if fit < best:
            yield Problem(
                at=(*pool.origin, "domain_size"),
                message=f"{fit} of pool {pool.name}'s jobs of {job} nodes can run at once in {pool.region}, "
                f"where {best} could: its {pool.nodes} nodes are cut into domains of {pool.domain_size}",
                fix=f"write `domain_size: {size}` before there are nodes; later it deletes some and makes others",
            )


def _fitting(nodes: int, size: int, job: int, spares: int) -> int:
    """Return how many jobs fit into nodes that fill domains of a size in order."""
    whole, rest = divmod(nodes, size)
    return whole * ((size - spares) // job) + max(rest - spares, 0) // job
