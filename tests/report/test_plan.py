"""Plans as text, whole: the verdict, the dangers, each change with what, why and which line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from provision.plan.model import Action
from provision.report.plan import kind_of, plan_as_text
from tests.support.worlds import QUICK, World, destruction, plan, standing

HEAD = "Plan for quick in subscription 00000000-0000-0000-0000-000000000001: "
TWO_POOLS = (
    QUICK.replace("southcentralus", "eastus2")
    + """\
  infer:
    size: Standard_ND96isr_H100_v5
    nodes: 3
    ssh_public_key_file: key.pub
"""
)


def test_a_plan_from_nothing() -> None:
    assert plan_as_text(plan(QUICK, World())) == HEAD + (
        """\
8 to create; nodes 0 → 2

outside the regions
  + create       resource group   quick-home  [quick.yaml:6 regions]

southcentralus
  + create       resource group   quick-southcentralus  [quick.yaml:7 regions.southcentralus]
  + create       security group   quick-southcentralus-nodes-nsg  [quick.yaml:5 network]
  + create       public address   quick-southcentralus-nat-ip-0  [quick.yaml:5 network]
  + create       NAT gateway      quick-southcentralus-nat  [quick.yaml:5 network]
  + create       virtual network  quick-southcentralus-vnet  [quick.yaml:5 network]
  + create       subnet           nodes  [quick.yaml:5 network]
  + create       scale set        quick-train-0  2 nodes, 16 GPUs  [quick.yaml:9 pools.train]

InfiniBand domains
  ok quick-train-0  southcentralus: 2 of at most 100 nodes, one placement group, zone 1, subnet 2 of 65531 addresses

Cost: 0.00 → 235.94 USD an hour, 0 → 172,233 USD a month (nodes only)
  southcentralus     train: 0 → 2 nodes, 0.00 → 235.94 USD an hour, 0 → 172,233 USD a month (list price)
Time: about 6 min, 4 steps in 3 waves (if nothing is scarce)
  longest chain: group quick-southcentralus → stack southcentralus/network → stack southcentralus/train-0
"""
    )


def test_a_plan_with_everything_that_one_would_rather_know_before() -> None:
    world = standing(TWO_POOLS.replace("nodes: 2", "nodes: 4"))
    world.resource("quick-train-0")["tags"]["billing"] = "42"
    world.resource("quick-eastus2-nodes-nsg")["properties"]["securityRules"][0]["properties"]["priority"] = 4000
    del world.resource("quick-eastus2-nat")["tags"]["provision"]
    text = TWO_POOLS.replace("infer:\n    size: Standard_ND96isr_H100_v5", "infer:\n    size: Standard_ND96isr_H200_v5")

    assert plan_as_text(plan(text, world)) == HEAD + (
        """\
1 of 4 changes cannot be made

Dangers
  x refused      NAT gateway      eastus2 quick-eastus2-nat  (a stack of ours recorded it, but it has lost our mark: put its tag back, provision: quick/network)  [quick.yaml:5 network]
  ± replace      scale set        eastus2 quick-infer-0  3 nodes, 24 GPUs
      may not come back, for others can take freed capacity
  - scale-in     scale set        eastus2 quick-train-0  2 nodes, 16 GPUs
      may not come back, for others can take freed capacity

Drift: what others have changed since the last apply
  ! dangerous       security group   quick-eastus2-nodes-nsg properties.securityRules[allow-ssh].properties.priority
      1000 → 4000; applying takes it back: update

eastus2
  ~ update       security group   quick-eastus2-nodes-nsg
      properties.securityRules[allow-ssh].properties.priority: 4000 → 1000
        update: rules change at once for new connections; changed in Azure since the last apply, which this reverts  [quick.yaml:5 network.ssh_from]
  x refused      NAT gateway      quick-eastus2-nat  (a stack of ours recorded it, but it has lost our mark: put its tag back, provision: quick/network)  [quick.yaml:5 network]
  ± replace      scale set        quick-infer-0  3 nodes, 24 GPUs
      sku.name: "Standard_ND96isr_H100_v5" → "Standard_ND96isr_H200_v5"
        replace: the placement group is bound to one cluster of one size  [quick.yaml:14 pools.infer.size]
        see https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-upgrade-policy
  - scale-in     scale set        quick-train-0  2 nodes, 16 GPUs
      sku.capacity: 4 → 2
        scale-in: nodes are deleted by name, the unhealthy first, then the newest  [quick.yaml:11 pools.train.nodes]
        see https://learn.microsoft.com/azure/virtual-machine-scale-sets/virtual-machine-scale-sets-upgrade-policy

InfiniBand domains
  ok quick-infer-0  eastus2: 3 of at most 100 nodes, one placement group, zone 1, subnet 5 of 65531 addresses
  ok quick-train-0  eastus2: 2 of at most 100 nodes, one placement group, zone 1, subnet 5 of 65531 addresses

Kept
  = scale set        quick-train-0 tags.billing  in quick-eastus2  (not ours)

At risk: up to 2 jobs on 7 nodes, about 31 GPU-hours
  reckoned as work since the last checkpoint, if there is one an hour, and the time until nodes are back; a job spans a whole set where no job_size is stated
Cost: 688.24 → 451.04 USD an hour, 502,415 → 329,259 USD a month (nodes only)
  eastus2            infer: 3 → 3 nodes, 294.96 → 254.40 USD an hour, 215,321 → 185,712 USD a month (list price)
  eastus2            train: 4 → 2 nodes, 393.28 → 196.64 USD an hour, 287,094 → 143,547 USD a month (list price)
Time: about 7 min, 4 steps in 3 waves (if nothing is scarce)
  longest chain: delete scale set quick-infer-0 → stack eastus2/infer-0
Needs your consent: --allow delete,replace
"""  # noqa: E501 - a terminal breaks these lines where it ends
    )


def test_a_plan_that_breaks_a_limit_says_so_first() -> None:
    text = QUICK.replace('"1"', '"2"') + "limits: {delete_nodes: 0}\n"

    assert plan_as_text(plan(text, standing())).splitlines()[:5] == [
        HEAD + "1 to replace; nodes stay 2, 2 running nodes deleted",
        "  refused: it deletes 2 running nodes; limits.delete_nodes allows 0",
        "",
        "Dangers",
        "  ± replace      scale set        southcentralus quick-train-0  2 nodes, 16 GPUs",
    ]


@pytest.mark.parametrize(
    ("edit", "verdict"),
    [
        (("nodes: 2", "nodes: 2"), "nothing to do"),
        (("nodes: 2", "nodes: 5"), "1 to update; nodes 2 → 5"),
        (("nodes: 2", "nodes: 1"), "1 to scale-in; nodes 2 → 1, 1 running node deleted"),
        (("  train:", "  other:"), "1 to create, 1 to delete; nodes stay 2, 2 running nodes deleted"),
        (("ssh_from", "outbound: none, ssh_from"), "1 to update, 2 to delete; nodes stay 2"),
    ],
)
def test_the_verdict_stands_first(edit: tuple[str, str], verdict: str) -> None:
    assert plan_as_text(plan(QUICK.replace(*edit), standing())).splitlines()[0] == HEAD + verdict


def test_nothing_to_do_is_one_line() -> None:
    assert plan_as_text(plan(QUICK, standing())) == HEAD + "nothing to do\n"


def test_only_nodes_may_not_come_back() -> None:
    text = plan_as_text(plan(QUICK.replace("ssh_from", "outbound: none, ssh_from"), standing()))

    assert "may not come back" not in text
    assert "  - delete       NAT gateway      quick-southcentralus-nat" in text


def test_a_destruction_names_what_goes_and_asks_for_no_class_of_consent() -> None:
    assert plan_as_text(destruction(standing())) == (
        """\
Destroying quick in subscription 00000000-0000-0000-0000-000000000001: 8 to delete; nodes 2 → 0

southcentralus
  - delete       security group   quick-southcentralus-nodes-nsg  [quick.yaml:6 regions]
  - delete       public address   quick-southcentralus-nat-ip-0  [quick.yaml:6 regions]
  - delete       NAT gateway      quick-southcentralus-nat  [quick.yaml:6 regions]
  - delete       virtual network  quick-southcentralus-vnet  [quick.yaml:6 regions]
  - delete       subnet           nodes  [quick.yaml:6 regions]
  - delete       scale set        quick-train-0  2 nodes, 16 GPUs  [quick.yaml:8 pools]
  - delete       resource group   quick-southcentralus  (nothing is left in it)  [quick.yaml:6 regions]

outside the regions
  - delete       resource group   quick-home  (nothing is left in it)  [quick.yaml:6 regions]

At risk: up to 1 job on 2 nodes, about 8 GPU-hours
  reckoned as work since the last checkpoint, if there is one an hour, and the time until nodes are back; a job spans a whole set where no job_size is stated
Cost: 235.94 → 0.00 USD an hour, 172,233 → 0 USD a month (nodes only)
  southcentralus     train: 2 → 0 nodes, 235.94 → 0.00 USD an hour, 172,233 → 0 USD a month (list price)
Time: about 5 min, 11 steps in 8 waves (if nothing is scarce)
  longest chain: delete scale set quick-train-0 → wait until subnet nodes is empty → delete subnet nodes → delete NAT gateway quick-southcentralus-nat → delete public address quick-southcentralus-nat-ip-0 → delete deployment stack quick.network → delete resource group quick-southcentralus → delete resource group quick-home
"""  # noqa: E501 - a terminal breaks these lines where it ends
    )


def test_colour_says_nothing_that_the_text_does_not() -> None:
    made = plan(QUICK.replace("nodes: 2", "nodes: 1"), standing())
    coloured = plan_as_text(made, colour=True)

    for code in ("0", "1", "31", "31;1", "32", "33"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == plan_as_text(made)


def test_what_azure_reports_cannot_steer_a_terminal() -> None:
    world = standing()
    world.resource("quick-train-0")["sku"]["name"] = "\x1b[2J\u202eevil"
    world.resource("quick-train-0")["tags"]["\x1b]0;title\x07"] = "x"

    text = plan_as_text(plan(QUICK.replace("nodes: 2", "nodes: 3"), world), colour=False)

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b]0;title\\x07" in text


def test_long_values_are_cut_and_absent_ones_are_nothing() -> None:
    made = plan(QUICK.replace("nodes: 2", "nodes: 3"), standing())
    (change,) = made.changes
    edit = replace(change.edits[0], before=None, after="x" * 200)

    lines = plan_as_text(replace(made, changes=(replace(change, edits=(edit,)),))).splitlines()

    assert lines[4] == f'      sku.capacity: nothing → "{"x" * 86}…'


def test_a_cost_that_is_not_known_is_said_so() -> None:
    made = plan(QUICK.replace("nodes: 2", "nodes: 3"), standing())
    login = replace(made.assessment, usd_per_hour_after=None, unpriced=("Standard_D8s_v5",))

    assert (
        "\nCost: 235.94 → 353.90 USD an hour, 172,233 → 258,350 USD a month (nodes only), "
        "without Standard_D8s_v5, whose price is not known: state it in prices\n"
        in plan_as_text(replace(made, assessment=login))
    )


def test_a_domain_that_does_not_hold_says_why() -> None:
    made = plan(QUICK.replace("nodes: 2", "nodes: 3"), standing())
    (domain,) = made.domains
    split = replace(domain, single_placement_group=False, zone=None)

    assert (
        "  NO quick-train-0  southcentralus: 3 of at most 100 nodes, MORE THAN ONE PLACEMENT GROUP, no zone, "
        "subnet 3 of 65531 addresses\n" in plan_as_text(replace(made, domains=(split,)))
    )


def test_every_action_has_its_sign_and_every_type_a_name() -> None:
    (change,) = plan(QUICK.replace("nodes: 2", "nodes: 3"), standing()).changes
    made = plan(QUICK.replace("nodes: 2", "nodes: 3"), standing())

    for action in Action:
        assert action.label in plan_as_text(replace(made, changes=(replace(change, action=action),)))
    assert kind_of("Microsoft.Network/VirtualNetworks/Subnets") == "subnet"
    assert kind_of("Microsoft.Storage/storageAccounts") == "storageAccounts"
