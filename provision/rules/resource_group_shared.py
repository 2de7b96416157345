"""Each region has a resource group to itself."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="resource-group-shared",
    subject=Topology,
    severity=Severity.ERROR,
    why="names are unique in a resource group, and those of scale sets and deployment stacks do not hold the region",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules",
    remedy="give each region a group of its own",
)
def resource_group_shared(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each given group that is another region's too, or the one that holds the environment's lock."""
    used = {topology.home_group.lower(): "the environment's lock"}
    used |= {region.group.lower(): region.name for region in topology.regions if not region.group_is_given}
    for region in topology.regions:
        if not region.group_is_given:
            continue
        if (other := used.setdefault(region.group.lower(), region.name)) != region.name:
            yield Problem(
                at=("regions", region.name, "resource_group"),
                message=f"the resource group {region.group} is that of {other} and of {region.name}",
                fix=f"give {region.name} a group of its own",
            )
