"""A size takes so many data disks and no more."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="data-disks-exceed-size",
    subject=Environment,
    severity=Severity.ERROR,
    why="Azure refuses a node with more data disks than its size has places for",
    link="https://learn.microsoft.com/azure/virtual-machines/sizes/overview",
    remedy="use fewer and larger disks",
)
def data_disks_exceed_size(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool with more data disks than its size takes."""
    for name, pool in environment.pools.items():
        size = catalog.sizes.get(pool.size)
        most = None if size is None else size.max_data_disks
        if most is not None and len(pool.data_disks) > most:
            yield Problem(
                at=("pools", name, "data_disks"),
                message=f"pool {name} has {len(pool.data_disks)} data disks; {pool.size} takes {most}",
                fix=f"leave {most}, larger ones if need be",
            )
