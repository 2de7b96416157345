"""Decides how the nodes of a pool are split: into scale sets that fill in order, each one InfiniBand domain."""

from __future__ import annotations


def nodes_by_domain(nodes: int, domain_size: int) -> tuple[int, ...]:
    """Return the nodes of each scale set: all full but the last, so that a resize moves no node between sets."""
    full, rest = divmod(nodes, domain_size)
    return (domain_size,) * full + ((rest,) if rest else ())
