"""Custom data that is nearly too large fails at the next addition."""

from __future__ import annotations

from collections.abc import Iterator

from provision.boot.limits import pools_with_data
from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.rules.custom_data_too_large import problem
from provision.topology import Topology

_NEARLY = 0.9


@rule(
    id="custom-data-nearly-too-large",
    subject=Topology,
    severity=Severity.WARNING,
    why="the next mount or script makes it longer than Azure takes, at a time when something else is being done",
    link="https://learn.microsoft.com/azure/virtual-machines/custom-data",
    remedy="let cloud-init fetch the large parts, from a file share or an image",
)
def custom_data_nearly_too_large(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose custom data is within a tenth of what Azure takes."""
    for pool in pools_with_data(topology, catalog):
        if _NEARLY * pool.limit <= pool.data.size <= pool.limit:
            yield problem(pool)
