"""Decides the shared file systems of a region."""

from __future__ import annotations

from provision.environment import Environment
from provision.topology import names
from provision.topology.model import FileSystem


def file_systems_of(environment: Environment, region: str) -> tuple[FileSystem, ...]:
    """Return the file systems of a region, by name."""
    return tuple(
        FileSystem(
            unit=names.STORAGE,
            name=each.name or names.file_system(environment.name, key),
            storage=key,
            tier=each.tier,
            size_tib=each.size_tib,
            zone=each.zone,
            mount=each.mount,
            origin=("storage", key),
        )
        for key, each in sorted(environment.storage.items())
        if each.region == region
    )
