"""A price of a size that no pool has is a misspelt size."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule
from provision.near import nearest


@rule(
    id="price-unused",
    subject=Environment,
    severity=Severity.WARNING,
    why="the size that it was meant for is counted at list price, and so are the limits on cost",
    link="https://learn.microsoft.com/azure/virtual-machines/sizes/overview",
    remedy="write the size as the pools do",
)
def price_unused(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each price whose size no pool has."""
    used = {pool.size for pool in environment.pools.values()}
    for size in environment.prices:
        if size not in used:
            near = nearest(size, used)
            yield Problem(
                at=("prices", size),
                message=f"no pool has the size {size}" + (f"; did you mean {near}?" if near else ""),
                fix=f"write {near}" if near else "take the price out",
                on_key=True,
            )
