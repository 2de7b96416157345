"""A file system stands in one zone, where its region has any."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="lustre-needs-zone",
    subject=Environment,
    severity=Severity.ERROR,
    why="Azure Managed Lustre takes exactly one availability zone in a region that has zones",
    link="https://learn.microsoft.com/azure/azure-managed-lustre/create-file-system-portal",
    remedy="state the zone, best the one in which the nodes stand",
)
def lustre_needs_zone(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each file system without a zone in a region that has zones."""
    for name, storage in environment.storage.items():
        zones = catalog.zones.get(storage.region, ())
        if zones and storage.zone is None:
            here = environment.regions.get(storage.region)
            zone = here.zone if here is not None and here.zone is not None else zones[0]
            why = ", the nodes' own" if here is not None and here.zone is not None else ""
            yield Problem(
                at=("storage", name),
                message=f"{name} has no zone, and {storage.region} has zones {', '.join(zones)}",
                fix=f'add zone: "{zone}"{why}',
                on_key=True,
            )
