"""One evicted node ends a job that spans many."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="spot-breaks-infiniband-jobs",
    subject=Topology,
    severity=Severity.WARNING,
    why="Azure may take any Spot node at 30 seconds' notice, and a job over InfiniBand ends with its first lost node",
    link="https://learn.microsoft.com/azure/virtual-machine-scale-sets/use-spot",
    remedy="use regular priority for jobs that span nodes",
)
def spot_breaks_infiniband_jobs(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool of Spot nodes that share an InfiniBand fabric."""
    for pool in topology.pools:
        if pool.nodes > 1 and pool.infiniband and pool.settings.priority == "spot":
            yield Problem(
                at=(*pool.origin, "priority"),
                message=f"a job of pool {pool.name} ends when Azure evicts any one of its nodes",
                fix="write `priority: regular`, or `infiniband: none` if no job spans nodes",
            )
