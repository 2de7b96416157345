"""Networks that are peered share no address."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import combinations

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.source import Path
from provision.topology import Topology


@rule(
    id="peers-overlap",
    subject=Topology,
    severity=Severity.ERROR,
    why="Azure peers no two networks whose address spaces overlap, nor one network with two that overlap each other",
    link="https://learn.microsoft.com/azure/virtual-network/virtual-network-peering-overview",
    remedy="give one of them another address space before it is in use",
)
def peers_overlap(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pair of networks that are peered, or have a peer in common, and whose ranges overlap."""
    for one, other in combinations(_networks(topology), 2):
        found = next(((a, b) for a in one.ranges for b in other.ranges if a.overlaps(b)), None)
        if found is not None:
            a, b = found
            yield Problem(
                at=other.at,
                message=f"the networks of {one.name} ({a}) and {other.name} ({b}) are peered and overlap in "
                f"{a if a.subnet_of(b) else b}",
                fix=f"give {one.name if other.is_foreign else other.name} an address_space apart from it, "
                "or leave the peering out",
            )


@dataclass(frozen=True, slots=True)
class _Peer:
    name: str
    ranges: tuple[IPv4Network, ...]
    at: Path
    is_foreign: bool


def _networks(topology: Topology) -> list[_Peer]:
    """Return the networks that take part: ours by region, those with a range of their own last, then others'."""
    ours: list[_Peer] = []
    others: dict[str, _Peer] = {}
    for region in topology.regions:
        if region.network is None or not region.peerings:
            continue
        block = IPv4Network(region.network.address_space)
        ours.append(_Peer(region.name, (block,), region.network.origin, is_foreign=False))
        for peering in region.peerings:
            if peering.region is None:
                ranges = tuple(map(IPv4Network, peering.address_space))
                at = (*peering.origin, "address_space")
                others[peering.name] = _Peer(str(peering.origin[-1]), ranges, at, is_foreign=True)
    return sorted(ours, key=lambda peer: peer.at[0] == "regions") + list(others.values())
