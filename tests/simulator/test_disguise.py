"""Answers in another casing and order, where the tester asks for it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    Azure,
    a_scale_set,
    a_security_group,
    a_stack,
    azure_with_a_network,
    group_id,
    network_path,
    path_of,
)

STACK = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
PATHS = [
    STACK,
    network_path("virtualNetworks"),
    network_path("networkSecurityGroups"),
    path_of("virtualMachineScaleSets"),
    f"{group_id()}/resources?api-version=2025-04-01",
]


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    for name in ("a", "b"):
        made.put_scale_set(name, a_scale_set(nodes=2))
    groups = [a_security_group(name) for name in ("a", "b", "c", "d")]
    made.ask("PUT", STACK, a_stack(*groups))
    made.wait(600)
    return made


def answers(azure: Azure) -> list[Any]:
    return [azure.ask("GET", path).json() for path in PATHS]


def sorted_all(value: Any) -> Any:
    if isinstance(value, dict):
        return {key.lower(): sorted_all(each) for key, each in value.items()}
    if isinstance(value, list):
        return sorted((sorted_all(each) for each in value), key=str)
    return value.lower() if isinstance(value, str) else value


def test_ids_drift_in_case_and_mean_the_same(azure: Azure) -> None:
    before = answers(azure)
    azure.set_world(settings={"caseDrift": True})
    after = answers(azure)

    assert after != before
    assert str(after).lower() == str(before).lower()
    assert answers(azure) == after


def test_lists_come_in_another_order_and_hold_the_same(azure: Azure) -> None:
    before = answers(azure)
    azure.set_world(settings={"shuffle": True})
    after = answers(azure)

    assert after != before
    assert sorted_all(after) == sorted_all(before)
    assert answers(azure) == after


def test_pages_of_a_shuffled_list_hold_everything_once(azure: Azure) -> None:
    azure.set_world(settings={"shuffle": True, "pageSize": 1})

    names = [row.name for row in azure.network.network_security_groups.list("rg")]

    assert sorted(str(name) for name in names) == ["a", "b", "c", "d"]


def test_what_the_client_wrote_comes_back_as_it_was(azure: Azure) -> None:
    value = {"id": f"{group_id()}/providers/Microsoft.Network/x/Y", "list": [{"name": "b"}, {"name": "a"}]}
    body = a_stack(a_security_group("a"), parameters={"provision": {"value": value}})
    body["properties"]["template"]["parameters"] = {"provision": {"type": "object"}}
    azure.ask("PUT", STACK, body)
    azure.wait(60)
    azure.set_world(settings={"caseDrift": True, "shuffle": True})

    assert azure.ask("GET", STACK).json()["properties"]["parameters"]["provision"]["value"] == value


def test_a_setting_of_the_wrong_kind_is_refused() -> None:
    answer = Azure().ask("PUT", "/_simulator/world", {"settings": {"shuffle": "yes"}})

    assert (answer.status, answer.json()) == (400, {"error": "settings.shuffle is true or false"})
