"""Azure sells each size in some regions only."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import PoolInRegion, Topology

_SHOWN = 6


@rule(
    id="size-not-offered-in-region",
    subject=Topology,
    severity=Severity.ERROR,
    why="Azure's price list has no entry for this size in the region, so it is not sold there, at whatever quota",
    link="https://azure.microsoft.com/explore/global-infrastructure/products-by-region/",
    remedy="move the pool to a region that offers its size",
)
def size_not_offered_in_region(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool's region where its size is not offered. Of some sizes it is not known where they are."""
    for pool in topology.pools:
        offered = catalog.offered_in(pool.size.name)
        if offered is None or pool.region in offered or not pool.nodes or pool.size.unsupported:
            continue
        by_region = isinstance(pool.scale_sets[0].settings.nodes, dict)
        yield Problem(
            at=(*pool.origin, "nodes", pool.region) if by_region else (*pool.origin, "size"),
            message=f"{pool.size.name} is not offered in {pool.region}",
            fix=f"move pool {pool.name} to {_where(pool, catalog)}",
            on_key=by_region,
        )


def _where(pool: PoolInRegion, catalog: Catalog) -> str:
    """Return the regions that offer a pool's size, the cheapest first."""
    prices = sorted((price, region) for region, price in catalog.prices[pool.size.name].items())
    shown = [f"{region} ({price:g} USD/h)" for price, region in prices[:_SHOWN]]
    more = f", or {len(prices) - _SHOWN} more" if len(prices) > _SHOWN else ""
    return ", ".join(shown) + more
