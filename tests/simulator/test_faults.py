"""Faults: refusals and failures on demand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, a_scale_set, azure_with_a_network, group_id

PATH = f"{group_id()}?api-version=2025-04-01"


def add(azure: Azure, **fault: Any) -> Any:
    return azure.ask("POST", "/_simulator/faults", fault)


def test_a_refusal_is_given_as_often_as_it_is_counted() -> None:
    azure = Azure()
    azure.make_group()
    match = {"method": "get", "url": "resourcegroups/RG"}
    add(
        azure,
        match=match,
        effect="refuse",
        status=429,
        code="TooManyRequests",
        message="slow",
        count=2,
        headers={"Retry-After": 7},
    )

    answers = [azure.ask("GET", PATH) for _ in range(3)]

    assert [answer.status for answer in answers] == [429, 429, 200]
    assert answers[0].json() == {"error": {"code": "TooManyRequests", "message": "slow"}}
    assert answers[0].headers["Retry-After"] == "7"
    assert azure.ask("GET", "/_simulator/faults").json() == []


def test_a_refusal_without_a_count_stays_until_it_is_taken_back() -> None:
    azure = Azure()
    azure.make_group()
    add(azure, effect="refuse", status=503, code="ServerTimeout")

    refused = [azure.ask("GET", PATH).status for _ in range(3)]
    azure.ask("DELETE", "/_simulator/faults")

    assert refused == [503, 503, 503]
    assert azure.ask("GET", PATH).status == 200


def test_an_operation_can_be_made_to_fail() -> None:
    azure = azure_with_a_network()
    add(
        azure,
        match={"url": "/virtualMachineScaleSets/train$"},
        effect="fail-operation",
        code="OSProvisioningTimedOut",
        message="late",
        count=1,
    )

    started = azure.make_scale_set(nodes=2)

    over = azure.ask("GET", started.poll).json()
    assert (started.status, over["status"]) == (201, "Failed")
    assert over["error"] == {"code": "OSProvisioningTimedOut", "message": "late"}
    assert azure.scale_set()["properties"]["provisioningState"] == "Failed"
    assert [node["properties"]["provisioningState"] for node in azure.nodes()] == ["Failed", "Failed"]

    azure.put_scale_set("train", a_scale_set(nodes=2))
    azure.wait(300)

    assert [node["properties"]["provisioningState"] for node in azure.nodes()] == ["Succeeded", "Succeeded"]


def test_an_action_on_instances_can_be_made_to_fail() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    add(azure, match={"method": "POST", "url": "/reimage$"}, effect="fail-operation", code="InternalExecutionError")

    started = azure.start(azure.compute.virtual_machine_scale_sets.begin_reimage, "rg", "train")
    azure.wait(120)

    assert azure.status_of(started) == "Failed"
    assert azure.ask("GET", started.headers["Location"]).status == 409


def test_a_deletion_that_fails_leaves_the_resource() -> None:
    azure = azure_with_a_network()
    add(azure, match={"method": "DELETE"}, effect="fail-operation", code="Odd", count=1)

    started = azure.start(azure.network.virtual_networks.begin_delete, "rg", "net")
    azure.wait(60)

    assert azure.status_of(started) == "Failed"
    assert [row["name"] for row in azure.world["resources"]] == ["net", "nodes"]


def test_a_group_whose_deletion_fails_is_rolled_back() -> None:
    azure = Azure()
    azure.make_group()
    add(azure, match={"method": "DELETE"}, effect="fail-operation", code="ResourceGroupDeletionBlocked", count=1)

    begun = azure.ask("DELETE", PATH)
    azure.wait(60)
    over = azure.ask("GET", begun.headers["Location"])

    assert (over.status, over.json()["error"]["code"]) == (409, "ResourceGroupDeletionBlocked")
    assert azure.ask("GET", PATH).json()["properties"]["provisioningState"] == "Succeeded"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"effect": "explode", "code": "x"}, "effect is one of refuse, fail-operation"),
        ({"effect": "refuse"}, "a fault has a code"),
        ({"effect": "refuse", "code": "x", "count": 0}, "count is a whole number above 0, or absent for always"),
        ({"effect": "refuse", "code": "x", "match": {"path": "y"}}, "match holds method and url"),
        ({"effect": "refuse", "code": "x", "match": {"url": "("}}, "match.url is no regular expression"),
        ({"effect": "refuse", "code": "x", "probability": 1}, "a fault has no ['probability']"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(fault: Any, words: str) -> None:
    azure = Azure()

    answer = azure.ask("POST", "/_simulator/faults", [{"effect": "refuse", "code": "fine"}, fault])

    assert (answer.status, answer.json()["error"].startswith(words)) == (400, True)
    assert azure.ask("GET", "/_simulator/faults").json() == []
