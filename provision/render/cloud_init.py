"""What a node does at its first boot: cloud-init, built as data."""

from __future__ import annotations

from provision.catalog import Size


def custom_data(size: Size, *, pool: str, limit: int) -> str | None:
    """Return a pool's custom data in base64; None where its size needs nothing at boot."""
    return None
