"""Makes the topology of an environment. Names, ranges and splits are each decided in a module of their own."""

from __future__ import annotations

from collections.abc import Mapping

from provision.catalog import Catalog
from provision.environment import Environment, Pool
from provision.environment.model import NatOutbound
from provision.topology import addresses, names
from provision.topology.domains import nodes_by_domain
from provision.topology.model import Network, PoolInRegion, Region, ScaleSet, Topology


def topology_of(environment: Environment, catalog: Catalog, ssh_public_keys: Mapping[str, str]) -> Topology:
    """Return the topology of an environment; `ssh_public_keys` gives the text of each key file by its path.

    Regions and sizes that the catalog lacks are left out: rules report them, and nothing goes on past an error.
    """
    regions = sorted(name for name in environment.regions if name in catalog.slots)
    pools = tuple(
        _pool_in_region(environment, name, pool, region, catalog, ssh_public_keys)
        for name, pool in sorted(environment.pools.items())
        for region in regions
        if pool.size in catalog.sizes
    )
    sets: dict[str, list[ScaleSet]] = {region: [] for region in regions}
    for share in pools:
        sets[share.region].extend(share.scale_sets)
    return Topology(
        environment=environment.name,
        subscription=environment.subscription,
        tags=dict(sorted(environment.tags.items())),
        home_group=names.home_group(environment.name),
        home_location=regions[0] if regions else "",
        regions=tuple(
            Region(
                name=region,
                group=names.region_group(environment.name, region),
                network=_network(environment, region, catalog.slots[region]),
                scale_sets=tuple(sets[region]),
            )
            for region in regions
        ),
        pools=pools,
    )


def _network(environment: Environment, region: str, slot: int) -> Network:
    prefix = f"{environment.name}-{region}"
    block = addresses.region_block(environment.network.address_space, slot)
    outbound = environment.network.outbound
    count = outbound.nat_gateway.addresses if isinstance(outbound, NatOutbound) else 0
    return Network(
        unit=names.NETWORK_UNIT,
        virtual_network=f"{prefix}-vnet",
        address_space=str(block),
        subnet=names.NODES_SUBNET,
        subnet_range=str(addresses.nodes_range(block)),
        security_group=f"{prefix}-nodes-nsg",
        ssh_from=environment.network.ssh_from,
        nat_gateway=f"{prefix}-nat" if count else None,
        nat_addresses=tuple(f"{prefix}-nat-ip-{n}" for n in range(count)),
    )


def _pool_in_region(
    environment: Environment,
    name: str,
    pool: Pool,
    region: str,
    catalog: Catalog,
    ssh_public_keys: Mapping[str, str],
) -> PoolInRegion:
    size = catalog.sizes[pool.size]
    infiniband = size.rdma if pool.infiniband is None else pool.infiniband == "required"
    domain_size = pool.domain_size or (pool.placement_group_limit if infiniband else catalog.limits["scale_set_nodes"])
    nodes = pool.nodes_in(region)
    scale_sets = tuple(
        ScaleSet(
            unit=names.scale_set_unit(name, index),
            name=names.scale_set(environment.name, name, index),
            computer_name_prefix=names.computer_name_prefix(name, index),
            pool=name,
            region=region,
            zone=environment.regions[region].zone,
            index=index,
            nodes=count,
            size=size,
            infiniband=infiniband,
            settings=pool,
            ssh_public_key=ssh_public_keys.get(pool.ssh_public_key_file, "").strip(),
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
        infiniband_stated=pool.infiniband is not None,
        job_size=pool.job_size,
        placement_group_limit=pool.placement_group_limit,
        domain_size=domain_size,
        scale_sets=scale_sets,
        origin=("pools", name),
    )
