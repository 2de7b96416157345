"""Decides what a plan costs and puts at risk: a pure reckoning beside it, that changes nothing in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from provision.arm import SCALE_SETS, ResourceId
from provision.catalog import Catalog
from provision.environment.model import Limits
from provision.plan.model import Action, Assessment, Change
from provision.topology import Topology


def assess(
    topology: Topology | None,
    before: Iterable[Mapping[str, Any]],
    changes: tuple[Change, ...],
    catalog: Catalog,
    prices: Mapping[str, float] | None = None,
) -> Assessment:
    """Return nodes and cost: `before` are the observed scale sets of ours.

    `prices` are the environment's own, by size and the same in every region; they win over the catalog's.
    """
    own = {size.lower(): price for size, price in (prices or {}).items()}
    running = [
        (body["sku"]["name"], body["location"], int(body["sku"].get("capacity") or 0))
        for body in before
        if ResourceId(body["id"]).type.lower() == SCALE_SETS.lower()
    ]
    stated = [(s.size.name, s.region, s.nodes) for s in topology.scale_sets()] if topology else []
    known_before, unknown_before = _usd_per_hour(running, catalog, own)
    known_after, unknown_after = _usd_per_hour(stated, catalog, own)
    return Assessment(
        usd_per_hour_before=None if unknown_before else known_before,
        usd_per_hour_after=None if unknown_after else known_after,
        known_usd_per_hour_before=known_before,
        known_usd_per_hour_after=known_after,
        unpriced=tuple(sorted(unknown_before | unknown_after)),
        nodes_before=sum(nodes for _, _, nodes in running),
        nodes_after=sum(nodes for _, _, nodes in stated),
        gpus_after=sum(nodes * (catalog.sizes[size].gpus or 0) for size, _, nodes in stated),
        nodes_deleted=sum(
            change.nodes for change in changes if change.action in (Action.SCALE_IN, Action.DELETE, Action.REPLACE)
        ),
    )


def breaches(assessment: Assessment, limits: Limits) -> tuple[str, ...]:
    """Return the limits of the environment file that a plan would break, as sentences."""
    found = []
    if limits.delete_nodes is not None and assessment.nodes_deleted > limits.delete_nodes:
        found.append(
            f"it deletes {assessment.nodes_deleted} running nodes; limits.delete_nodes allows {limits.delete_nodes}"
        )
    if limits.usd_per_hour_increase is not None:
        before, after = assessment.usd_per_hour_before, assessment.usd_per_hour_after
        if before is None or after is None:
            sizes = ", ".join(assessment.unpriced)
            found.append(
                f"the price of {sizes} is not known, so limits.usd_per_hour_increase cannot be kept; state it in prices"
            )
        elif after - before > limits.usd_per_hour_increase:
            found.append(
                f"it adds {after - before:,.2f} USD an hour; "
                f"limits.usd_per_hour_increase allows {limits.usd_per_hour_increase:,.2f}"
            )
    return tuple(found)


def _usd_per_hour(
    sets: list[tuple[str, str, int]], catalog: Catalog, own: Mapping[str, float]
) -> tuple[float, frozenset[str]]:
    """Return what nodes cost as far as it is known, and the sizes whose price is not."""
    total, unknown = 0.0, set()
    sizes = {name.lower(): name for name in catalog.prices}
    for size, location, nodes in sets:
        listed = catalog.prices.get(sizes.get(size.lower(), ""), {}).get(location.replace(" ", "").lower())
        price = own.get(size.lower(), listed)
        if price is not None:
            total += nodes * price
        elif nodes:
            unknown.add(size)
    return round(total, 4), frozenset(unknown)
