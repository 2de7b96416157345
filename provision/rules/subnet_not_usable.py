"""An existing subnet must be one in which scale sets of the region can stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology

#: Subnets that Azure keeps for a service of its own, whose name finds them. The page of `link`, read 2026-11-30.
_KEPT = {
    "azurebastionsubnet": "bastions",
    "azurefirewallsubnet": "firewalls",
    "azurefirewallmanagementsubnet": "firewalls",
    "gatewaysubnet": "gateways",
    "routeserversubnet": "route servers",
}


@rule(
    id="subnet-not-usable",
    subject=Topology,
    severity=Severity.ERROR,
    why="a scale set stands in a subnet of its own region and subscription that Azure keeps for no service of its own",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-network-for-azure-services",
    remedy="name a subnet that nodes of this region may stand in",
)
def subnet_not_usable(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each existing subnet that is kept for a service, in another subscription, or in two regions."""
    regions: dict[str, list[str]] = defaultdict(list)
    for region in topology.regions:
        if region.network is not None:
            continue
        subnet = region.nodes_subnet
        at = ("regions", region.name, "subnets", "nodes")
        others = regions[subnet.key]
        if (service := _KEPT.get(subnet.name.lower())) is not None:
            yield Problem(
                at=at,
                message=f"the nodes of {region.name} would stand in {subnet.name}, which Azure keeps for {service}",
                fix="name another subnet of the network",
            )
        if subnet.split("/")[2].lower() != topology.subscription.lower():
            yield Problem(
                at=at,
                message=f"the subnet of {region.name} is in the subscription {subnet.split('/')[2]}; the environment "
                f"is in {topology.subscription}",
                fix="name a subnet of the environment's subscription; peer its network with the other one",
            )
        if others:
            yield Problem(
                at=at,
                message=f"{region.name} has the same subnet as {others[0]}; a subnet is in one region",
                fix=f"name a subnet in {region.name}",
            )
        others.append(region.name)
