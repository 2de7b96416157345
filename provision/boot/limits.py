"""The custom data of each pool, beside what Azure takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from provision.boot.custom_data import CustomData, custom_data_of
from provision.catalog import Catalog
from provision.topology import Topology


@dataclass(frozen=True, slots=True)
class PoolData:
    """A pool's custom data, at its largest among the regions, and the most bytes of it that Azure takes."""

    name: str
    data: CustomData
    limit: int


def pools_with_data(topology: Topology, catalog: Catalog) -> Iterator[PoolData]:
    """Yield the custom data of each pool with a cloud-init of its own: ours alone is small."""
    regions = {region.name: region for region in topology.regions}
    largest: dict[str, CustomData] = {}
    for pool in topology.pools:
        if pool.cloud_init is None:
            continue
        data = custom_data_of(topology, regions[pool.region], pool, catalog)
        if data is not None and (pool.name not in largest or largest[pool.name].size < data.size):
            largest[pool.name] = data
    for name, data in largest.items():
        yield PoolData(name, data, catalog.limits["custom_data_bytes"])
