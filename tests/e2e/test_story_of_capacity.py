"""Too little hardware: what is told, what stays, with which code a run ends, and that the next one goes on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.conftest import Azure, Shell
from tests.support.worlds import QUICK

SIZE = "Standard_ND96isr_H100_v5"
FAMILY = "standardNDSH100v5Family"
SIXTEEN = QUICK.replace("nodes: 2", "nodes: 16")


def stated(azure: Azure, **parts: Any) -> None:
    """Say what Azure has, in the environment's region."""
    azure.ask("PUT", "/_simulator/world", {part: {"southcentralus": value} for part, value in parts.items()})


def cluster(azure: Azure, *nodes: int) -> None:
    stated(azure, capacity={SIZE: [{"nodes": each} for each in nodes]})


def test_fourteen_of_sixteen_nodes_stay_and_the_rest_come_with_the_next_run(azure: Azure, provision: Shell) -> None:
    provision.write(SIXTEEN)
    cluster(azure, 14)

    assert provision("apply", "quick.yaml", "--yes") == 7

    assert "southcentralus deploy train-0 failed: AllocationFailed: Allocation failed." in provision.out
    assert "allocation is scoped to a single cluster" in provision.out
    assert "fix: Azure has no room just now: try later, or another zone or region" in provision.out
    assert provision("status", "quick.yaml") == 7
    assert "14 of    16 healthy" in provision.out
    assert provision("apply", "quick.yaml", "--yes") == 7  # still full: nothing is lost
    assert provision("status", "quick.yaml") == 7
    assert "14 of    16 healthy" in provision.out

    cluster(azure, 16)

    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert provision("status", "quick.yaml") == 0
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out


def test_growth_into_a_full_cluster_fails_and_can_be_taken_back_without_a_running_node(
    azure: Azure, provision: Shell
) -> None:
    provision.write(SIXTEEN)
    cluster(azure, 16, 100)
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    before = azure.resource("quick-train-0")["properties"]["uniqueId"]
    provision.write(QUICK.replace("nodes: 2", "nodes: 20"))

    assert provision("apply", "quick.yaml", "--yes") == 7

    assert "allocation is scoped to a single cluster" in provision.out
    assert provision("status", "quick.yaml") == 7
    assert "16 of    20 healthy" in provision.out
    provision.write(SIXTEEN)
    assert provision("apply", "quick.yaml", "--yes", "--allow", "delete") == 0, provision.err
    assert provision("status", "quick.yaml") == 0
    assert azure.resource("quick-train-0")["properties"]["uniqueId"] == before


def test_what_a_scale_in_gave_up_may_be_gone(azure: Azure, provision: Shell) -> None:
    cluster(azure, 2)
    azure.ask("PUT", "/_simulator/world", {"settings": {"freedNodesAreTaken": True}})
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    provision.write(QUICK.replace("nodes: 2", "nodes: 1"))
    assert provision("apply", "quick.yaml", "--yes", "--allow", "delete") == 0, provision.err
    provision.write(QUICK)

    assert provision("apply", "quick.yaml", "--yes") == 7

    assert provision("status", "quick.yaml") == 7
    assert "1 of     2 healthy" in provision.out


def test_a_zone_without_the_hardware_is_told_with_its_constraints(azure: Azure, provision: Shell) -> None:
    stated(azure, capacity={SIZE: [{"nodes": 100, "zone": "2"}]})

    assert provision("apply", "quick.yaml", "--yes") == 7

    assert "OverconstrainedZonalAllocationRequest" in provision.out
    assert "fix: Azure has no room just now for all that the nodes ask for, which the message lists" in provision.out
    stated(azure, capacity={SIZE: 2})
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err


@pytest.mark.parametrize(
    ("code", "fix"),
    [
        ("OSProvisioningTimedOut", "see what the node's serial console says"),
        ("AllocationFailed", "Azure has no room just now"),
    ],
)
def test_a_node_that_does_not_come_up_costs_no_other_and_is_tried_again(
    azure: Azure, provision: Shell, code: str, fix: str
) -> None:
    provision.write(SIXTEEN)
    azure.ask("POST", "/_simulator/faults", [{"effect": "fail-nodes", "code": code, "nodes": 2, "count": 1}])

    assert provision("apply", "quick.yaml", "--yes") == 7

    assert f"deploy train-0 failed: {code}" in provision.out
    assert fix in provision.out
    assert provision("status", "quick.yaml") == 7
    assert "14 of    16 healthy" in provision.out
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert provision("status", "quick.yaml") == 0


def test_quota_that_growth_would_exceed_ends_with_its_code_and_touches_no_node(azure: Azure, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    stated(azure, quota={FAMILY: 200})
    provision.write(SIXTEEN)
    before = azure.resource("quick-train-0")

    assert provision("apply", "quick.yaml", "--yes", "--skip-check", "all") == 7

    assert "Current Limit: 200, Current Usage: 192, Additional Required: 1344" in provision.out
    assert azure.resource("quick-train-0") == before
    provision.write(QUICK)
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err


def test_evicted_spot_nodes_are_seen_and_come_back_when_there_is_room(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK.replace("nodes: 2", "nodes: 4\n    priority: spot\n    infiniband: none"))
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err

    stated(azure, capacity={SIZE: 2})
    azure.pass_time(60)

    assert provision("status", "quick.yaml") == 7
    assert "2 of     4 healthy" in provision.out
    assert provision("apply", "quick.yaml", "--yes") == 7
    assert "Preemptible VMs" in provision.out
    stated(azure, capacity={})
    assert provision("apply", "quick.yaml", "--yes") == 0, provision.err
    assert provision("status", "quick.yaml") == 0
