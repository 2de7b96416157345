"""Decides which networks are peered, what our halves are called, and in which order they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from provision.arm import ResourceId
from provision.environment import Environment
from provision.topology import names
from provision.topology.model import Peering
from provision.topology.networks import virtual_network_of


def peerings_of(environment: Environment, regions: Sequence[str]) -> Mapping[str, tuple[Peering, ...]]:
    """Return each region's halves in the order in which they are made; `regions` are those with a network of ours.

    With the other regions first, round by round, then with the networks of others, by name.
    """
    others = tuple(
        Peering(names.peering(name), ResourceId(peer.id), None, ("network", "peer_with", name))
        for name, peer in sorted(environment.network.peer_with.items())
    )
    partners = in_rounds(regions) if environment.network.peering == "mesh" else dict.fromkeys(regions, ())
    return {
        region: (
            *(
                Peering(names.peering(other), virtual_network_of(environment, other), other, ("network", "peering"))
                for other in partners[region]
            ),
            *others,
        )
        for region in regions
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
