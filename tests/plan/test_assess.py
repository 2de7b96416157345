"""What a plan costs and puts at risk, and which limits it would break."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.environment.model import Limits
from provision.plan.assess import assess, breaches
from provision.plan.model import Assessment, Estimate, PoolCost
from tests.support.worlds import QUICK, World, checked, plan, standing

SIZE = "Standard_ND96isr_H100_v5"
CATALOG = replace(load_catalog(), prices={SIZE: {"southcentralus": 10.0}})


def a_set(nodes: int = 2, size: str = SIZE, location: str = "southcentralus") -> dict[str, Any]:
    id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/x"
    sku = {"name": size, "capacity": nodes}
    return {"id": id, "location": location, "tags": {"provision": "quick/train-0"}, "sku": sku}


def an_assessment(**settings: Any) -> Assessment:
    plain: dict[str, Any] = {"usd_per_hour_before": 0.0, "usd_per_hour_after": 0.0, "nodes_before": 0, "nodes_after": 0}
    plain |= {"known_usd_per_hour_before": 0.0, "known_usd_per_hour_after": 0.0, "unpriced": ()}
    plain |= {"pools": (), "interruptions": (), "estimate": Estimate(0.0, (), ())}
    return Assessment(**{**plain, "gpus_after": 0, "nodes_deleted": 0, **settings})


def test_nodes_gpus_and_money_before_and_after() -> None:
    assert assess(checked(QUICK).topology, [a_set(3)], (), (), CATALOG) == Assessment(
        usd_per_hour_before=30.0,
        usd_per_hour_after=20.0,
        known_usd_per_hour_before=30.0,
        known_usd_per_hour_after=20.0,
        unpriced=(),
        nodes_before=3,
        nodes_after=2,
        gpus_after=16,
        nodes_deleted=0,
        pools=(PoolCost("southcentralus", "train", 3, 2, 30.0, 20.0, "list"),),
        interruptions=(),
        estimate=Estimate(0.0, (), ()),
    )


@pytest.mark.parametrize(
    ("body", "money"),
    [
        (a_set(size=SIZE.lower(), location="South Central US"), 20.0),
        (a_set(location="westus3"), None),
        (a_set(size="Standard_Unknown"), None),
        (a_set(nodes=0, size="Standard_Unknown"), 0.0),
        ({**a_set(), "sku": {"name": SIZE}}, 0.0),
        ({"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/natGateways/x"}, 0.0),
    ],
)
def test_money_is_none_where_a_price_is_not_known(body: dict[str, Any], money: float | None) -> None:
    assert assess(None, [body], (), (), CATALOG).usd_per_hour_before == money


def test_the_environments_own_prices_win_over_the_catalogs() -> None:
    own = {SIZE.lower(): 2.5, "Standard_Unknown": 1.0}
    found = assess(checked(QUICK).topology, [a_set(3), a_set(1, size="Standard_Unknown")], (), (), CATALOG, own)

    assert (found.usd_per_hour_before, found.usd_per_hour_after) == (8.5, 5.0)


def test_a_plan_is_reckoned_with_the_environments_own_prices() -> None:
    text = QUICK + f"prices: {{{SIZE}: 60}}\n"

    assert plan(text, standing()).assessment.usd_per_hour_before == 120.0
    assert plan(text, World()).assessment.usd_per_hour_after == 120.0


@pytest.mark.parametrize(
    ("edit", "deleted"),
    [
        (("nodes: 2", "nodes: 1"), 1),
        (('{zone: "1"}', '{zone: "2"}'), 2),
        (("  train:", "  other:"), 2),
        (("nodes: 2", "nodes: 9"), 0),
    ],
)
def test_nodes_that_are_deleted_count_however_they_go(edit: tuple[str, str], deleted: int) -> None:
    assert plan(QUICK.replace(*edit), standing()).assessment.nodes_deleted == deleted
    assert plan(QUICK, World()).assessment.nodes_deleted == 0


@pytest.mark.parametrize(
    ("assessment", "limits", "found"),
    [
        (an_assessment(nodes_deleted=9, usd_per_hour_after=9e9), Limits(), ()),
        (an_assessment(nodes_deleted=2), Limits(delete_nodes=2), ()),
        (
            an_assessment(nodes_deleted=3),
            Limits(delete_nodes=2),
            ("it deletes 3 running nodes; limits.delete_nodes allows 2",),
        ),
        (an_assessment(usd_per_hour_after=100.0), Limits(usd_per_hour_increase=100), ()),
        (
            an_assessment(usd_per_hour_before=500.0, usd_per_hour_after=1600.5),
            Limits(usd_per_hour_increase=1000),
            ("it adds 1,100.50 USD an hour; limits.usd_per_hour_increase allows 1,000.00",),
        ),
        (
            an_assessment(usd_per_hour_after=None, unpriced=("Standard_D8s_v5",)),
            Limits(usd_per_hour_increase=1000),
            (
                "the price of Standard_D8s_v5 is not known, so limits.usd_per_hour_increase cannot be kept; "
                "state it in prices",
            ),
        ),
        (an_assessment(usd_per_hour_before=900.0), Limits(usd_per_hour_increase=0), ()),
    ],
)
def test_limits_that_would_be_broken_are_named(assessment: Assessment, limits: Limits, found: tuple[str, ...]) -> None:
    assert breaches(assessment, limits) == found


JOBS = QUICK.replace("nodes: 2", "nodes: 16")


@pytest.mark.parametrize(
    ("text", "edit", "expected"),
    [
        pytest.param(JOBS, ("nodes: 16", "nodes: 12"), (4, 1, 16, 64.0, True), id="no job size: the whole set"),
        pytest.param(
            JOBS + "    job_size: 4\n", ("nodes: 16", "nodes: 12"), (4, 4, 16, 64.0, False), id="each node its job"
        ),
        pytest.param(JOBS + "    job_size: 4\n", ("nodes: 16", "nodes: 15"), (1, 1, 4, 16.0, False), id="one job"),
        pytest.param(
            JOBS + "    infiniband: none\n", ("nodes: 16", "nodes: 15"), (1, 1, 1, 4.0, False), id="no InfiniBand"
        ),
        # An hour's half, 90 s until the set is gone, 316 s until its 16 nodes are back: 128 GPUs * 0.6128 h.
        pytest.param(
            JOBS + "    job_size: 8\n", ('{zone: "1"}', '{zone: "2"}'), (16, 2, 16, 78.4, False), id="replaced"
        ),
    ],
)
def test_a_job_that_loses_a_node_stops_as_a_whole(
    text: str, edit: tuple[str, str], expected: tuple[int, int, int, float, bool]
) -> None:
    (found,) = plan(text.replace(*edit), standing(text)).assessment.interruptions

    told = (found.nodes, found.jobs, found.stalled_nodes, found.gpu_hours, found.assumed_job_size)
    assert told == expected
    assert found.may_not_come_back


def test_what_leaves_running_nodes_alone_puts_nothing_at_risk() -> None:
    for edit in (("nodes: 16", "nodes: 20"), ("owner: ml", "owner: other")):
        assert plan(JOBS.replace(*edit), standing(JOBS)).assessment.interruptions == ()


def test_money_is_told_by_pool_and_region_and_unknown_is_never_nothing() -> None:
    text = QUICK.replace('{zone: "1"}', '{zone: "1"}\n  westus3: {zone: "1"}')
    more = text.replace("nodes: 2", "nodes: {southcentralus: 4, westus3: 2}")

    (grown,) = plan(more, standing(text)).assessment.pools
    (unpriced,) = plan(QUICK + LOGIN, standing()).assessment.pools

    assert (grown.region, grown.pool, grown.nodes_before, grown.nodes_after) == ("southcentralus", "train", 2, 4)
    assert (unpriced.pool, unpriced.usd_per_hour_before, unpriced.usd_per_hour_after, unpriced.price) == (
        "login",
        0.0,
        None,
        "unknown",
    )


LOGIN = """\
  login: {size: Standard_D8s_v5, nodes: 1, infiniband: none, ssh_public_key_file: key.pub}
"""


def test_a_plan_takes_as_long_as_its_longest_chain() -> None:
    text = QUICK.replace('{zone: "1"}', '{zone: "1"}\n  westus3: {zone: "1"}').replace(
        "nodes: 2", "nodes: {southcentralus: 4, westus3: 2}"
    )
    estimate = plan(text, World()).assessment.estimate

    assert estimate.waves == (3, 2, 2)
    assert estimate.critical_path == (
        "group quick-southcentralus",
        "stack southcentralus/network",
        "stack southcentralus/train-0",
    )
    # The group; a security group, an address, a NAT gateway, a network and a subnet; four nodes.
    assert estimate.seconds == 2 + (15 + 3 + 4 + 10 + 5 + 5) + (15 + 300 + 4)


def test_an_autoscalers_nodes_count_as_those_that_there_are() -> None:
    text = QUICK + "    capacity: external\n"
    world = standing(text)
    world.resource("quick-train-0")["sku"]["capacity"] = 40

    assert plan(text, world).assessment.nodes_after == 40


def test_an_autoscalers_sets_of_one_name_in_two_regions_are_two() -> None:
    text = QUICK.replace("pools:\n", '  westus3: {zone: "1"}\npools:\n') + "    capacity: external\n"
    world = standing(text)
    for key, body in world.resources.items():
        if key.endswith("/quick-train-0"):
            body["sku"]["capacity"] = 40 if "westus3" in key else 7

    assert plan(text, world).assessment.nodes_after == 47
