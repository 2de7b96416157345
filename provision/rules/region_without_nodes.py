"""A region without nodes still gets a network that costs money."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="region-without-nodes",
    subject=Environment,
    severity=Severity.WARNING,
    why="its group, network, NAT gateway and bastion are deployed and paid for all the same",
    link="https://learn.microsoft.com/azure/nat-gateway/nat-overview",
    remedy="give it nodes, or take it out",
)
def region_without_nodes(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region that no pool names, not even with no nodes, and in which nothing else of the file stands."""
    pools = environment.pools.values()
    if any(isinstance(pool.nodes, int) or not pool.nodes for pool in pools):
        return  # they are everywhere, or what is said of them can't be read
    named = {region for pool in pools if not isinstance(pool.nodes, int) for region in pool.nodes}
    named |= {each.region for each in environment.storage.values()}
    named |= {region for unit in environment.units.values() for region in unit.regions or environment.regions}
    for region in environment.regions:
        if region not in named:
            yield Problem(
                at=("regions", region),
                message=f"no pool has nodes in {region}, and nothing else stands there",
                fix=f"name {region} in a pool's `nodes`, or take the region out",
                on_key=True,
            )
