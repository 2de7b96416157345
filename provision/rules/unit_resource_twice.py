"""A resource belongs to one unit."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="unit-resource-twice",
    subject=Topology,
    severity=Severity.ERROR,
    why="two units that state one resource would overwrite each other at every apply, and delete it with either",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules",
    remedy="state it in one of them, or give one of the two another name",
    suppressible=False,
)
def unit_resource_twice(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each resource that units of one's own state twice in one resource group."""
    for region in topology.regions:
        seen: dict[tuple[str, str], str] = {}
        for unit in region.own_units:
            for each in unit.resources:
                here = f"{unit.unit}.{each.key}"
                other = seen.setdefault((each.type.lower(), each.name.lower()), here)
                if other != here:
                    yield Problem(
                        (*unit.origin, "resources", each.key, "name"),
                        f"{each.type} {each.name} in {region.name} is both {other} and {here}",
                        "state it once",
                    )
