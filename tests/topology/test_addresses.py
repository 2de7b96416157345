"""Address ranges: one block a region, inside the space, apart from all others."""

from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations

import pytest

from provision.adapters.files import load_catalog
from provision.topology.addresses import nodes_range, region_block


@pytest.mark.parametrize("space", ["10.0.0.0/8", "10.64.0.0/12", "192.168.0.0/16"])
def test_all_blocks_lie_in_the_space_and_none_overlaps_another(space: str) -> None:
    blocks = [region_block(space, slot) for slot in range(128)]

    assert all(block.subnet_of(IPv4Network(space)) for block in blocks)
    assert not any(a.overlaps(b) for a, b in combinations(blocks, 2))


@pytest.mark.parametrize(
    ("space", "block", "nodes"),
    [
        ("10.0.0.0/8", "10.86.0.0/15", "10.86.0.0/16"),
        ("10.64.0.0/12", "10.69.96.0/19", "10.69.96.0/20"),
        ("192.168.0.0/16", "192.168.86.0/23", "192.168.86.0/24"),
    ],
)
def test_a_regions_ranges_are_these_for_ever(space: str, block: str, nodes: str) -> None:
    found = region_block(space, load_catalog().slots["southcentralus"])

    assert (str(found), str(nodes_range(found))) == (block, nodes)
