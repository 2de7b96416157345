"""Two environments of a run never state the same resource."""

from __future__ import annotations

from collections.abc import Iterator

from provision.arm import resource_id
from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.source import dotted
from provision.topology import Run


@rule(
    id="names-shared",
    subject=Run,
    severity=Severity.ERROR,
    why="one resource carries the mark of one environment: two that state it would undo each other's work",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules",
    remedy="let one environment name it; another can use a network through the id of its subnet",
    suppressible=False,
)
def names_shared(run: Run, catalog: Catalog) -> Iterator[Problem]:
    """Yield each resource of an environment that an earlier one of the run names as well."""
    if len(run.topologies) < 2:
        return
    taken: dict[str, str] = {}
    for member, topology in enumerate(run.topologies):
        mine: dict[str, str] = {}
        for region in topology.regions:
            for each in (each for each in region.named() if len(each.names) == 1):
                id = resource_id(topology.subscription, region.group, each.type, *each.names)
                mine[id.key] = topology.environment
                if taken.get(id.key, topology.environment) != topology.environment:
                    yield Problem(
                        at=each.at,
                        message=f"{dotted(each.at)} is {id.name} in {region.group}, which is {taken[id.key]}'s too",
                        fix="leave it to one of the two environments",
                        member=member,
                    )
        taken |= mine
