"""A scale set of an InfiniBand pool is one placement group, so it can't be larger than one."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="domain-exceeds-placement-group",
    subject=Topology,
    severity=Severity.ERROR,
    why="a scale set with InfiniBand is a single placement group: 100 VMs, up to 300 after a support request",
    link="https://learn.microsoft.com/azure/virtual-machines/setup-infiniband",
    remedy="make the scale sets smaller with domain_size, or ask Azure support for a raise and state it",
)
def domain_exceeds_placement_group(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each InfiniBand pool whose domain_size is over its placement_group_limit."""
    most = catalog.limits["single_placement_group_nodes_raised"]
    for pool in topology.pools:
        limit = pool.placement_group_limit
        if pool.infiniband and pool.domain_size > limit:
            sets = -(-pool.domain_size // limit)
            even = f"{sets} scale sets of {-(-pool.domain_size // sets)} would fit"
            more = f", or set placement_group_limit to what support has granted (up to {most})" if limit < most else ""
            yield Problem(
                at=(*pool.origin, "domain_size"),
                message=f"pool {pool.name} wants scale sets of {pool.domain_size} nodes; its placement_group_limit is "
                f"{limit} ({even})",
                fix=f"lower domain_size to {limit} or less{more}",
            )
