"""A rolling upgrade takes nodes out of running jobs."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="rolling-upgrade-interrupts-jobs",
    subject=Topology,
    severity=Severity.WARNING,
    why="Azure upgrades batch by batch as soon as the model changes, whatever runs, and a job ends with its first node",
    link="https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-upgrade-policy",
    remedy="upgrade by hand between jobs: `upgrade: manual`",
)
def rolling_upgrade_interrupts_jobs(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool of InfiniBand nodes that Azure upgrades by itself."""
    for pool in topology.pools:
        if pool.infiniband and pool.nodes > 1 and pool.settings.upgrade == "rolling":
            yield Problem(
                at=(*pool.origin, "upgrade"),
                message=f"any change of pool {pool.name}'s image or set-up reimages a fifth of its nodes at a time, "
                "with the jobs on them",
                fix="write `upgrade: manual`, and upgrade when no job runs",
            )
