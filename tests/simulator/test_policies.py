"""Azure Policy, as far as it denies: single writes, and whole templates before anything starts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    Json,
    a_scale_set,
    a_security_group,
    a_stack,
    a_template,
    azure_with_a_network,
    group_id,
    network_path,
    refusal,
)

HERE = f"/subscriptions/{SUBSCRIPTION}"
REGIONS = {"name": "allowed-regions", "match": {"property": "location", "notIn": ["eastus", "westus3"]}}
OWNER = {"name": "need-owner", "match": {"type": "Microsoft.Network/*", "property": "tags.owner", "exists": False}}
SIZES = {
    "name": "no-h100",
    "match": {
        "type": "Microsoft.Compute/virtualMachineScaleSets",
        "property": "sku.name",
        "equals": "standard_nd96isr_h100_v5",
    },
}


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def assign(azure: Azure, *policies: Json) -> None:
    azure.set_world(settings={"policies": list(policies)})


def put_guard(azure: Azure, name: str = "nsg", location: str = "eastus", **parts: Any) -> Any:
    body = {"location": location, "properties": {}, **parts}
    return azure.ask("PUT", network_path(f"networkSecurityGroups/{name}"), body)


def test_a_write_that_a_policy_denies_is_refused_with_all_that_it_looked_at(azure: Azure) -> None:
    assign(azure, OWNER)
    body = {"location": "eastus", "properties": {}}

    with pytest.raises(HttpResponseError) as found:
        azure.start(azure.network.network_security_groups.begin_create_or_update, "rg", "nsg", body)

    assert found.value.response is not None
    error = json.loads(found.value.response.text())["error"]
    assignment = f"{HERE}/providers/Microsoft.Authorization/policyAssignments/need-owner"
    definition = f"{HERE}/providers/Microsoft.Authorization/policyDefinitions/need-owner"
    identifiers = [
        {
            "policyAssignment": {"name": "need-owner", "id": assignment},
            "policyDefinition": {"name": "need-owner", "id": definition},
        }
    ]
    assert found.value.status_code == 403
    assert error == {
        "code": "RequestDisallowedByPolicy",
        "target": "nsg",
        "message": "Resource 'nsg' was disallowed by policy. Policy identifiers: "
        f"'{json.dumps(identifiers, separators=(',', ':'))}'.",
        "additionalInfo": [
            {
                "type": "PolicyViolation",
                "info": {
                    "evaluationDetails": {
                        "evaluatedExpressions": [
                            {
                                "result": "True",
                                "expressionKind": "Field",
                                "expression": "type",
                                "path": "type",
                                "expressionValue": "Microsoft.Network/networkSecurityGroups",
                                "targetValue": "Microsoft.Network/*",
                                "operator": "Like",
                            },
                            {
                                "result": "True",
                                "expressionKind": "Field",
                                "expression": "Microsoft.Network/networkSecurityGroups/tags.owner",
                                "path": "tags.owner",
                                "targetValue": False,
                                "operator": "Exists",
                            },
                        ]
                    },
                    "policyDefinitionId": definition,
                    "policyDefinitionName": "need-owner",
                    "policyDefinitionDisplayName": "need-owner",
                    "policyDefinitionVersion": "1.0.0",
                    "policyDefinitionEffect": "deny",
                    "policyAssignmentId": assignment,
                    "policyAssignmentName": "need-owner",
                    "policyAssignmentDisplayName": "need-owner",
                    "policyAssignmentScope": HERE,
                    "policyAssignmentParameters": {},
                    "policyExemptionIds": [],
                    "policyEnrollmentIds": [],
                },
            }
        ],
    }
    assert put_guard(azure, tags={"owner": "ml"}).status == 201


@pytest.mark.parametrize(
    ("match", "denies"),
    [
        ({"type": "microsoft.network/networksecuritygroups"}, True),
        ({"type": "Microsoft.Network/virtualNetworks"}, False),
        ({"location": "EastUS"}, True),
        ({"location": "westus"}, False),
        ({"property": "tags.env", "equals": "PROD"}, True),
        ({"property": "tags.env", "notEquals": "prod"}, False),
        ({"property": "tags.env", "in": ["test", "prod"]}, True),
        ({"property": "tags.env", "notIn": ["prod"]}, False),
        ({"property": "tags.env", "exists": True}, True),
        ({"property": "tags.env", "exists": False}, False),
        ({"location": "westus", "property": "tags.env", "exists": True}, False),
        ({}, True),
    ],
)
def test_a_policy_matches_by_type_region_and_property(azure: Azure, match: Json, denies: bool) -> None:
    assign(azure, {"name": "p", "match": match})

    assert put_guard(azure, tags={"env": "prod"}).status == (403 if denies else 201)


def test_a_policy_holds_at_its_scope(azure: Azure) -> None:
    azure.make_group("free")
    assign(azure, {**OWNER, "scope": group_id()})

    elsewhere = azure.ask(
        "PUT", network_path("networkSecurityGroups/nsg", "free"), {"location": "eastus", "properties": {}}
    )

    assert (put_guard(azure).status, elsewhere.status) == (403, 201)


def test_reading_deleting_and_what_is_there_already_are_left_alone(azure: Azure) -> None:
    put_guard(azure)
    azure.wait(10)
    assign(azure, OWNER)

    assert azure.ask("GET", network_path("networkSecurityGroups/nsg")).status == 200
    assert azure.ask("DELETE", network_path("networkSecurityGroups/nsg")).status == 202


def test_a_patch_is_judged_by_what_comes_of_it(azure: Azure) -> None:
    put_guard(azure, tags={"owner": "ml"})
    azure.wait(10)
    assign(azure, {"name": "p", "match": {"property": "tags.env", "exists": True, "location": "eastus"}})
    path = network_path("networkSecurityGroups/nsg")

    assert azure.ask("PATCH", path, {"tags": {"owner": "ml"}}).status == 200
    assert azure.ask("PATCH", path, {"tags": {"env": "x"}}).json()["error"]["code"] == "RequestDisallowedByPolicy"


def test_groups_are_judged_too(azure: Azure) -> None:
    assign(
        azure,
        {"name": "p", "match": {"type": "Microsoft.Resources/subscriptions/resourceGroups", "location": "westus"}},
    )

    found = refusal(azure.resources.resource_groups.create_or_update, "new", {"location": "westus"})

    assert found[:2] == (403, "RequestDisallowedByPolicy")
    assert azure.resources.resource_groups.create_or_update("new", {"location": "eastus"}).name == "new"


def a_deployment(*resources: Json) -> Json:
    return {"properties": {"mode": "Incremental", "template": a_template(*resources)}}


def a_set(name: str) -> Json:
    kind = "Microsoft.Compute/virtualMachineScaleSets"
    return {"type": kind, "apiVersion": "2025-11-01", "name": name, **a_scale_set(nodes=1)}


@pytest.mark.parametrize(("method", "end"), [("PUT", ""), ("POST", "/validate")])
def test_a_template_is_judged_before_anything_starts(azure: Azure, method: str, end: str) -> None:
    assign(azure, SIZES, REGIONS)
    body = a_deployment(a_security_group("far", "westus"), a_set("train"), a_security_group("near"))
    path = f"{group_id()}/providers/Microsoft.Resources/deployments/first{end}?api-version=2025-04-01"

    answer = azure.ask(method, path, body)

    error = answer.json()["error"]
    assert (answer.status, error["code"]) == (400, "InvalidTemplateDeployment")
    assert error["message"] == (
        "The template deployment failed because of policy violation. Please see details for more information."
    )
    assert [(each["code"], each["target"]) for each in error["details"]] == [
        ("RequestDisallowedByPolicy", name) for name in ("far", "train")
    ]
    assert error["details"][1]["additionalInfo"][0]["info"]["policyAssignmentName"] == "no-h100"
    assert [row["name"] for row in azure.world["resources"]] == ["net", "nodes"]


def test_a_stack_that_is_denied_fails_and_says_why(azure: Azure) -> None:
    assign(azure, REGIONS)
    begin = azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group

    azure.start(begin, "rg", "unit", a_stack(a_security_group("far", "westus")))
    azure.wait(60)

    shown = azure.stacks.deployment_stacks.get_at_resource_group("rg", "unit").as_dict()["properties"]
    inner = shown["error"]["details"][0]
    assert (shown["provisioningState"], inner["code"]) == ("failed", "InvalidTemplateDeployment")
    assert inner["details"][0]["code"] == "RequestDisallowedByPolicy"


@pytest.mark.parametrize(
    "policy",
    [
        "x",
        {"match": {}},
        {"name": "p"},
        {"name": "p", "match": {"odd": 1}},
        {"name": "p", "match": {"property": "a"}},
        {"name": "p", "match": {"equals": "a"}},
        {"name": "p", "match": {"property": "a", "in": "b"}},
        {"name": "p", "match": {"type": 1}},
        {"name": "p", "match": {}, "effect": "audit"},
    ],
)
def test_a_policy_that_is_none_is_refused(azure: Azure, policy: Any) -> None:
    answer = azure.ask("PUT", "/_simulator/world", {"settings": {"policies": [policy]}})

    assert answer.status == 400
