"""The nodes of a pool lie between its fewest and its most."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="min-max-nodes",
    subject=Environment,
    severity=Severity.ERROR,
    why="fewer nodes than min_nodes count as not working, and no addresses are kept for more than max_nodes",
    link="https://learn.microsoft.com/azure/virtual-machine-scale-sets/overview",
    remedy="make min_nodes at most nodes, and nodes at most max_nodes",
)
def min_max_nodes(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool's region whose nodes are fewer than min_nodes or more than max_nodes."""
    for name, region, pool in environment.shares():
        nodes = pool.nodes_in(region)
        if pool.min_nodes is not None and 0 < nodes < pool.min_nodes:
            yield Problem(
                at=environment.where(name, region, "min_nodes"),
                message=f"pool {name} has {nodes} nodes in {region}, and min_nodes is {pool.min_nodes}",
                fix=f"lower min_nodes to {nodes}, or ask for {pool.min_nodes} nodes",
            )
        if pool.max_nodes is not None and nodes > pool.max_nodes:
            yield Problem(
                at=environment.where(name, region, "max_nodes"),
                message=f"pool {name} has {nodes} nodes in {region}, and max_nodes is {pool.max_nodes}",
                fix=f"raise max_nodes to {nodes}, or ask for {pool.max_nodes} nodes",
            )
