"""The names of deployment stacks are unique in a resource group."""

from __future__ import annotations

import re
from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule
from provision.topology import names


@rule(
    id="unit-name-taken",
    subject=Environment,
    severity=Severity.ERROR,
    why="each unit is a deployment stack of its own name; two of one name would undo each other's work",
    link="https://learn.microsoft.com/azure/azure-resource-manager/bicep/deployment-stacks",
    remedy="give the unit another name",
    suppressible=False,
)
def unit_name_taken(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each unit of one's own that is named like a unit of the environment: network, or a pool's scale set."""
    for name in environment.units:
        numbered = re.fullmatch(r"(.+)-\d+", name)
        if name in (names.NETWORK, names.PEERING, names.STORAGE):
            what = f"the unit of each region's {name}"
        elif numbered and numbered[1] in environment.pools:
            what = f"the unit of a scale set of pool {numbered[1]}"
        else:
            continue
        yield Problem(("units", name), f"{name} is the name of {what}", "give it another name", on_key=True)
