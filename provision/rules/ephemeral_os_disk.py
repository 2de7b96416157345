"""Nodes whose system disk is on the host can't be deallocated."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="ephemeral-os-disk",
    subject=Environment,
    severity=Severity.INFO,
    why="an ephemeral disk lives on the host: Azure refuses to deallocate the node, and a new host means a blank disk",
    link="https://learn.microsoft.com/azure/virtual-machines/ephemeral-os-disks",
    remedy="know it; to stop paying for such nodes, they have to be deleted",
)
def ephemeral_os_disk(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose nodes have ephemeral system disks."""
    for name, pool in environment.pools.items():
        size = catalog.sizes.get(pool.size)
        if pool.os_disk.kind == "ephemeral" and (size is None or size.ephemeral_os_disk is not False):
            yield Problem(
                at=("pools", name, "os_disk"),
                message=f"the nodes of pool {name} can't be deallocated, only deleted; repairs lose their system disk",
                fix="write `kind: premium` where nodes are to be stopped and started again",
            )
