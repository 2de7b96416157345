"""Address ranges: one block a region, inside the space, apart from all others."""

from __future__ import annotations

from ipaddress import IPv4Network
from itertools import combinations

import pytest

from provision.adapters.files import load_catalog
from provision.topology.addresses import bastion_range, free_range, lustre_range, nodes_range, region_block


@pytest.mark.parametrize("space", ["10.0.0.0/8", "10.64.0.0/12", "192.168.0.0/16"])
def test_all_blocks_lie_in_the_space_and_none_overlaps_another(space: str) -> None:
    blocks = [region_block(space, slot) for slot in range(128)]

    assert all(block.subnet_of(IPv4Network(space)) for block in blocks)
    assert not any(a.overlaps(b) for a, b in combinations(blocks, 2))


@pytest.mark.parametrize(
    ("space", "block", "nodes", "lustre", "bastion"),
    [
        ("10.0.0.0/8", "10.86.0.0/15", "10.86.0.0/16", "10.87.0.0/17", "10.87.128.0/26"),
        ("10.64.0.0/12", "10.69.96.0/19", "10.69.96.0/20", "10.69.112.0/21", "10.69.120.0/26"),
        ("192.168.0.0/16", "192.168.86.0/23", "192.168.86.0/24", "192.168.87.0/25", "192.168.87.128/26"),
    ],
)
def test_a_regions_ranges_are_these_for_ever(space: str, block: str, nodes: str, lustre: str, bastion: str) -> None:
    found = region_block(space, load_catalog().slots["southcentralus"])

    ranges = (found, nodes_range(found), lustre_range(found), bastion_range(found))
    assert tuple(map(str, ranges)) == (block, nodes, lustre, bastion)


@pytest.mark.parametrize("prefix", range(8, 27))
def test_the_ranges_of_a_block_lie_in_it_and_apart_however_small_it_is(prefix: int) -> None:
    block = IPv4Network(("10.0.0.0", prefix))

    ranges = (nodes_range(block), lustre_range(block), bastion_range(block))

    assert all(range.subnet_of(block) for range in ranges)
    assert not any(a.overlaps(b) for a, b in combinations(ranges, 2))
    assert ranges[2].prefixlen == max(26, prefix + 2)


@pytest.mark.parametrize(
    ("taken", "prefix", "free"),
    [
        ([], 24, "10.0.0.0/24"),
        (["10.0.0.0/28"], 27, "10.0.0.32/27"),
        (["10.0.0.64/26", "10.0.0.0/27"], 27, "10.0.0.32/27"),
        (["10.0.0.0/25", "10.0.0.128/26"], 26, "10.0.0.192/26"),
        (["10.0.0.0/25", "10.0.0.0/27"], 26, "10.0.0.128/26"),
        (["10.0.0.0/25", "10.0.0.192/26"], 25, None),
        (["10.0.0.0/16"], 29, None),
    ],
)
def test_the_next_free_range_of_a_size_is_the_first_that_overlaps_nothing(
    taken: list[str], prefix: int, free: str | None
) -> None:
    found = free_range(IPv4Network("10.0.0.0/24"), prefix, map(IPv4Network, taken))

    assert (found and str(found)) == free
