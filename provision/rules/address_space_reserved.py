"""Some address ranges are Azure's own, or no network's."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology

_RESERVED = {  # the page of `link`, read 2026-11-30
    IPv4Network("127.0.0.0/8"): "each machine's own",
    IPv4Network("168.63.129.16/32"): "Azure's own DNS, health probes and agent",
    IPv4Network("169.254.0.0/16"): "link-local, with Azure's metadata service",
    IPv4Network("224.0.0.0/4"): "multicast",
    IPv4Network("255.255.255.255/32"): "broadcast",
}


@rule(
    id="address-space-reserved",
    subject=Topology,
    severity=Severity.ERROR,
    why="Azure refuses a virtual network that holds an address of these ranges",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq",
    remedy="choose an address_space for private use, such as 10.0.0.0/8",
)
def address_space_reserved(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region whose network overlaps a range that no virtual network may have."""
    for region in topology.regions:
        if region.network is None:
            continue
        block = IPv4Network(region.network.address_space)
        for reserved, use in _RESERVED.items():
            if block.overlaps(reserved):
                yield Problem(
                    at=region.network.origin,
                    message=f"the network of {region.name} is {block}, which overlaps {reserved} ({use})",
                    fix="choose a space for private use, such as 10.0.0.0/8",
                )
