"""A zone must be one that the region has; some regions have none."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="zone-not-in-region",
    subject=Environment,
    severity=Severity.ERROR,
    why="Azure refuses a zone that the region does not have",
    link="https://learn.microsoft.com/azure/reliability/availability-zones-region-support",
    remedy="write a zone that the region has, or none",
)
def zone_not_in_region(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region and each file system whose zone the catalog does not list for the region."""
    stated = [(("regions", name, "zone"), name, region.zone) for name, region in environment.regions.items()]
    stated += [(("storage", name, "zone"), each.region, each.zone) for name, each in environment.storage.items()]
    for at, name, zone in stated:
        zones = catalog.zones.get(name)
        if zone is None or zones is None or zone in zones:
            continue
        has = f"it has {', '.join(zones)}" if zones else "it has no zones"
        yield Problem(
            at=at,
            message=f"{name} has no zone {zone}; {has}",
            fix=f"write one of {', '.join(zones)} in quotes, or leave zone out" if zones else "leave zone out",
        )
