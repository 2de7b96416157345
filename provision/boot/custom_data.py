"""The custom data of a pool's nodes in a region: what of it there is, and how large it is."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from provision import arm
from provision.arm import ResourceId, resource_id
from provision.boot.config import cloud_config, text_of
from provision.boot.lustre import Mount
from provision.boot.merge import merged
from provision.catalog import Catalog, Size
from provision.topology import PoolInRegion, Region, Topology


@dataclass(frozen=True)
class CustomData:
    """Custom data before base64. `parts` are the sizes of what it is made of, in bytes, by name."""

    text: str
    parts: Mapping[str, int]

    @cached_property
    def size(self) -> int:
        """Return its size in bytes, as Azure limits it."""
        return len(self.text.encode())

    @cached_property
    def encoded(self) -> str:
        """Return it in base64, as ARM takes it."""
        return base64.b64encode(self.text.encode()).decode()


def custom_data_of(topology: Topology, region: Region, pool: PoolInRegion, catalog: Catalog) -> CustomData | None:
    """Return the custom data of a pool's nodes in a region; None where there is nothing to say at boot."""
    return _made(pool.size, _mounts(topology, region, pool, catalog), pool.settings.cloud_init_file, pool.cloud_init)


@lru_cache(maxsize=256)  # pools are many, and few of them boot in a way of their own
def _made(size: Size, mounts: tuple[Mount, ...], own_file: str | None, own: str | None) -> CustomData | None:
    config = cloud_config(size, mounts)
    parts = {file["path"]: len(file["content"].encode()) for file in config["write_files"]} if config else {}
    text = text_of(config) if config else None
    if own is not None:
        parts[str(own_file)] = len(own.encode())
        text = merged(text, own)
    return None if text is None else CustomData(text, parts)


def _mounts(topology: Topology, region: Region, pool: PoolInRegion, catalog: Catalog) -> tuple[Mount, ...]:
    """Return what the nodes mount: without an identity, nothing, because Azure would not answer them."""
    if not pool.settings.identities:
        return ()
    version = catalog.api_versions[arm.FILE_SYSTEMS]
    return tuple(
        Mount(
            name=each.storage,
            url=_url(resource_id(topology.subscription, region.group, arm.FILE_SYSTEMS, each.name), version),
            identity=pool.settings.identities[0],
            path=each.mount,
        )
        for each in region.storage
    )


def _url(id: ResourceId, version: str) -> str:
    return f"https://management.azure.com{id}?api-version={version}"
