"""Decides what nodes cost, pool by pool and region by region: "unknown", never nothing, where there is no price."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from provision.catalog import Catalog
from provision.plan.model import PoolCost

MONTH_H = 730
"""The hours of a month, as Azure's price sheets reckon."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """Some nodes of one size, of a pool in a region."""

    region: str
    pool: str
    size: str
    count: int


class Prices:
    """What a node costs an hour. The environment's own prices are the same everywhere, and win over the catalog's."""

    def __init__(self, catalog: Catalog, own: Mapping[str, float]) -> None:
        self._own = {size.lower(): price for size, price in own.items()}
        self._listed = {size.lower(): prices for size, prices in catalog.prices.items()}

    def of(self, nodes: Nodes) -> float | None:
        """Return the price of one node in USD an hour, None where it is not known."""
        size = nodes.size.lower()
        return self._own.get(size, self._listed.get(size, {}).get(nodes.region))

    def source(self, nodes: Nodes) -> str:
        """Return whose price that is: `contract`, `list` or `unknown`."""
        if nodes.size.lower() in self._own:
            return "contract"
        return "unknown" if self.of(nodes) is None else "list"

    def total(self, found: Iterable[Nodes]) -> tuple[float, frozenset[str]]:
        """Return what nodes cost an hour as far as it is known, and the sizes whose price is not."""
        known, unknown = 0.0, set()
        for nodes in found:
            price = self.of(nodes)
            if price is not None:
                known += nodes.count * price
            elif nodes.count:
                unknown.add(nodes.size)
        return round(known, 4), frozenset(unknown)


def pool_costs(before: Iterable[Nodes], after: Iterable[Nodes], prices: Prices) -> Iterator[PoolCost]:
    """Yield the pools in which nodes or money change, by region and pool."""
    was, will = _by_pool(before), _by_pool(after)
    for region, pool in sorted(was.keys() | will.keys()):
        here, there = was.get((region, pool), []), will.get((region, pool), [])
        (usd_before, unknown_before), (usd_after, unknown_after) = prices.total(here), prices.total(there)
        cost = PoolCost(
            region=region,
            pool=pool,
            nodes_before=sum(nodes.count for nodes in here),
            nodes_after=sum(nodes.count for nodes in there),
            usd_per_hour_before=None if unknown_before else usd_before,
            usd_per_hour_after=None if unknown_after else usd_after,
            price=next((prices.source(nodes) for nodes in (*there, *here)), "unknown"),
        )
        if cost.nodes_before != cost.nodes_after or usd_before != usd_after:
            yield cost


def _by_pool(found: Iterable[Nodes]) -> dict[tuple[str, str], list[Nodes]]:
    pools: dict[tuple[str, str], list[Nodes]] = {}
    for nodes in found:
        pools.setdefault((nodes.region, nodes.pool), []).append(nodes)
    return pools
