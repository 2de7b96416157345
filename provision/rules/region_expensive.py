"""The same nodes cost much more in some regions than in others."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule

#: By how much a region is dearer than the cheapest that offers the size before it is worth a word.
_SHARE = 1.5


@rule(
    id="region-expensive",
    subject=Environment,
    severity=Severity.INFO,
    why="list prices of one size differ between regions by up to twice, whatever the nodes do there",
    link="https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices",
    remedy="move the nodes, if nothing ties them to the region, or state the contract's price in `prices`",
)
def region_expensive(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool with nodes in a region that costs half as much again as the cheapest that offers its size."""
    for name, pool in environment.pools.items():
        prices = {} if pool.size in environment.prices else catalog.prices.get(pool.size, {})
        cheapest = min(prices, key=lambda region: (prices[region], region), default="")
        dear = [
            region
            for region in environment.regions
            if region in prices and pool.nodes_in(region) and prices[region] >= _SHARE * prices[cheapest]
        ]
        if dear:
            dearest = max(dear, key=lambda region: prices[region])
            also = f" (and {len(dear) - 1} more regions)" if len(dear) > 1 else ""
            yield Problem(
                at=("pools", name),
                message=f"a node of pool {name} costs {prices[dearest]:.2f} USD an hour in {dearest}{also}, "
                f"{prices[dearest] / prices[cheapest] - 1:.0%} more than in {cheapest}",
                fix=f"move it to {cheapest} if it can be, or state your own price in `prices`",
            )
