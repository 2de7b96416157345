"""Each half of a peering has a name of its own."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="peer-named-like-region",
    subject=Topology,
    severity=Severity.ERROR,
    why="our half of a peering is named after the other end, and a network has one peering of a name",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-network-manage-peering",
    remedy="give the network of others another name in network.peer_with",
)
def peer_named_like_region(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each network of others that is named like a region of the environment."""
    regions = {region.name for region in topology.regions}
    for peering in {
        each.name: each for region in topology.regions for each in region.peerings if not each.region
    }.values():
        name = str(peering.origin[-1])
        if name in regions:
            yield Problem(
                at=peering.origin,
                message=f"{name} is a region of this environment, and in peer_with the name of others' network",
                fix=f"name it otherwise, such as {name}-hub",
                on_key=True,
            )
