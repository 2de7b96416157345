"""Two environments of one name in one subscription are one and the same to Azure."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Run


@rule(
    id="environments-same",
    subject=Run,
    severity=Severity.ERROR,
    why="groups, stacks, marks and the lock are named after the environment, so each would delete what the other made",
    link="https://learn.microsoft.com/azure/azure-resource-manager/bicep/deployment-stacks",
    remedy="give each environment of a subscription a name of its own",
    suppressible=False,
)
def environments_same(run: Run, catalog: Catalog) -> Iterator[Problem]:
    """Yield each environment of a run that has the name of an earlier one in the same subscription."""
    seen = set()
    for member, topology in enumerate(run.topologies):
        key = topology.subscription.lower(), topology.environment
        if key in seen:
            yield Problem(
                at=("name",),
                message=f"another environment of this run is called {topology.environment} in the same subscription",
                fix="rename one of them",
                member=member,
            )
        seen.add(key)
