"""What the storage templates see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from provision import arm
from provision.arm import ResourceId
from provision.render.place import Place, Resource
from provision.topology.names import STORAGE


@dataclass(frozen=True, slots=True)
class FileSystemLayout:
    """One file system of the value `storage`."""

    resource: Resource
    sku: str
    size_tib: int
    zone: str | None


@dataclass(frozen=True, slots=True)
class StorageLayout:
    """The value `storage` of the storage templates. `subnet_id`: the subnet of the file systems' servers."""

    location: str
    tags: Mapping[str, str]
    subnet_id: ResourceId
    file_systems: tuple[FileSystemLayout, ...]


def storage_layout(place: Place, subnet_id: ResourceId) -> StorageLayout:
    """Return the layout of a region's file systems."""
    return StorageLayout(
        location=place.region.name,
        tags=place.tags(STORAGE),
        subnet_id=subnet_id,
        file_systems=tuple(
            FileSystemLayout(
                resource=place.resource(arm.FILE_SYSTEMS, each.name, symbol=f"fileSystem{index}"),
                sku=f"AMLFS-Durable-Premium-{each.tier}",
                size_tib=each.size_tib,
                zone=each.zone,
            )
            for index, each in enumerate(place.region.storage)
        ),
    )
