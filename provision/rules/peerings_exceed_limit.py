"""A network takes a limited number of peerings."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="peerings-exceed-limit",
    subject=Topology,
    severity=Severity.ERROR,
    why="Azure limits how many peerings one virtual network takes",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits",
    remedy="peer with one hub, and reach the others through it",
)
def peerings_exceed_limit(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region whose network would have more peerings than Azure takes."""
    most = int(catalog.limits["virtual_network_peerings"])
    for region in topology.regions:
        count = len(region.peerings)
        if count > most:
            others = any(peering.region is None for peering in region.peerings)
            yield Problem(
                at=("network", "peer_with") if others else ("network", "peering"),
                message=f"the network of {region.name} would have {count} peerings; Azure takes {most}",
                fix="peer with one hub, and reach the others through it",
            )
