"""Decides every address range: a region's block by its permanent number, and the subnets inside it."""

from __future__ import annotations

from ipaddress import IPv4Network

#: An address space is cut into 2**7 region blocks, one for each slot that a region can have.
BLOCK_BITS = 7


def region_block(address_space: str, slot: int) -> IPv4Network:
    """Return a region's block of an address space of /8 to /16."""
    space = IPv4Network(address_space)
    size = 2 ** (32 - space.prefixlen - BLOCK_BITS)
    return IPv4Network((int(space.network_address) + slot * size, space.prefixlen + BLOCK_BITS))


def nodes_range(block: IPv4Network) -> IPv4Network:
    """Return the range that all nodes of a region share: half the block, so large because one in use can't grow.

    The other half stays free for what else a region needs: a bastion, storage.
    """
    return IPv4Network((int(block.network_address), block.prefixlen + 1))
