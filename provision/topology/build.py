"""Makes the topology of an environment. Names, ranges and splits are each decided in a module of their own."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from provision.catalog import Catalog
from provision.environment import Environment, Pool
from provision.environment.model import NamedScaleSet
from provision.topology import names
from provision.topology.domains import nodes_by_domain
from provision.topology.model import Network, Peering, PoolInRegion, Region, ScaleSet, Topology
from provision.topology.networks import group_of, network_of, nodes_subnet_of
from provision.topology.own_units import own_units_of
from provision.topology.peerings import peerings_of
from provision.topology.storage import file_systems_of


def topology_of(environment: Environment, catalog: Catalog, files: Mapping[str, str]) -> Topology:
    """Return the topology of an environment; `files` gives the text of each file that it names, by its path.

    Regions and sizes that the catalog lacks are left out: rules report them, and nothing goes on past an error.
    """
    regions = sorted(name for name in environment.regions if name in catalog.slots)
    pools = tuple(
        _pool_in_region(environment, name, pool, region, catalog, files)
        for name, region, pool in sorted(environment.shares(), key=itemgetter(0, 1))
        if region in catalog.slots and pool.size in catalog.sizes
    )
    sets: dict[str, list[ScaleSet]] = {region: [] for region in regions}
    for share in pools:
        sets[share.region].extend(share.scale_sets)
    networks = {region: network_of(environment, region, catalog.slots[region]) for region in regions}
    peerings = peerings_of(environment, {region: each for region, each in networks.items() if each is not None})
    return Topology(
        environment=environment.name,
        subscription=environment.subscription,
        tags=dict(sorted(environment.tags.items())),
        home_group=names.home_group(environment.name),
        home_location=regions[0] if regions else "",
        regions=tuple(
            _region(environment, region, networks[region], peerings.get(region, ()), sets[region]) for region in regions
        ),
        pools=pools,
    )


def _region(
    environment: Environment, region: str, network: Network | None, peerings: tuple[Peering, ...], sets: list[ScaleSet]
) -> Region:
    return Region(
        name=region,
        group=group_of(environment, region),
        group_is_given=environment.regions[region].resource_group is not None,
        network=network,
        nodes_subnet=nodes_subnet_of(environment, region, network),
        peerings=peerings,
        storage=file_systems_of(environment, region),
        scale_sets=tuple(sets),
        own_units=own_units_of(environment, region),
    )


def _fixed(environment: str, pool: str, index: int, own: NamedScaleSet | None) -> dict[str, Any]:
    """Return what a scale set keeps from when it is made: what the file states of it, else what is derived."""
    derived = {
        "name": names.scale_set(environment, pool, index),
        "computer_name_prefix": names.computer_name_prefix(pool, index),
        "platform_fault_domains": names.FAULT_DOMAINS,
        "interface": names.INTERFACE,
        "ip_configuration": names.IP_CONFIGURATION,
    }
    return derived if own is None else {**derived, **own.model_dump(exclude_none=True)}


def _pool_in_region(
    environment: Environment,
    name: str,
    pool: Pool,
    region: str,
    catalog: Catalog,
    files: Mapping[str, str],
) -> PoolInRegion:
    size = catalog.sizes[pool.size]
    infiniband = size.rdma if pool.infiniband is None else pool.infiniband == "required"
    domain_size = pool.domain_size or (pool.placement_group_limit if infiniband else catalog.limits["scale_set_nodes"])
    nodes = pool.nodes_in(region)
    own = dict(enumerate(environment.named_scale_sets(name, region)))
    scale_sets = tuple(
        ScaleSet(
            unit=names.scale_set_unit(name, index),
            **_fixed(environment.name, name, index, own.get(index)),
            pool=name,
            region=region,
            zone=environment.regions[region].zone,
            index=index,
            nodes=count,
            size=size,
            infiniband=infiniband,
            settings=pool,
            ssh_public_key=files.get(pool.ssh_public_key_file, "").strip(),
            origin=("pools", name),
        )
        for index, count in enumerate(nodes_by_domain(nodes, domain_size))
    )
    return PoolInRegion(
        name=name,
        region=region,
        size=size,
        nodes=nodes,
        infiniband=infiniband,
        job_size=pool.job_size,
        placement_group_limit=pool.placement_group_limit,
        domain_size=domain_size,
        scale_sets=scale_sets,
        settings=pool,
        cloud_init=files.get(pool.cloud_init_file or ""),
        origin=("pools", name),
    )
