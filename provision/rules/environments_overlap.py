"""A network that several environments are peered with can't tell apart what overlaps."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Run


@rule(
    id="environments-overlap",
    subject=Run,
    severity=Severity.ERROR,
    why="Azure peers no network with two whose address spaces overlap",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-network-peering-overview",
    remedy="give each environment that is peered with the same network a network.address_space of its own",
    suppressible=False,
)
def environments_overlap(run: Run, catalog: Catalog) -> Iterator[Problem]:
    """Yield each region whose network overlaps one of an earlier environment that is peered with the same network."""
    taken: dict[str, list[tuple[IPv4Network, str]]] = {}
    for member, topology in enumerate(run.topologies):
        here: dict[str, list[tuple[IPv4Network, str]]] = {}
        for region in topology.regions:
            remotes = [peering.remote.key for peering in region.peerings if peering.region is None]
            if region.network is None or not remotes:
                continue
            space = IPv4Network(region.network.address_space)
            owner = f"{region.name} in {topology.environment}"
            other = next((who for key in remotes for range, who in taken.get(key, ()) if range.overlaps(space)), None)
            if other is not None:
                yield Problem(
                    at=region.network.origin,
                    message=f"the network of {region.name} ({space}) and that of {other} overlap, and both are peered "
                    "with the same network",
                    fix="choose another network.address_space here, or another address_space for the region",
                    member=member,
                )
            for key in remotes:
                here.setdefault(key, []).append((space, owner))
        for key, ranges in here.items():
            taken.setdefault(key, []).extend(ranges)
