"""What stands in one group, or in one network, has a name to itself."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.source import Path, dotted
from provision.topology import Topology


@rule(
    id="name-taken",
    subject=Topology,
    severity=Severity.ERROR,
    why="names are unique in a resource group, by type and without case: of two with one name there is only one",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules",
    remedy="give each its own name; one that is derived can be stated as well",
    suppressible=False,
)
def name_taken(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each resource that has the name of another of its type in the same group or network."""
    for region in topology.regions:
        taken: dict[tuple[str, ...], Path] = {}
        for each in region.named():
            key = (each.type, *(name.lower() for name in each.names))
            if (other := taken.setdefault(key, each.at)) != each.at:
                yield Problem(
                    at=each.at,
                    message=f"{dotted(each.at)} and {dotted(other)} are both {each.names[-1]}; "
                    "what the file does not state there is derived",
                    fix="state another name at one of the two",
                )
