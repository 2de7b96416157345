"""Who goes when a set shrinks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, azure_with_a_network, refusal


def ids(azure: Azure) -> list[int]:
    return [int(row.instance_id or "") for row in azure.compute.virtual_machine_scale_set_vms.list("rg", "train")]


def resize(azure: Azure, nodes: int) -> None:
    body = {"location": "eastus", "sku": {"capacity": nodes}}
    azure.start(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", body)
    azure.wait(600)


def without(azure: Azure, *numbers: int) -> None:
    """Delete instances by name."""
    named = {"instanceIds": [str(number) for number in numbers]}
    azure.start(azure.compute.virtual_machine_scale_sets.begin_delete_instances, "rg", "train", named)
    azure.wait(120)


def going(azure: Azure, steps: int) -> list[int]:
    """Take one instance after the other away and return who went."""
    found = []
    for _ in range(steps):
        before = ids(azure)
        resize(azure, len(before) - 1)
        found += sorted(set(before) - set(ids(azure)))
    return found


def made(policy: str | None, **changes: Any) -> Azure:
    azure = azure_with_a_network()
    properties = {"scaleInPolicy": {"rules": [policy]}} if policy else {}
    azure.make_scale_set(properties={**properties, **changes.pop("properties", {})}, **changes)
    return azure


@pytest.mark.parametrize(
    ("policy", "left"), [(None, [0, 1]), ("Default", [0, 1]), ("NewestVM", [0, 1]), ("OldestVM", [2, 3])]
)
def test_a_regional_set_gives_up_its_newest_or_its_oldest(policy: str | None, left: list[int]) -> None:
    azure = made(policy, nodes=4)

    resize(azure, 2)

    assert ids(azure) == left


@pytest.mark.parametrize(
    ("policy", "expected"),
    # Zones by id: 0 3 6 | 1 4 7 | 2 5. The fullest zones come first, whoever is oldest or newest elsewhere.
    [("OldestVM", [0, 1, 2, 3, 4]), ("NewestVM", [7, 6, 5, 4, 3]), ("Default", [7, 6, 5, 4, 3])],
)
def test_zones_are_balanced_before_the_policy_has_a_say(policy: str, expected: list[int]) -> None:
    azure = made(policy, nodes=9, zones=["1", "2", "3"])
    without(azure, 8)

    assert going(azure, 5) == expected


def test_the_oldest_of_an_emptier_zone_is_passed_over() -> None:
    azure = made("OldestVM", nodes=9, zones=["1", "2", "3"])
    without(azure, 3, 6, 4)

    # 0 | 1 7 | 2 5 8: the third zone gives one, then the second and third are the fullest.
    assert going(azure, 3) == [2, 1, 5]


def test_the_default_policy_balances_fault_domains_too() -> None:
    azure = made("Default", nodes=10, properties={"platformFaultDomainCount": 5})
    without(azure, 9, 8)

    # Domains by id: 0 5 | 1 6 | 2 7 | 3 | 4.
    assert going(azure, 4) == [7, 6, 5, 4]
    assert going(azure, 1) == [3]


def test_protected_instances_stay_whatever_the_policy() -> None:
    azure = made("OldestVM", nodes=4)
    body = {"properties": {"protectionPolicy": {"protectFromScaleIn": True}}}
    azure.start(azure.compute.virtual_machine_scale_set_vms.begin_update, "rg", "train", "0", body)
    azure.wait(60)

    assert going(azure, 2) == [1, 2]


def test_a_set_does_not_shrink_below_its_protected_instances() -> None:
    azure = made(None, nodes=3)
    for number in ("0", "1"):
        body = {"properties": {"protectionPolicy": {"protectFromScaleSetActions": True}}}
        azure.start(azure.compute.virtual_machine_scale_set_vms.begin_update, "rg", "train", number, body)
        azure.wait(60)
    shrunk = {"location": "eastus", "sku": {"capacity": 1}}
    before = azure.world

    status, code, message = refusal(
        azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", shrunk
    )

    assert (status, code) == (409, "OperationNotAllowed")
    assert "only 1 of them are not protected" in message
    assert azure.world == before


def test_deleting_by_name_lowers_the_capacity_and_ids_are_not_used_again() -> None:
    azure = made(None, nodes=3)

    without(azure, 0, 2)
    capacity = azure.scale_set()["sku"]["capacity"]
    resize(azure, 3)

    assert (capacity, ids(azure)) == (1, [1, 3, 4])
