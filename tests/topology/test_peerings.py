"""Halves of peerings: which there are, what they are called, and that in each round a network is in one pair."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provision.arm import ResourceId
from provision.topology import Peering
from provision.topology.peerings import in_rounds
from tests.support.topologies import HUB, SUBNET, SUBSCRIPTION, a_topology

NETWORKS = "providers/Microsoft.Network/virtualNetworks"


def half_of(region: str, number: int) -> Peering:
    return Peering(
        name=f"to-{region}",
        remote=ResourceId(
            f"/subscriptions/{SUBSCRIPTION}/resourceGroups/h100-test-{region}/{NETWORKS}/h100-test-{region}-vnet"
        ),
        region=region,
        address_space=(f"10.{2 * number}.0.0/15",),
        origin=("network", "peering"),
    )


HUB_HALF = Peering(
    name="to-hub",
    remote=ResourceId(HUB),
    region=None,
    address_space=("192.168.0.0/16",),
    origin=("network", "peer_with", "hub"),
)


def test_a_mesh_has_a_half_for_each_other_region_then_those_of_others_and_leaves_existing_networks_out() -> None:
    topology = a_topology(
        regions={"westus3": {}, "eastus": {}, "southcentralus": {}, "westus2": {"subnets": {"nodes": SUBNET}}},
        network={"peering": "mesh", "peer_with": {"hub": {"id": HUB, "address_space": ("192.168.0.0/16",)}}},
    )

    east, south, west = half_of("eastus", 16), half_of("southcentralus", 43), half_of("westus3", 60)
    assert {region.name: region.peerings for region in topology.regions} == {
        "eastus": (west, south, HUB_HALF),
        "southcentralus": (west, east, HUB_HALF),
        "westus2": (),
        "westus3": (south, east, HUB_HALF),
    }


def test_without_a_mesh_only_the_networks_of_others_are_peered() -> None:
    topology = a_topology(
        regions={"westus3": {}, "eastus": {}},
        network={"peer_with": {"hub": {"id": HUB, "address_space": ("192.168.0.0/16",)}}},
    )

    assert [region.peerings for region in topology.regions] == [(HUB_HALF,), (HUB_HALF,)]


@pytest.mark.parametrize("network", [{}, {"peering": "mesh"}])
def test_one_region_alone_has_no_peerings(network: dict[str, str]) -> None:
    assert [region.peerings for region in a_topology(network=network).regions] == [()]


@given(st.sets(st.text("abcdefgh", min_size=1), max_size=24))
def test_each_meets_each_other_once_and_in_a_round_nobody_is_in_two_pairs(members: set[str]) -> None:
    partners = in_rounds(sorted(members))

    assert partners.keys() == members
    for member, found in partners.items():
        assert sorted(found) == sorted(members - {member})
    if len(members) % 2 == 0:
        for number in range(len(members) - 1):
            assert all(partners[partners[member][number]][number] == member for member in members)
