"""Decides which networks are peered, what our halves are called, and in which order they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from provision.arm import ResourceId
from provision.environment import Environment
from provision.topology import names
from provision.topology.model import Network, Peering
from provision.topology.networks import virtual_network_of


def peerings_of(environment: Environment, networks: Mapping[str, Network]) -> Mapping[str, tuple[Peering, ...]]:
    """Return each region's halves in the order in which they are made; `networks` are ours, by region.

    With the other regions first, round by round, then with the networks of others, by name.
    """

    def half(region: str, other: str) -> str:
        return environment.regions[region].names.peerings.get(other) or names.peering(other)

    others = tuple(
        (
            name,
            Peering(
                name=names.peering(name),
                remote=ResourceId(peer.id),
                region=None,
                address_space=peer.address_space,
                origin=("network", "peer_with", name),
            ),
        )
        for name, peer in sorted(environment.network.peer_with.items())
    )
    ours = {
        region: Peering(
            name=names.peering(region),
            remote=virtual_network_of(environment, region),
            region=region,
            address_space=(network.address_space,),
            origin=("network", "peering"),
        )
        for region, network in networks.items()
    }
    partners = in_rounds([*networks]) if environment.network.peering == "mesh" else {}
    ends = {region: [*((other, ours[other]) for other in partners.get(region, ())), *others] for region in networks}
    return {
        region: tuple(replace(peering, name=half(region, other)) for other, peering in each)
        for region, each in ends.items()
    }


def in_rounds(members: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the partners of each member, in rounds in which each is in at most one pair (the circle method).

    Azure refuses a write to a network that another write holds, and making a half writes to both its networks.
    """
    circle: list[str | None] = [*sorted(members)]
    if len(circle) % 2:
        circle.append(None)  # whoever meets it sits the round out
    partners: dict[str, list[str]] = {member: [] for member in members}
    for _ in range(len(circle) - 1):
        for one, other in zip(circle, reversed(circle), strict=True):
            if one is not None and other is not None:
                partners[one].append(other)
        circle.insert(1, circle.pop())
    return {member: tuple(found) for member, found in partners.items()}
