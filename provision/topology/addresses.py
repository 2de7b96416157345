"""Decides every address range: a region's block, and what of the block each of its subnets gets.

A block is the region's own range or, by its permanent number, a part of the environment's. Its first half is for the
nodes, its third quarter for Lustre servers, a /26 at the start of the last quarter for a bastion; the rest stays free.
A part depends on nothing but the block, so nothing else in the environment can move it.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network

#: An address space is cut into 2**7 region blocks, one for each slot that a region can have.
BLOCK_BITS = 7
#: The smallest subnet that a bastion may have, and as large as ours needs to be.
BASTION_PREFIX = 26


def region_block(address_space: str, slot: int) -> IPv4Network:
    """Return a region's block of an address space of /8 to /16."""
    space = IPv4Network(address_space)
    size = 2 ** (32 - space.prefixlen - BLOCK_BITS)
    return IPv4Network((int(space.network_address) + slot * size, space.prefixlen + BLOCK_BITS))


def nodes_range(block: IPv4Network) -> IPv4Network:
    """Return the range that all nodes of a region share: half the block, so large because one in use can't grow."""
    return IPv4Network((int(block.network_address), block.prefixlen + 1))


def lustre_range(block: IPv4Network) -> IPv4Network:
    """Return the range of a region's Lustre servers: the third quarter of the block."""
    return _quarter(block, 2)


def bastion_range(block: IPv4Network) -> IPv4Network:
    """Return the range of a region's bastion: the beginning of the last quarter, all of it where that is small."""
    quarter = _quarter(block, 3)
    return IPv4Network((int(quarter.network_address), max(BASTION_PREFIX, quarter.prefixlen)))


def free_range(block: IPv4Network, prefix: int, taken: Iterable[IPv4Network]) -> IPv4Network | None:
    """Return the first range of a prefix length in a block that overlaps nothing of `taken`; None if there is none."""
    size = 2 ** (32 - prefix)
    start = int(block.network_address)
    for other in sorted(taken, key=lambda other: int(other.network_address)):
        if start + size <= int(other.network_address):
            break
        start = max(start, -(-(int(other.broadcast_address) + 1) // size) * size)
    return IPv4Network((start, prefix)) if start + size - 1 <= int(block.broadcast_address) else None


def _quarter(block: IPv4Network, number: int) -> IPv4Network:
    size = block.num_addresses // 4
    return IPv4Network((int(block.network_address) + number * size, block.prefixlen + 2))
