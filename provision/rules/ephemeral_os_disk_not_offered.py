"""Some sizes have no place on the host for a system disk."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="ephemeral-os-disk-not-offered",
    subject=Environment,
    severity=Severity.ERROR,
    why="an ephemeral disk needs a cache or a local disk on the host, which this size has not; Azure refuses it",
    link="https://learn.microsoft.com/azure/virtual-machines/ephemeral-os-disks",
    remedy="use a premium disk, or a size with a local disk",
)
def ephemeral_os_disk_not_offered(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool with ephemeral system disks whose size has none."""
    for name, pool in environment.pools.items():
        size = catalog.sizes.get(pool.size)
        if pool.os_disk.kind == "ephemeral" and size is not None and size.ephemeral_os_disk is False:
            yield Problem(
                at=("pools", name, "os_disk"),
                message=f"{pool.size}, the size of pool {name}, has no ephemeral system disks",
                fix="write `kind: premium`",
            )
