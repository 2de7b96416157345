"""A name that is stated names something that the environment has."""

from __future__ import annotations

from collections.abc import Iterator

from provision.arm import SCALE_SETS
from provision.catalog import Catalog
from provision.environment import Environment
from provision.environment.stated_names import stated_names
from provision.findings import Problem, Severity, rule
from provision.source import dotted
from provision.topology import topology_of


@rule(
    id="name-unused",
    subject=Environment,
    severity=Severity.WARNING,
    why="what the environment does not have is neither adopted nor made: whoever names it may think that it is",
    link="https://learn.microsoft.com/azure/virtual-machine-scale-sets/overview",
    remedy="take the name out, or state what it is the name of",
)
def name_unused(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each stated name of a resource that the environment does not have."""
    stated = [each for each in stated_names(environment) if each.type and each.region in environment.regions]
    if not stated:
        return
    regions = topology_of(environment, catalog, {}).regions
    had = {each.at for region in regions for each in region.named()}
    for each in stated:
        if each.at in had:
            continue
        if each.type == SCALE_SETS:
            _, region, _, pool, *_ = each.at
            count = sum(1 for at in had if at[:5] == each.at[:5])
            yield Problem(
                at=each.at,
                message=f"pool {pool} comes to {count} scale set{'' if count == 1 else 's'} in {region}, "
                f"so {each.name} is not among them",
                fix="state more nodes or a smaller domain_size, or take the name out",
            )
        else:
            yield Problem(
                at=each.at,
                message=f"{dotted(each.at)} names nothing that the environment has in {each.region}",
                fix="take it out, or state what it is the name of",
            )
