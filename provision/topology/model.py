"""What an environment comes to: every name, address, split and deployment unit. How they are chosen: `build.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from provision.arm import (
    BASTIONS,
    FILE_SYSTEMS,
    NAT_GATEWAYS,
    PEERINGS,
    PUBLIC_ADDRESSES,
    SCALE_SETS,
    SECURITY_GROUPS,
    SUBNETS,
    VIRTUAL_NETWORKS,
    ResourceId,
    resource_id,
)
from provision.catalog import Size
from provision.environment import Pool
from provision.source import Path


@dataclass(frozen=True, slots=True)
class ScaleSet:
    """One scale set: `nodes` of a pool in a region; with `infiniband`, one placement group and so one domain.

    `interface` and `ip_configuration` are names in its model.
    """

    unit: str
    name: str
    computer_name_prefix: str
    platform_fault_domains: int
    interface: str
    ip_configuration: str
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
class Subnet:
    """A subnet of a region's network. `range` is an IPv4 CIDR; `origin` is the path of what it comes from.

    `key` is its name in the environment file, which states the range itself if `is_stated`; else a block gave it.
    """

    name: str
    key: str
    range: str
    origin: Path
    is_stated: bool


@dataclass(frozen=True, slots=True)
class Bastion:
    """A region's bastion, its public address and its subnet."""

    name: str
    address: str
    subnet: Subnet


@dataclass(frozen=True, slots=True)
class Network:
    """A region's network. `nat_gateway` is None where the nodes have no way out.

    `lustre` is None where the region has no storage, `bastion` where it has none. `reserved` are subnets whose range is
    stated and that are not made. `origin` is the path of the address space.
    """

    unit: str
    virtual_network: str
    address_space: str
    origin: Path
    nodes: Subnet
    lustre: Subnet | None
    bastion: Bastion | None
    reserved: tuple[Subnet, ...]
    security_group: str
    ssh_from: tuple[str, ...]
    nat_gateway: str | None
    nat_addresses: tuple[str, ...]

    def subnets(self) -> tuple[Subnet, ...]:
        """Return the subnets that are made, in their order: the nodes', the Lustre servers', the bastion's."""
        return tuple(each for each in (self.nodes, self.lustre, self.bastion and self.bastion.subnet) if each)


@dataclass(frozen=True, slots=True)
class Peering:
    """A network's own half of a peering, named after the other end, as are the fields: `remote` is its network.

    `region` is None, and `origin` the other end's path, where that is not ours.
    """

    name: str
    remote: ResourceId
    region: str | None
    address_space: tuple[str, ...]
    origin: Path


@dataclass(frozen=True, slots=True)
class FileSystem:
    """An Azure Managed Lustre. `storage` is its key in the environment file, `tier` MB/s for each TiB."""

    unit: str
    name: str
    storage: str
    tier: int
    size_tib: int
    zone: str | None
    mount: str
    origin: Path


@dataclass(frozen=True, slots=True)
class OwnResource:
    """A resource of a unit of one's own. `name` has its parents' in front; `after`: keys of what is made before it."""

    key: str
    type: str
    api_version: str
    name: str
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OwnUnit:
    """A deployment unit of one's own in a region. `template` is a folder, `zone` the region's, `resources` are in the
    order of making.

    `in_place`: paths of properties that Azure changes without replacing a resource.
    """

    unit: str
    template: str
    zone: str | None
    resources: tuple[OwnResource, ...]
    values: Mapping[str, Any]
    in_place: tuple[str, ...]
    origin: Path


class Named(NamedTuple):
    """A resource that has a name: its type, its own name behind its parents', and the path that states the name.

    Where nothing stands at that path, the name is derived. `key` is what the resource is called in the environment
    file, empty where that has no name for it.
    """

    type: str
    names: tuple[str, ...]
    at: Path
    key: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """What is deployed in a region: one resource group, its network, what belongs to it, its scale sets.

    `group_is_given`: the group is not ours, and is never made, marked or deleted. `network` is None where the nodes
    stand in an existing subnet, whose network is not ours. `nodes_subnet`: the subnet that the nodes stand in.
    `peerings` are in the order in which they are made, `storage` and `own_units` are by name, `scale_sets` by pool,
    then index.
    """

    name: str
    group: str
    group_is_given: bool
    network: Network | None
    nodes_subnet: ResourceId
    peerings: tuple[Peering, ...]
    storage: tuple[FileSystem, ...]
    scale_sets: tuple[ScaleSet, ...]
    own_units: tuple[OwnUnit, ...]

    def named(self) -> Iterator[Named]:
        """Yield each resource that is named here, but for those of the units of one's own."""
        own: Path = ("regions", self.name, "names")
        if (network := self.network) is not None:
            yield Named(SECURITY_GROUPS, (network.security_group,), (*own, "security_group"))
            for number, name in enumerate(network.nat_addresses):
                yield Named(PUBLIC_ADDRESSES, (name,), (*own, "nat_addresses", number))
            if network.nat_gateway:
                yield Named(NAT_GATEWAYS, (network.nat_gateway,), (*own, "nat_gateway"))
            yield Named(VIRTUAL_NETWORKS, (network.virtual_network,), (*own, "virtual_network"))
            for subnet in network.subnets():
                path = (network.virtual_network, subnet.name)
                # Azure itself says what a bastion's subnet is called.
                at = (*own, f"{subnet.key}_subnet") if subnet.key != "bastion" else ("regions", self.name, "subnets")
                yield Named(SUBNETS, path, at, subnet.key)
            if network.bastion:
                yield Named(PUBLIC_ADDRESSES, (network.bastion.address,), (*own, "bastion_address"))
                yield Named(BASTIONS, (network.bastion.name,), (*own, "bastion"))
            for peering in self.peerings:
                other = peering.region or peering.origin[-1]
                yield Named(PEERINGS, (network.virtual_network, peering.name), (*own, "peerings", other))
        for storage in self.storage:
            yield Named(FILE_SYSTEMS, (storage.name,), ("storage", storage.storage, "name"), storage.storage)
        for each in self.scale_sets:
            at = ("regions", self.name, "pools", each.pool, "scale_sets", each.index, "name")
            yield Named(SCALE_SETS, (each.name,), at)


@dataclass(frozen=True, slots=True)
class PoolInRegion:
    """A pool's share in a region that its `nodes` speaks of. `origin` is the pool's path in the environment file.

    `settings` is the pool as it is in the region; `cloud_init` the text of its own cloud-init, None without one.
    """

    name: str
    region: str
    size: Size
    nodes: int
    infiniband: bool
    job_size: int | None
    placement_group_limit: int
    domain_size: int
    scale_sets: tuple[ScaleSet, ...]
    settings: Pool
    cloud_init: str | None
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

    def pools_by_region(self) -> dict[str, list[PoolInRegion]]:
        """Return each region's pools, by name."""
        found: dict[str, list[PoolInRegion]] = {region.name: [] for region in self.regions}
        for pool in self.pools:
            found[pool.region].append(pool)
        return found

    def scale_sets(self) -> Iterator[ScaleSet]:
        """Yield every scale set, by region, pool, index."""
        for region in self.regions:
            yield from region.scale_sets

    def keys(self) -> dict[str, str]:
        """Return the name in the environment file of each resource that is named here, by its id in lower case.

        Empty of what has none there. Those of the units of one's own are not among them.
        """
        return {
            resource_id(self.subscription, region.group, each.type, *each.names).key: each.key
            for region in self.regions
            for each in region.named()
        }

    def own_types(self) -> tuple[str, ...]:
        """Return the resource types of the units of one's own, sorted."""
        units = (unit for region in self.regions for unit in region.own_units)
        return tuple(sorted({each.type for unit in units for each in unit.resources}))

    def own_resources(self) -> Iterator[tuple[ResourceId, str]]:
        """Yield each resource of the units of one's own with its API version, by region, unit and order of making."""
        for region in self.regions:
            for unit in region.own_units:
                for each in unit.resources:
                    names = each.name.split("/")
                    yield resource_id(self.subscription, region.group, each.type, *names), each.api_version


@dataclass(frozen=True, slots=True)
class Run:
    """The environments of one run that could be laid out, in their order."""

    topologies: tuple[Topology, ...]
