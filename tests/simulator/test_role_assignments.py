"""Role assignments at any scope, and principals that Azure has not heard of yet."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    Json,
    a_template,
    azure_with_a_network,
    group_id,
    identity_id,
    network_id,
)

READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
OWNER = "8e3af657-a8ff-443c-a75c-2fe8c4bcb635"
NAME = "11111111-2222-4333-8444-555555555555"
OTHER = "11111111-2222-4333-8444-666666666666"
SOMEBODY = "99999999-2222-4333-8444-555555555555"
HERE = f"/subscriptions/{SUBSCRIPTION}"


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def path(scope: str, name: str = NAME) -> str:
    return f"{scope}/providers/Microsoft.Authorization/roleAssignments/{name}?api-version=2022-04-01"


def body(principal: str = SOMEBODY, role: str = READER, **properties: Any) -> Json:
    definition = f"{HERE}/providers/Microsoft.Authorization/roleDefinitions/{role}"
    return {"properties": {"roleDefinitionId": definition, "principalId": principal, **properties}}


def code(answer: Any) -> tuple[int, str]:
    return answer.status, answer.json()["error"]["code"]


def new_identity(azure: Azure) -> str:
    made = azure.ask("PUT", f"{identity_id()}?api-version=2024-11-30", {"location": "eastus"})
    return str(made.json()["properties"]["principalId"])


@pytest.mark.parametrize(
    "scope", [HERE, group_id(), network_id("virtualNetworks/net"), network_id("virtualNetworks/net/subnets/nodes")]
)
def test_an_assignment_is_written_read_and_deleted(azure: Azure, scope: str) -> None:
    made = azure.ask("PUT", path(scope), body(principalType="Group", description="ours"))
    again = azure.ask("PUT", path(scope), body(principalType="Group", description="ours"))
    read = azure.ask("GET", path(scope))
    deleted = [azure.ask("DELETE", path(scope)) for _ in range(2)]

    shown = read.json()
    assert (made.status, again.status, read.status) == (201, 200, 200)
    assert shown == made.json()
    assert (shown["id"], shown["type"], shown["name"]) == (
        path(scope).partition("?")[0],
        "Microsoft.Authorization/roleAssignments",
        NAME,
    )
    properties = shown["properties"]
    assert (properties["scope"], properties["principalId"], properties["principalType"]) == (scope, SOMEBODY, "Group")
    assert properties["roleDefinitionId"].endswith(f"/roleDefinitions/{READER}")
    assert len(properties["createdBy"]) == 36
    assert [answer.status for answer in deleted] == [200, 204]
    assert deleted[0].json() == shown
    assert code(azure.ask("GET", path(scope))) == (404, "RoleAssignmentNotFound")


def test_one_grant_has_one_assignment(azure: Azure) -> None:
    azure.ask("PUT", path(group_id()), body())

    twice = azure.ask("PUT", path(group_id(), OTHER), body())
    changed = azure.ask("PUT", path(group_id()), body(role=OWNER))
    elsewhere = azure.ask("PUT", path(network_id("virtualNetworks/net"), OTHER), body())

    assert code(twice) == (409, "RoleAssignmentExists")
    assert twice.json()["error"]["message"] == (
        f"The role assignment already exists. The ID of the existing role assignment is {NAME.replace('-', '')}."
    )
    assert code(changed) == (400, "RoleAssignmentUpdateNotPermitted")
    assert elsewhere.status == 201


def test_lists_go_up_and_down_and_can_be_asked_by_principal(azure: Azure) -> None:
    net = network_id("virtualNetworks/net")
    for scope, name in ((HERE, NAME), (net, OTHER)):
        azure.ask("PUT", path(scope, name), body())
    azure.ask("PUT", path(group_id(), OTHER), body(NAME))

    def listed(scope: str, wanted: str = "") -> list[str]:
        query = f"&$filter={wanted}" if wanted else ""
        answer = azure.ask(
            "GET", f"{scope}/providers/Microsoft.Authorization/roleAssignments?api-version=2022-04-01{query}"
        )
        return [row["properties"]["scope"] for row in answer.json()["value"]]

    assert sorted(listed(group_id())) == sorted([HERE, group_id(), net])
    assert sorted(listed(group_id(), "atScope()")) == sorted([HERE, group_id()])
    assert sorted(listed(HERE, f"principalId eq '{SOMEBODY}'")) == sorted([HERE, net])
    assert listed(net, f"assignedTo('{NAME}')") == [group_id()]


def test_a_new_identity_is_unknown_for_a_while(azure: Azure) -> None:
    principal = new_identity(azure)

    early = azure.ask("PUT", path(group_id()), body(principal))
    told = azure.ask("PUT", path(group_id(), OTHER), body(principal, OWNER, principalType="ServicePrincipal"))
    azure.wait(61)
    late = azure.ask("PUT", path(group_id()), body(principal))

    assert code(early) == (400, "PrincipalNotFound")
    assert early.json()["error"]["message"].startswith(
        f"Principal {principal.replace('-', '')} does not exist in the directory "
    )
    assert "set the role assignment principalType property" in early.json()["error"]["message"]
    assert (told.status, late.status) == (201, 201)


def test_the_tester_says_how_long_that_takes(azure: Azure) -> None:
    azure.set_world(settings={"principalReplicatesS": 0})

    assert azure.ask("PUT", path(group_id()), body(new_identity(azure))).status == 201


def test_a_template_that_grants_too_early_fails_and_a_second_try_succeeds(azure: Azure) -> None:
    identity = {
        "type": "Microsoft.ManagedIdentity/userAssignedIdentities",
        "apiVersion": "2024-11-30",
        "name": "train",
        "location": "eastus",
    }
    grant = {
        "type": "Microsoft.Authorization/roleAssignments",
        "apiVersion": "2022-04-01",
        "name": f"[guid(resourceGroup().id, '{READER}')]",
        "dependsOn": ["train"],
        "properties": {
            "roleDefinitionId": f"[subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '{READER}')]",
            "principalId": "[reference('train').principalId]",
        },
    }
    request = {"properties": {"mode": "Incremental", "template": a_template(identity, grant)}}
    states = []
    for wait in (60, 60):
        azure.start(azure.deployments.deployments.begin_create_or_update, "rg", "first", request)
        azure.wait(wait)
        shown = azure.deployments.deployments.get("rg", "first").as_dict()["properties"]
        states.append(
            (shown["provisioningState"], (shown.get("error") or {"details": [{"code": ""}]})["details"][0]["code"])
        )

    assert states == [("Failed", "PrincipalNotFound"), ("Succeeded", "")]
    assert [row["properties"]["scope"] for row in azure.world["roleAssignments"]] == [group_id()]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("odd", body(), "InvalidRoleAssignmentId"),
        (NAME, body("odd"), "InvalidPrincipalId"),
        (NAME, body(role="odd"), "InvalidRoleDefinitionId"),
        (NAME, {"properties": {"principalId": SOMEBODY}}, "InvalidRequestContent"),
        (NAME, body(principalType="Odd"), "InvalidRequestContent"),
        (NAME, body(odd=1), "InvalidRequestContent"),
    ],
)
def test_an_assignment_that_is_none_is_refused(azure: Azure, name: str, given: Json, expected: str) -> None:
    assert code(azure.ask("PUT", path(group_id(), name), given)) == (400, expected)


def test_assignments_go_with_their_group_and_can_be_set(azure: Azure) -> None:
    azure.ask("PUT", path(group_id()), body())
    kept = azure.world["roleAssignments"]
    azure.set_world(roleAssignments=[])
    azure.set_world(roleAssignments=kept)
    again = azure.world["roleAssignments"]
    azure.ask("DELETE", f"{group_id()}?api-version=2025-04-01")
    azure.wait(1000)

    assert again == kept
    assert azure.world["roleAssignments"] == []
    assert azure.ask("PUT", "/_simulator/world", {"roleAssignments": [{"id": "odd"}]}).status == 400
