"""Deployments at the scope of a subscription, and the modules in them, as Bicep lays them out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import SUBSCRIPTION, Azure, Json, a_security_group, group_id, network_id, refusal

SCHEMA = "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#"
HERE = f"/subscriptions/{SUBSCRIPTION}"
MADE = f"{HERE}/providers/Microsoft.Resources/deployments/main"


@pytest.fixture
def azure() -> Azure:
    return Azure()


def a_group(name: str = "[parameters('name')]", **parts: Any) -> Json:
    return {
        "type": "Microsoft.Resources/resourceGroups",
        "apiVersion": "2025-04-01",
        "name": name,
        "location": "[deployment().location]",
        **parts,
    }


def a_module(
    *resources: Json, group: str | None = "[parameters('name')]", given: Json | None = None, **template: Any
) -> Json:
    """Return a module as Bicep compiles one: a nested deployment with a scope of its own."""
    inner = {
        "$schema": SCHEMA,
        "contentVersion": "1.0.0.0",
        "parameters": {name: {"type": "string"} for name in given or {}},
        "resources": list(resources),
        **template,
    }
    properties = {
        "expressionEvaluationOptions": {"scope": "inner"},
        "mode": "Incremental",
        "parameters": {name: {"value": value} for name, value in (given or {}).items()},
        "template": inner,
    }
    place = {"location": "[deployment().location]"} if group is None else {"resourceGroup": group}
    return {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": "inside",
        **place,
        "properties": properties,
    }


def a_main(resources: Any, outputs: Json | None = None, mode: str = "Incremental") -> Json:
    template = {
        "$schema": SCHEMA,
        "contentVersion": "1.0.0.0",
        "parameters": {"name": {"type": "string", "defaultValue": "made"}},
        "resources": resources,
        "outputs": outputs or {},
    }
    if isinstance(resources, dict):
        template["languageVersion"] = "2.0"
    return {"location": "eastus", "properties": {"mode": mode, "template": template}}


def deploy(azure: Azure, body: Json, wait: float = 120) -> Json:
    started = azure.start(azure.deployments.deployments.begin_create_or_update_at_subscription_scope, "main", body)
    azure.wait(wait)
    assert started.status in (200, 201)
    found: Json = azure.deployments.deployments.get_at_subscription_scope("main").as_dict()
    return found


def test_a_subscription_deployment_makes_groups_and_what_is_in_them(azure: Azure) -> None:
    module = a_module(
        a_security_group("[parameters('nsg')]", location="[resourceGroup().location]"), given={"nsg": "guard"}
    )
    group_text = f"{HERE}/resourceGroups/made"
    needs = {"dependsOn": ["[subscriptionResourceId('Microsoft.Resources/resourceGroups', parameters('name'))]"]}

    shown = deploy(azure, a_main([a_group(tags={"a": "b"}), {**module, **needs}]))

    assert (shown["id"], shown["location"], shown["type"]) == (MADE, "eastus", "Microsoft.Resources/deployments")
    assert shown["properties"]["provisioningState"] == "Succeeded"
    assert [each["id"] for each in shown["properties"]["outputResources"]] == [
        group_text,
        network_id("networkSecurityGroups/guard", "made"),
    ]
    assert shown["properties"]["providers"] == [
        {
            "namespace": "Microsoft.Resources",
            "resourceTypes": [
                {"resourceType": "resourceGroups", "locations": ["eastus"]},
                {"resourceType": "deployments", "locations": [None]},
            ],
        }
    ]
    assert shown["properties"]["dependencies"] == [
        {
            "dependsOn": [
                {"id": group_text, "resourceType": "Microsoft.Resources/resourceGroups", "resourceName": "made"}
            ],
            "id": f"{group_text}/providers/Microsoft.Resources/deployments/inside",
            "resourceType": "Microsoft.Resources/deployments",
            "resourceName": "inside",
        }
    ]
    assert azure.resources.resource_groups.get("made").tags == {"a": "b"}
    assert azure.network.network_security_groups.get("made", "guard").location == "eastus"


def test_a_module_is_a_deployment_of_its_own_group(azure: Azure) -> None:
    module = {**a_module(a_security_group()), "dependsOn": ["made"]}
    deploy(azure, a_main([a_group(), module]))

    inside = [row.name for row in azure.deployments.deployments.list_by_resource_group("made")]
    outside = [row.name for row in azure.deployments.deployments.list_at_subscription_scope()]
    operations = azure.deployments.deployment_operations.list_at_subscription_scope("main")
    rows = [row.as_dict()["properties"] for row in operations]
    targets = [row["targetResource"]["id"] for row in rows if "targetResource" in row]

    assert (inside, outside) == (["inside"], ["main"])
    assert sorted(targets) == [
        f"{group_id('made')}",
        f"{group_id('made')}/providers/Microsoft.Resources/deployments/inside",
    ]


@pytest.mark.parametrize("symbolic", [True, False])
def test_the_outputs_of_one_module_are_the_parameters_of_the_next(azure: Azure, symbolic: bool) -> None:
    where = "[resourceId('Microsoft.Network/networkSecurityGroups', parameters('nsg'))]"
    first = a_module(
        a_security_group("[parameters('nsg')]"),
        given={"nsg": "guard"},
        outputs={"guardId": {"type": "string", "value": where}},
    )
    subnet = {"addressPrefix": "10.0.0.0/24", "networkSecurityGroup": {"id": "[parameters('guard')]"}}
    net = {
        "type": "Microsoft.Network/virtualNetworks",
        "apiVersion": "2025-05-01",
        "name": "net",
        "location": "eastus",
        "properties": {
            "addressSpace": {"addressPrefixes": ["10.0.0.0/16"]},
            "subnets": [{"name": "nodes", "properties": subnet}],
        },
    }
    inside = f"{group_id('made')}/providers/Microsoft.Resources/deployments/inside"
    asked = "reference('first')" if symbolic else f"reference('{inside}', '2025-04-01')"
    second = {**a_module(net, given={"guard": f"[{asked}.outputs.guardId.value]"}), "name": "next"}
    needs = ["rg"] if symbolic else ["made"]
    resources: Any = {
        "rg": a_group(),
        "first": {**first, "dependsOn": needs},
        "second": {**second, "dependsOn": needs if symbolic else ["inside"]},
    }
    outputs = {"GUARD_ID": {"type": "string", "value": f"[{asked}.outputs.guardId.value]"}}

    shown = deploy(azure, a_main(resources if symbolic else list(resources.values()), outputs))

    guard = network_id("networkSecurityGroups/guard", "made")
    network = azure.network.virtual_networks.get("made", "net").as_dict()
    assert shown["properties"]["outputs"] == {"guarD_ID": {"type": "String", "value": guard}}
    assert network["properties"]["subnets"][0]["properties"]["networkSecurityGroup"] == {"id": guard}


def test_a_module_may_stay_in_the_subscription(azure: Azure) -> None:
    shown = deploy(azure, a_main([a_module(a_group("deep"), group=None)]))

    assert [each["id"] for each in shown["properties"]["outputResources"]] == [f"{HERE}/resourceGroups/deep"]
    assert sorted(str(row.name) for row in azure.deployments.deployments.list_at_subscription_scope()) == [
        "inside",
        "main",
    ]


def test_a_failure_inside_comes_out_with_all_that_it_went_through(azure: Azure) -> None:
    bad = {
        "type": "Microsoft.Network/virtualNetworks/subnets",
        "apiVersion": "2025-05-01",
        "name": "no/nodes",
        "properties": {"addressPrefix": "10.0.0.0/24"},
    }
    body = a_main([a_group(), {**a_module(bad), "dependsOn": ["made"]}])
    started = azure.start(azure.deployments.deployments.begin_create_or_update_at_subscription_scope, "main", body)
    azure.wait(60)

    error = azure.ask("GET", started.poll).json()["error"]

    outer = error["details"][0]
    inner = outer["details"][0]
    assert (error["code"], error["target"]) == ("DeploymentFailed", MADE)
    assert (outer["code"], outer["target"]) == (
        "ResourceDeploymentFailure",
        f"{group_id('made')}/providers/Microsoft.Resources/deployments/inside",
    )
    assert (inner["code"], inner["details"][0]["code"]) == ("DeploymentFailed", "ParentResourceNotFound")


def test_a_module_waits_for_a_group_that_must_be_there(azure: Azure) -> None:
    shown = deploy(azure, a_main([a_module(a_security_group(), group="absent")]))

    assert shown["properties"]["error"]["details"][0]["code"] == "ResourceGroupNotFound"


def test_cancelling_stops_what_is_inside(azure: Azure) -> None:
    second = a_security_group("second", dependsOn=["first"])
    body = a_main([a_group(), {**a_module(a_security_group("first"), second), "dependsOn": ["made"]}])
    azure.start(azure.deployments.deployments.begin_create_or_update_at_subscription_scope, "main", body)
    azure.wait(5)

    azure.deployments.deployments.cancel_at_subscription_scope("main")
    azure.wait(60)

    states = [
        azure.deployments.deployments.get_at_subscription_scope("main"),
        azure.deployments.deployments.get("made", "inside"),
    ]
    assert [row.as_dict()["properties"]["provisioningState"] for row in states] == ["Canceled", "Canceled"]
    assert [row["name"] for row in azure.world["resources"]] == ["first"]


def test_validation_looks_into_modules_and_changes_nothing(azure: Azure) -> None:
    before = azure.world
    body = a_main([a_group(), {**a_module(a_security_group()), "dependsOn": ["made"]}])

    found = azure.finish(azure.deployments.deployments.begin_validate_at_subscription_scope, "main", body)

    inside = f"{group_id('made')}/providers/Microsoft.Resources/deployments/inside"
    assert [each.id for each in found.properties.validated_resources] == [
        group_id("made"),
        inside,
        network_id("networkSecurityGroups/nsg", "made"),
    ]
    assert azure.world == before


def test_a_record_is_exported_and_deleted(azure: Azure) -> None:
    body = a_main([])
    deploy(azure, body)

    exported = azure.deployments.deployments.export_template_at_subscription_scope("main").template
    exists = azure.deployments.deployments.check_existence_at_subscription_scope("main")
    azure.deployments.deployments.begin_delete_at_subscription_scope("main").result()

    assert (exported, exists) == (body["properties"]["template"], True)
    assert not azure.deployments.deployments.check_existence_at_subscription_scope("main")
    assert refusal(azure.deployments.deployments.get_at_subscription_scope, "main")[:2] == (404, "DeploymentNotFound")


def test_its_location_is_needed_and_stays(azure: Azure) -> None:
    deploy(azure, a_main([]))
    begin = azure.deployments.deployments.begin_create_or_update_at_subscription_scope

    moved = refusal(begin, "main", {**a_main([]), "location": "westus"})
    without = refusal(begin, "other", {"properties": a_main([])["properties"]})

    assert moved == (
        409,
        "InvalidDeploymentLocation",
        "Invalid deployment location 'westus'. The deployment 'main' already exists in location 'eastus'.",
    )
    assert without == (
        400,
        "InvalidDeployment",
        "The 'location' property must be specified for 'other'. Please see https://aka.ms/deploy-to-subscription for "
        "usage details.",
    )


def test_a_group_has_its_own_location_for_what_is_deployed_into_it(azure: Azure) -> None:
    azure.make_group()
    group = azure.deployments.deployments
    body = {"location": "eastus", **a_main([])}
    inside = a_main([a_group("rg"), {**a_module(group="rg"), "location": "eastus"}])
    nowhere = a_module(group=None)
    del nowhere["location"]

    refused = [
        refusal(group.begin_create_or_update, "rg", "main", body),
        refusal(group.begin_validate, "rg", "main", body),
        refusal(group.begin_create_or_update_at_subscription_scope, "main", inside),
        refusal(group.begin_create_or_update_at_subscription_scope, "main", a_main([nowhere])),
    ]

    assert {(status, code) for status, code, _ in refused} == {(400, "InvalidDeployment")}
    words = [message.partition(". ")[0] for _, _, message in refused]
    assert words == [
        "The 'location' property is not allowed for 'main' at resource group scope",
        "The 'location' property is not allowed for 'main' at resource group scope",
        "The 'location' property is not allowed for 'inside' at resource group scope",
        "The 'location' property must be specified for 'inside'",
    ]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (a_main([a_security_group()]), "cannot be deployed at the scope of a subscription"),
        (a_main([a_group(location="[resourceGroup().location]")]), "'resourceGroup' is not expected at this location"),
        (a_main([], mode="Complete"), "'Complete' is supported at the scope of a resource group alone"),
        (
            a_main([{**a_module(), "properties": {"mode": "Incremental", "templateLink": {"uri": "https://x"}}}]),
            "links a template, which is not simulated",
        ),
        (
            a_main([{**a_module(), "scope": "/providers/Microsoft.Management/managementGroups/m"}]),
            "it is no subscription and no resource group",
        ),
    ],
)
def test_what_a_subscription_cannot_hold_is_refused(azure: Azure, body: Json, words: str) -> None:
    status, _, message = refusal(
        azure.deployments.deployments.begin_create_or_update_at_subscription_scope, "main", body
    )

    assert status == 400
    assert words in message


def test_a_group_template_cannot_make_groups(azure: Azure) -> None:
    azure.make_group()
    body = {"properties": a_main([a_group()])["properties"]}

    found = refusal(azure.deployments.deployments.begin_create_or_update, "rg", "main", body)

    assert found[:2] == (400, "InvalidTemplate")
    assert "cannot be deployed at the scope of a resource group" in found[2]


@pytest.mark.parametrize(
    ("name", "code"),
    [("x" * 65, "DeploymentNameLengthLimitExceeded"), ("a b", "DeploymentNameInvalidCharacters")],
)
def test_names_have_rules(azure: Azure, name: str, code: str) -> None:
    path = f"{HERE}/providers/Microsoft.Resources/deployments/{name.replace(' ', '%20')}?api-version=2025-04-01"

    assert azure.ask("PUT", path, a_main([])).json()["error"]["code"] == code
