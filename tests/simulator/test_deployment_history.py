"""The history of deployments: 800 of a scope, which Azure makes room in by itself unless something forbids it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import SUBSCRIPTION, Azure, Json, a_security_group, a_template, group_id

HERE = f"{group_id()}/providers/Microsoft.Resources/deployments"
LOCK = f"{group_id()}/providers/Microsoft.Authorization/locks/keep"
EVERYTHING_BUT_DELETING = {"actions": ["*"], "notActions": ["Microsoft.Resources/deployments/delete"]}


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def deploy(azure: Azure, name: str, here: str = HERE, **parts: Any) -> Any:
    body: Json = {"properties": {"mode": "Incremental", "template": a_template()}, **parts}
    answer = azure.ask("PUT", f"{here}/{name}?api-version=2025-04-01", body)
    azure.wait(4)
    return answer


def fill(azure: Azure, number: int) -> None:
    for each in range(number):
        assert deploy(azure, f"d{each:03}").status == 201


def names(azure: Azure) -> list[str]:
    return [str(row.name) for row in azure.deployments.deployments.list_by_resource_group("rg")]


def test_past_700_the_oldest_go_until_600_are_left(azure: Azure) -> None:
    fill(azure, 700)
    assert deploy(azure, "d000").status == 200  # writing one again makes it the newest
    azure.wait(100)
    before = len(names(azure))
    assert deploy(azure, "last").status == 201
    azure.wait(100)

    left = names(azure)
    assert (before, len(left)) == (700, 600)
    assert {"d000", "last", "d699"} <= set(left)
    assert "d001" not in left


@pytest.mark.parametrize("forbids", ["lock", "role"])
def test_what_keeps_records_from_being_deleted_fills_the_history(azure: Azure, forbids: str) -> None:
    if forbids == "lock":
        azure.put(LOCK, {"properties": {"level": "CanNotDelete"}})
    else:
        azure.set_world(settings={"permissions": [EVERYTHING_BUT_DELETING]})
    fill(azure, 800)
    azure.wait(100)

    refused, again = deploy(azure, "one-more"), deploy(azure, "d000")

    assert refused.status == 409
    assert refused.json()["error"] == {
        "code": "DeploymentQuotaExceeded",
        "message": "Creating the deployment 'one-more' would exceed the quota of '800'. The current deployment count "
        "is '800', please delete some deployments before creating a new one. "
        "Please see https://aka.ms/arm-deploy for usage details.",
    }
    assert again.status == 200  # a name that is there already takes no more room

    if forbids == "lock":
        azure.ask("DELETE", f"{LOCK}?api-version=2020-05-01")
    else:
        azure.set_world(settings={})
    assert deploy(azure, "one-more").status == 409  # Azure begins to make room, and asks for another try
    azure.wait(100)
    assert deploy(azure, "one-more").status == 201


def test_a_subscription_has_a_history_for_each_region(azure: Azure) -> None:
    here = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Resources/deployments"
    azure.set_world(settings={"permissions": [EVERYTHING_BUT_DELETING]})
    for each in range(800):
        deploy(azure, f"d{each:03}", here, location="eastus")

    assert deploy(azure, "more", here, location="eastus").json()["error"]["code"] == "DeploymentQuotaExceeded"
    assert deploy(azure, "more", here, location="westus").status == 201
    assert deploy(azure, "in-a-group").status == 201


def test_what_runs_is_not_forgotten(azure: Azure) -> None:
    azure.ask("POST", "/_simulator/faults", {"match": {"url": "/networkSecurityGroups/"}, "effect": "never-finish"})
    running = {"properties": {"mode": "Incremental", "template": a_template(a_security_group())}}
    azure.ask("PUT", f"{HERE}/oldest?api-version=2025-04-01", running)
    fill(azure, 701)
    azure.wait(100)

    assert "oldest" in names(azure)
    assert "d000" not in names(azure)
