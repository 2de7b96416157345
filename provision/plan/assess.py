"""Decides what a plan costs, stops and puts at risk: a pure reckoning beside it, that changes nothing in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from provision.arm import SCALE_SETS, ResourceId
from provision.catalog import Catalog
from provision.environment.model import Limits
from provision.plan.context import capacity
from provision.plan.costs import Nodes, Prices, pool_costs
from provision.plan.estimate import estimate_of
from provision.plan.interruptions import interruptions_of
from provision.plan.model import Action, Assessment, Change, Operation
from provision.plan.observed import mark_of
from provision.topology import Topology


def assess(
    topology: Topology | None,
    before: Iterable[Mapping[str, Any]],
    changes: tuple[Change, ...],
    operations: Sequence[Operation],
    catalog: Catalog,
    prices: Mapping[str, float] | None = None,
    left: Iterable[Change] = (),
) -> Assessment:
    """Return what a plan comes to: `before` are the observed resources of ours, `operations` are in order.

    `prices` are the environment's own, by size and the same in every region; they win over the catalog's. `left` are
    changes that are not made now, so that what they are about stays as it is.
    """
    sets = [body for body in before if ResourceId(body["id"]).type.lower() == SCALE_SETS.lower()]
    running = [_running(body) for body in sets]
    there = {ResourceId(body["id"]).key: capacity(body) for body in sets}
    later = {(change.region, change.unit) for change in left}
    stated = _stated(topology, {(_region(body), _unit(body)): capacity(body) for body in sets}, later)
    stated += [_running(body) for body in sets if (_region(body), _unit(body)) in later]
    known = Prices(catalog, prices or {})
    usd_before, unknown_before = known.total(running)
    usd_after, unknown_after = known.total(stated)
    return Assessment(
        usd_per_hour_before=None if unknown_before else usd_before,
        usd_per_hour_after=None if unknown_after else usd_after,
        known_usd_per_hour_before=usd_before,
        known_usd_per_hour_after=usd_after,
        unpriced=tuple(sorted(unknown_before | unknown_after)),
        nodes_before=sum(nodes.count for nodes in running),
        nodes_after=sum(nodes.count for nodes in stated),
        gpus_after=sum(nodes.count * (catalog.sizes[nodes.size].gpus or 0) for nodes in stated),
        nodes_deleted=sum(
            change.nodes for change in changes if change.action in (Action.SCALE_IN, Action.DELETE, Action.REPLACE)
        ),
        pools=tuple(pool_costs(running, stated, known)),
        interruptions=tuple(interruptions_of(changes, there, topology, catalog.durations)),
        estimate=estimate_of(operations, changes, catalog.durations),
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


def _running(body: Mapping[str, Any]) -> Nodes:
    return Nodes(_region(body), _unit(body).rpartition("-")[0], str(body["sku"]["name"]), capacity(body))


def _region(body: Mapping[str, Any]) -> str:
    return str(body["location"]).replace(" ", "").lower()


def _unit(body: Mapping[str, Any]) -> str:
    return (mark_of(body) or "").partition("/")[2]


def _stated(
    topology: Topology | None, running: Mapping[tuple[str, str], int], later: Collection[tuple[str, str]]
) -> list[Nodes]:
    """Return the nodes that there will be: of a set whose number an autoscaler owns, those that there are.

    `running`: nodes by region and unit. `later`: units, by region and name, that stay as they are for now.
    """
    found = []
    for each in topology.scale_sets() if topology else ():
        unit = each.region, each.unit
        if unit in later:
            continue
        external = each.settings.capacity == "external" and unit in running
        count = running[unit] if external else each.nodes
        found.append(Nodes(each.region, each.pool, each.size.name, count))
    return found
