"""What counts as running, healthy, behind its model and complete."""

from __future__ import annotations

from typing import Any

import pytest

from provision.arm import Answer, ArmError, Request, ResourceId
from provision.observe.status import PoolStatus, ScaleSetStatus, read_status
from tests.support.azure import Azure
from tests.support.worlds import QUICK, checked


class Instances:
    """An Azure that has nothing but the instances of each set."""

    def __init__(self, instances: list[dict[str, Any]]) -> None:
        self._instances = instances

    def instances(self, scale_set: ResourceId) -> list[dict[str, Any]]:
        return self._instances

    def send(self, request: Request) -> Answer:
        raise ArmError(404, "ResourceNotFound", "")

    def groups(self, subscription: str) -> list[dict[str, Any]]:
        return []

    def marked(self, subscription: str) -> list[dict[str, Any]]:
        """Return nothing."""
        return []

    def listed(self, group: ResourceId, type: str) -> list[dict[str, Any]]:
        return []

    def found(self, id: ResourceId, api_version: str) -> dict[str, Any] | None:
        """Return nothing."""
        return None


def an_instance(
    power: str = "running", state: str = "Succeeded", health: str = "", latest: bool = True, group: str = "g1"
) -> dict[str, Any]:
    """Return a node that is well, but for what a test changes."""
    view: dict[str, Any] = {
        "statuses": [{"code": "ProvisioningState/succeeded"}, {"code": f"PowerState/{power}"}],
        "placementGroupId": group,
    }
    if health:
        view["vmHealth"] = {"status": {"code": f"HealthState/{health}"}}
    return {"properties": {"provisioningState": state, "latestModelApplied": latest, "instanceView": view}}


def status_of(*instances: dict[str, Any], nodes: int = 2) -> PoolStatus:
    topology = checked(QUICK.replace("nodes: 2", f"nodes: {nodes}")).topology
    assert topology is not None
    (pool,) = read_status(Instances(list(instances)), topology)
    return pool


@pytest.mark.parametrize(
    ("node", "running", "healthy"),
    [
        (an_instance(), 1, 1),
        (an_instance(health="healthy"), 1, 1),
        (an_instance(health="unhealthy"), 1, 0),
        (an_instance(health="unknown"), 1, 0),
        (an_instance(state="Failed"), 1, 0),
        (an_instance(state="Updating"), 1, 0),
        (an_instance(power="deallocated"), 0, 0),
        (an_instance(power="starting"), 0, 0),
        ({"properties": {"provisioningState": "Creating"}}, 0, 0),
        ({"properties": {"provisioningState": "Creating", "instanceView": None}}, 0, 0),
    ],
)
def test_a_node_counts_as_what_it_is(node: dict[str, Any], running: int, healthy: int) -> None:
    pool = status_of(node, an_instance())

    assert (pool.running, pool.healthy, pool.complete) == (running + 1, healthy + 1, healthy == 1)


def test_nodes_in_two_placement_groups_or_too_few_are_not_complete_and_more_than_stated_are_no_lack() -> None:
    assert not status_of(an_instance(group="g1"), an_instance(group="g2")).complete
    assert not status_of(an_instance()).complete
    assert status_of(an_instance(), an_instance(), an_instance()).complete


def test_a_node_that_is_behind_its_model_is_complete_all_the_same() -> None:
    pool = status_of(an_instance(), an_instance(latest=False))

    assert (pool.behind_model, pool.complete) == (1, True)


def test_what_an_apply_made_is_complete_and_what_it_did_not_is_missing() -> None:
    azure = Azure()
    assert [set.state for pool in azure.status() for set in pool.scale_sets] == ["missing"]
    azure.apply()

    (pool,) = azure.status()

    assert pool.complete
    (scale_set,) = pool.scale_sets
    (group,) = scale_set.placement_groups
    assert scale_set == ScaleSetStatus("quick-train-0", "present", 2, 2, 2, 0, (group,), ("1",), 100)


def test_pools_come_by_name_then_region_with_their_sets_in_order() -> None:
    azure = Azure()
    two = QUICK.replace("pools:\n", '  eastus2: {zone: "1"}\npools:\n').replace(
        "nodes: 2", "nodes: 3\n    domain_size: 2"
    )
    azure.apply(two)

    assert [(pool.region, [(s.name, s.nodes) for s in pool.scale_sets]) for pool in azure.status(two)] == [
        ("eastus2", [("quick-train-0", 2), ("quick-train-1", 1)]),
        ("southcentralus", [("quick-train-0", 2), ("quick-train-1", 1)]),
    ]


def test_what_cannot_be_read_is_told() -> None:
    azure = Azure()
    azure.apply()
    azure.fault("refuse", "AuthorizationFailed", method="GET", url="virtualMachines\\?", status=403, message="no")

    with pytest.raises(ArmError, match="AuthorizationFailed: no"):
        azure.status()
