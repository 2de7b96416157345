"""A region must be one that Azure has, by its short name."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule
from provision.near import nearest


@rule(
    id="region-unknown",
    subject=Environment,
    severity=Severity.ERROR,
    why="regions go by Azure's short names, such as southcentralus; no other name is deployed to",
    link="https://learn.microsoft.com/azure/reliability/regions-list",
    remedy="write the region's short name",
    suppressible=False,
)
def region_unknown(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region that the catalog lacks."""
    for name in environment.regions:
        if name not in catalog.slots:
            near = nearest(name, catalog.regions)
            yield Problem(
                at=("regions", name),
                message=f"Azure has no region {name}" + (f"; did you mean {near}?" if near else ""),
                fix=f"write {near}" if near else "write a region's short name, as `az account list-locations` shows it",
                on_key=True,
            )
