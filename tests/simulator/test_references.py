"""Templates that speak of what is being deployed: `reference`, outputs, and what fails when it is not there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    Azure,
    Json,
    a_security_group,
    a_stack,
    a_template,
    group_id,
    identity_id,
    network_id,
)


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def an_identity(name: str = "who") -> Json:
    kind = "Microsoft.ManagedIdentity/userAssignedIdentities"
    return {"type": kind, "apiVersion": "2024-11-30", "name": name, "location": "eastus"}


def deploy(azure: Azure, template: Json, mode: str = "Incremental", parameters: Json | None = None) -> Json:
    body = {"properties": {"mode": mode, "template": template, "parameters": parameters or {}}}
    azure.start(azure.deployments.deployments.begin_create_or_update, "rg", "first", body)
    azure.wait(120)
    found: Json = azure.deployments.deployments.get("rg", "first").as_dict()["properties"]
    return found


def test_a_body_is_worked_out_when_what_it_refers_to_stands(azure: Azure) -> None:
    principal = "[reference('who').principalId]"
    tagged = a_security_group("nsg", tags={"who": principal, "at": "[reference('who', '2024-11-30', 'Full').location]"})

    shown = deploy(azure, a_template(tagged, an_identity(), outputs={"who": {"type": "string", "value": principal}}))

    known = azure.get(identity_id("who"))["properties"]["principalId"]
    found = azure.network.network_security_groups.get("rg", "nsg")
    assert found.tags == {"who": known, "at": "eastus"}
    assert shown["outputs"] == {"who": {"type": "String", "value": known}}


def test_what_is_outside_of_the_template_is_found_by_id(azure: Azure) -> None:
    azure.make_identity("other")
    where = (
        "[reference(resourceId('Microsoft.ManagedIdentity/userAssignedIdentities', 'other'), '2024-11-30').clientId]"
    )

    shown = deploy(azure, a_template(outputs={"id": {"type": "string", "value": where}}))

    assert len(shown["outputs"]["id"]["value"]) == 36


def test_a_symbol_that_exists_already_is_read(azure: Azure) -> None:
    azure.make_group("far")
    azure.make_identity("other", "far")
    keyed = a_template(
        languageVersion="2.0", outputs={"id": {"type": "string", "value": "[reference('old').clientId]"}}
    )
    keyed["resources"] = {"old": {**an_identity("other"), "existing": True, "resourceGroup": "far"}}

    assert len(deploy(azure, keyed)["outputs"]["id"]["value"]) == 36
    assert [row.name for row in azure.resources.resources.list_by_resource_group("rg")] == []


def test_what_is_not_there_fails_the_resource(azure: Azure) -> None:
    where = f"[reference('{network_id('networkSecurityGroups/no')}', '2025-05-01').x]"

    shown = deploy(azure, a_template(a_security_group("a", tags={"x": where}), a_security_group("b")))

    assert (shown["provisioningState"], shown["error"]["details"][0]["code"]) == ("Failed", "ResourceNotFound")
    assert [row.name for row in azure.resources.resources.list_by_resource_group("rg")] == ["b"]


def test_an_output_that_cannot_be_worked_out_fails_the_deployment(azure: Azure) -> None:
    outputs = {"x": {"type": "string", "value": "[reference('a').nothing]"}}

    shown = deploy(azure, a_template(a_security_group("a"), outputs=outputs))

    error = shown["error"]
    assert (shown["provisioningState"], error["code"]) == ("Failed", "DeploymentOutputEvaluationFailed")
    assert "property 'nothing' doesn't exist" in error["details"][0]["message"]
    assert [row.name for row in azure.resources.resources.list_by_resource_group("rg")] == ["a"]


def test_secrets_are_not_simulated(azure: Azure) -> None:
    outputs = {"x": {"type": "string", "value": "[listKeys('/subscriptions/x', '2024-01-01').key]"}}

    shown = deploy(azure, a_template(outputs=outputs))

    assert "asks for secrets, which are not simulated" in shown["error"]["details"][0]["message"]


def test_an_outer_template_is_about_what_is_outside(azure: Azure) -> None:
    """A nested deployment without a scope of its own sees the parameters, loops and resources of the one around."""
    where = "resourceId('Microsoft.ManagedIdentity/userAssignedIdentities', 'who')"
    inner = a_template(
        a_security_group("[format('{0}-{1}', parameters('name'), copyIndex())]", tags={"text": "[[literal]"}),
        outputs={"who": {"type": "string", "value": f"[reference({where}, '2024-11-30').clientId]"}},
    )
    nested = {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": "[format('in{0}', copyIndex())]",
        "copy": {"name": "loop", "count": 2},
        "dependsOn": ["who"],
        "properties": {"mode": "Incremental", "template": inner},
    }
    outputs = {"who": {"type": "string", "value": "[reference('in1').outputs.who.value]"}}

    shown = deploy(
        azure,
        a_template(
            nested, an_identity(), parameters={"name": {"type": "string", "defaultValue": "x"}}, outputs=outputs
        ),
    )

    guards = {row.name: row.tags for row in azure.network.network_security_groups.list("rg")}
    assert guards == {"x-0": {"text": "[literal]"}, "x-1": {"text": "[literal]"}}
    assert len(shown["outputs"]["who"]["value"]) == 36


def test_what_a_template_lays_onto_a_scope_is_there_and_goes_with_its_stack(azure: Azure) -> None:
    lock: Json = {
        "type": "Microsoft.Authorization/locks",
        "apiVersion": "2020-05-01",
        "name": "keep",
        "dependsOn": ["a"],
    }
    lock |= {"scope": "Microsoft.Network/networkSecurityGroups/a", "properties": {"level": "CanNotDelete"}}
    tags: Json = {"type": "Microsoft.Resources/tags", "apiVersion": "2025-04-01", "name": "default"}
    tags |= {"properties": {"tags": {"owner": "ml"}}}
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"

    azure.ask("PUT", path, a_stack(a_security_group("a"), lock, tags))
    azure.wait(60)
    locked = [each["id"] for each in azure.world["locks"]]
    azure.ask("PUT", path, a_stack(a_security_group("a"), unmanaged="delete"))
    azure.wait(60)

    nsg = network_id("networkSecurityGroups/a")
    assert locked == [f"{nsg}/providers/Microsoft.Authorization/locks/keep"]
    assert azure.resources.resource_groups.get("rg").tags == {"owner": "ml"}
    assert azure.world["locks"] == []


def test_parameters_without_a_value_stay_null(azure: Azure) -> None:
    declared: Any = {"p": {"type": "string", "nullable": True}}

    shown = deploy(azure, a_template(parameters=declared), parameters={"p": {"value": None}})

    assert (shown["provisioningState"], shown["parameters"]) == ("Succeeded", {"p": {"type": "String"}})
