"""What the caller may do, as the tester sets it: refusals by Resource Manager, and lists that show less."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    Json,
    a_file_system,
    a_scale_set,
    a_security_group,
    a_stack,
    a_template,
    azure_with_a_network,
    group_id,
    identity_id,
    lustre_id,
    network_id,
    network_path,
    path_of,
    refusal,
    set_id,
    subnet_id,
)

HERE = f"/subscriptions/{SUBSCRIPTION}"
READER: Json = {"actions": ["*/read"]}


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def allow(azure: Azure, *entries: Json) -> None:
    azure.set_world(settings={"permissions": list(entries)})


def who(answer: Any) -> str:
    """Return how the refusal names the caller."""
    message: str = answer.json()["error"]["message"]
    return message.partition(" does not have ")[0].partition(" has permission ")[0]


def code(answer: Any) -> tuple[int, str]:
    return answer.status, answer.json()["error"]["code"]


def test_what_is_not_allowed_is_refused_by_action_and_scope(azure: Azure) -> None:
    allow(azure, READER)

    answer = azure.put_scale_set("train", a_scale_set(nodes=1))

    assert code(answer) == (403, "AuthorizationFailed")
    action = "Microsoft.Compute/virtualMachineScaleSets/write"
    assert answer.json()["error"]["message"] == (
        f"{who(answer)} does not have authorization to perform action '{action}' over scope '{set_id()}' or the scope "
        "is invalid. If access was recently granted, please refresh your credentials."
    )
    assert azure.network.virtual_networks.get("rg", "net").name == "net"


@pytest.mark.parametrize(
    ("method", "path", "action", "scope"),
    [
        ("GET", HERE, "Microsoft.Resources/subscriptions/read", HERE),
        ("PUT", group_id("new"), "Microsoft.Resources/subscriptions/resourceGroups/write", group_id("new")),
        ("DELETE", group_id(), "Microsoft.Resources/subscriptions/resourceGroups/delete", group_id()),
        (
            "GET",
            f"{group_id()}/resources",
            "Microsoft.Resources/subscriptions/resourceGroups/resources/read",
            group_id(),
        ),
        (
            "GET",
            network_id("virtualNetworks/net"),
            "Microsoft.Network/virtualNetworks/read",
            network_id("virtualNetworks/net"),
        ),
        ("GET", network_id("virtualNetworks"), "Microsoft.Network/virtualNetworks/read", group_id()),
        (
            "GET",
            network_id("virtualNetworks/net/subnets"),
            "Microsoft.Network/virtualNetworks/subnets/read",
            network_id("virtualNetworks/net"),
        ),
        ("PATCH", set_id(), "Microsoft.Compute/virtualMachineScaleSets/write", set_id()),
        ("POST", f"{set_id()}/restart", "Microsoft.Compute/virtualMachineScaleSets/restart/action", set_id()),
        (
            "POST",
            f"{set_id()}/virtualMachines/0/restart",
            "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/restart/action",
            f"{set_id()}/virtualMachines/0",
        ),
        ("POST", f"{HERE}/providers/Microsoft.Compute/register", "Microsoft.Compute/register/action", HERE),
        ("GET", f"{HERE}/providers/Microsoft.Compute", "Microsoft.Resources/subscriptions/providers/read", HERE),
        (
            "PUT",
            f"{group_id()}/providers/Microsoft.Authorization/locks/keep",
            "Microsoft.Authorization/locks/write",
            f"{group_id()}/providers/Microsoft.Authorization/locks/keep",
        ),
        (
            "POST",
            f"{group_id()}/providers/Microsoft.Resources/deployments/d/validate",
            "Microsoft.Resources/deployments/validate/action",
            f"{group_id()}/providers/Microsoft.Resources/deployments/d",
        ),
    ],
)
def test_every_request_asks_for_an_action(azure: Azure, method: str, path: str, action: str, scope: str) -> None:
    versions = {"Compute/virtual": "2025-11-01", "Network": "2025-05-01", "locks": "2020-05-01"}
    version = next(
        (each for key, each in versions.items() if key in path), "2022-09-01" if path != HERE else "2022-12-01"
    )
    allow(azure, {"actions": ["*"], "notActions": [action]})

    answer = azure.ask(method, f"{path}?api-version={version}", None if method in ("GET", "DELETE") else {})

    assert code(answer) == (403, "AuthorizationFailed")
    assert f"perform action '{action}' over scope '{scope}'" in answer.json()["error"]["message"]


def test_a_grant_holds_at_its_scope_and_below(azure: Azure) -> None:
    azure.make_group("other")
    allow(azure, READER, {"actions": ["Microsoft.Network/*"], "notActions": ["*/delete"], "scope": group_id()})
    body = {"location": "eastus", "properties": {}}

    made = azure.ask("PUT", network_path("networkSecurityGroups/nsg"), body)
    elsewhere = azure.ask("PUT", network_path("networkSecurityGroups/nsg", "other"), body)
    deleted = azure.ask("DELETE", network_path("networkSecurityGroups/nsg"))

    assert made.status == 201
    assert [code(answer)[1] for answer in (elsewhere, deleted)] == ["AuthorizationFailed"] * 2


def test_a_grant_may_be_one_principals(azure: Azure) -> None:
    token = "Bearer somebody"
    allow(azure, {"actions": ["*"], "principal": "00000000-0000-0000-0000-00000000000a"})

    assert code(azure.ask("GET", f"{group_id()}?api-version=2025-04-01", Authorization=token)) == (
        403,
        "AuthorizationFailed",
    )


def test_lists_show_what_may_be_read(azure: Azure) -> None:
    azure.make_group("other")
    azure.make_identity("who", "other")
    allow(azure, {**READER, "scope": group_id("other")})

    groups = [row.name for row in azure.resources.resource_groups.list()]
    resources = [row.name for row in azure.resources.resources.list()]

    assert (groups, resources) == (["other"], ["who"])


def test_what_a_resource_refers_to_takes_an_action_of_its_own(azure: Azure) -> None:
    identity = azure.make_identity()
    allow(azure, {"actions": ["*"], "notActions": ["*/join/action", "*/assign/action"]})
    body = a_scale_set(nodes=1, identity={"type": "UserAssigned", "userAssignedIdentities": {identity: {}}})

    answer = azure.put_scale_set("train", body)

    assert code(answer) == (403, "LinkedAuthorizationFailed")
    assert answer.json()["error"]["message"] == (
        f"{who(answer)} has permission to perform action 'Microsoft.Compute/virtualMachineScaleSets/write' on scope "
        f"'{set_id()}'; however, it does not have permission to perform action(s) "
        "'Microsoft.ManagedIdentity/userAssignedIdentities/assign/action,"
        "Microsoft.Network/virtualNetworks/subnets/join/action' on the linked scope(s) "
        f"'{identity_id()},{subnet_id()}' (respectively) or the linked scope(s) are invalid."
    )


@pytest.mark.parametrize(
    ("path", "body", "action"),
    [
        (
            lustre_id() + "?api-version=2025-07-01",
            a_file_system(),
            "Microsoft.Network/virtualNetworks/subnets/join/action",
        ),
        (
            network_path("virtualNetworks/net/virtualNetworkPeerings/p"),
            {"properties": {"remoteVirtualNetwork": {"id": network_id("virtualNetworks/far")}}},
            "Microsoft.Network/virtualNetworks/peer/action",
        ),
        (
            network_path("virtualNetworks/net/subnets/new"),
            {
                "properties": {
                    "addressPrefix": "10.0.9.0/24",
                    "networkSecurityGroup": {"id": network_id("networkSecurityGroups/nsg")},
                }
            },
            "Microsoft.Network/networkSecurityGroups/join/action",
        ),
        (
            network_path("virtualNetworks/net/subnets/new"),
            {"properties": {"addressPrefix": "10.0.9.0/24", "natGateway": {"id": network_id("natGateways/out")}}},
            "Microsoft.Network/natGateways/join/action",
        ),
    ],
)
def test_each_link_has_its_action(azure: Azure, path: str, body: Json, action: str) -> None:
    allow(azure, {"actions": ["*"], "notActions": [action]})

    answer = azure.ask("PUT", path, body)

    assert code(answer) == (403, "LinkedAuthorizationFailed")
    assert f"action(s) '{action}'" in answer.json()["error"]["message"]


@pytest.mark.parametrize("validates", [True, False])
def test_a_template_is_refused_with_all_that_may_not_be_written(azure: Azure, validates: bool) -> None:
    allow(azure, {"actions": ["*"], "notActions": ["Microsoft.Network/*/write"]})
    deployments = azure.deployments.deployments
    ask = deployments.begin_validate if validates else deployments.begin_create_or_update
    body = {"properties": {"mode": "Incremental", "template": a_template(a_security_group("a"), a_security_group("b"))}}

    status, name, message = refusal(ask, "rg", "first", body)

    action = "does not have permission to perform action 'Microsoft.Network/networkSecurityGroups/write' at scope"
    assert (status, name) == (403, "InvalidTemplateDeployment")
    kind = "Microsoft.Network/networkSecurityGroups"
    first = f"Authorization failed for template resource 'a' of type '{kind}'. The client '"
    assert message.startswith(f"Deployment failed with multiple errors: '{first}")
    assert (
        f"{action} '{network_id('networkSecurityGroups/a')}'.:Authorization failed for template resource 'b'" in message
    )
    assert message.endswith(f"{action} '{network_id('networkSecurityGroups/b')}'.'")


def test_a_deployment_goes_on_in_the_name_of_whoever_began_it(azure: Azure) -> None:
    first, second = a_security_group("a"), a_security_group("b", dependsOn=["a"])
    azure.ask(
        "PUT",
        f"{group_id()}/providers/Microsoft.Resources/deployments/d?api-version=2025-04-01",
        {"properties": {"mode": "Incremental", "template": a_template(first, second)}},
    )
    azure.wait(3)
    allow(azure, READER)
    azure.wait(60)

    error = azure.deployments.deployments.get("rg", "d").as_dict()["properties"]["error"]

    assert [row["name"] for row in azure.world["resources"] if row["name"] in "ab"] == ["a"]
    assert error["details"][0]["code"] == "AuthorizationFailed"


def test_a_stack_that_may_not_delete_keeps_what_it_lets_go(azure: Azure) -> None:
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
    azure.ask("PUT", path, a_stack(a_security_group("a"), a_security_group("b")))
    azure.wait(60)
    allow(azure, {"actions": ["*"], "notActions": ["Microsoft.Network/*/delete"]})
    azure.ask("PUT", path, a_stack(a_security_group("a"), unmanaged="delete"))
    azure.wait(4000)

    shown = azure.ask("GET", path).json()["properties"]

    assert shown["provisioningState"] == "failed"
    assert [each["error"]["code"] for each in shown["failedResources"]] == ["AuthorizationFailed"]


def test_the_caller_can_ask_what_it_may_do(azure: Azure) -> None:
    path = f"{group_id()}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01"
    everything = azure.ask("GET", path).json()
    allow(azure, READER, {"actions": ["Microsoft.Compute/*"], "notActions": ["*/delete"], "scope": group_id("other")})

    assert everything == {"value": [{"actions": ["*"], "notActions": [], "dataActions": [], "notDataActions": []}]}
    assert [each["actions"] for each in azure.ask("GET", path).json()["value"]] == [["*/read"]]


def test_polling_asks_for_nothing(azure: Azure) -> None:
    begun = azure.put_scale_set("train", a_scale_set(nodes=1))
    allow(azure, {"actions": []})

    assert azure.ask("GET", begun.headers["Azure-AsyncOperation"]).status == 200
    assert code(azure.ask("GET", path_of("virtualMachineScaleSets/train"))) == (403, "AuthorizationFailed")


@pytest.mark.parametrize("entry", ["x", {"odd": 1}, {"actions": "*"}, {"actions": [1]}, {"actions": [], "scope": 1}])
def test_a_permission_that_is_none_is_refused(azure: Azure, entry: Any) -> None:
    assert azure.ask("PUT", "/_simulator/world", {"settings": {"permissions": [entry]}}).status == 400
