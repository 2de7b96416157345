"""What an environment comes to: every name, address, split and deployment unit. How they are chosen: `build.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from provision.catalog import Size
from provision.environment import Pool
from provision.source import Path


@dataclass(frozen=True, slots=True)
class ScaleSet:
    """One scale set: `nodes` of a pool in a region; with `infiniband`, one placement group and so one domain."""

    unit: str
    name: str
    computer_name_prefix: str
    pool: str
    region: str
    zone: str | None
    index: int
    nodes: int
    size: Size
    infiniband: bool
    settings: Pool
    ssh_public_key: str
    origin: Path


@dataclass(frozen=True, slots=True)
class Network:
    """A region's network. Ranges are IPv4 CIDRs; `nat_gateway` is None where the nodes have no way out."""

    unit: str
    virtual_network: str
    address_space: str
    subnet: str
    subnet_range: str
    security_group: str
    ssh_from: tuple[str, ...]
    nat_gateway: str | None
    nat_addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Region:
    """What is deployed in a region: one resource group, its network, its scale sets by pool, then index."""

    name: str
    group: str
    network: Network
    scale_sets: tuple[ScaleSet, ...]


@dataclass(frozen=True, slots=True)
class PoolInRegion:
    """A pool's share in a region. `origin` is the pool's path in the environment file."""

    name: str
    region: str
    size: Size
    nodes: int
    infiniband: bool
    infiniband_stated: bool
    job_size: int | None
    placement_group_limit: int
    domain_size: int
    scale_sets: tuple[ScaleSet, ...]
    origin: Path


@dataclass(frozen=True, slots=True)
class Topology:
    """An environment in full: regions by name, pools by name, then region.

    `home_group` holds the lock, `home_location` is where it is made.
    """

    environment: str
    subscription: str
    tags: Mapping[str, str]
    home_group: str
    home_location: str
    regions: tuple[Region, ...]
    pools: tuple[PoolInRegion, ...]

    def scale_sets(self) -> Iterator[ScaleSet]:
        """Yield every scale set, by region, pool, index."""
        for region in self.regions:
            yield from region.scale_sets
