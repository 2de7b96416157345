"""All nodes of a region share the ports of its NAT gateway."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology

_PORTS = 64_512
#: Fewer ports for each node than this, and a start of all nodes at once is likely to run out: an assumption.
_LEAST = 128


@rule(
    id="snat-ports-few",
    subject=Topology,
    severity=Severity.WARNING,
    why="each connection to one address takes a port, of which a public address has 64,512; without one it fails",
    link="https://learn.microsoft.com/azure/nat-gateway/nat-gateway-snat",
    remedy="give the NAT gateway more addresses",
)
def snat_ports_few(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region with fewer than 128 ports a node, as when all nodes pull an image at once."""
    for region in topology.regions:
        nodes = sum(each.nodes for each in region.scale_sets if not each.settings.public_ip)
        addresses = len(region.network.nat_addresses) if region.network else 0
        if addresses and nodes * _LEAST > addresses * _PORTS:
            needed = min(-(-nodes * _LEAST // _PORTS), catalog.limits["nat_gateway_addresses"])
            yield Problem(
                at=("network", "outbound"),
                message=f"{nodes} nodes in {region.name} share {addresses * _PORTS:,} ports to the internet, "
                f"{addresses * _PORTS // nodes} each",
                fix=f"write `outbound: {{nat_gateway: {{addresses: {needed}}}}}`",
            )
