"""Deployments at group scope."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    HOST,
    Azure,
    a_scale_set,
    a_security_group,
    a_template,
    azure_with_a_network,
    group_id,
    network_id,
    network_path,
    refusal,
)

DEPLOYMENT = f"{group_id()}/providers/Microsoft.Resources/deployments/first"
PATH = f"{DEPLOYMENT}?api-version=2025-04-01"


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def body(*resources: Any, mode: str = "Incremental", parameters: Any = None, **parts: Any) -> Any:
    return {"properties": {"mode": mode, "template": a_template(*resources, **parts), "parameters": parameters or {}}}


def a_network(name: str = "net", **parts: Any) -> Any:
    properties = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}
    kind = "Microsoft.Network/virtualNetworks"
    return {
        "type": kind,
        "apiVersion": "2025-05-01",
        "name": name,
        "location": "eastus",
        "properties": properties,
        **parts,
    }


def a_subnet(name: str = "net/nodes", prefix: str = "10.0.0.0/24", needs: Any = ("net",)) -> Any:
    kind = "Microsoft.Network/virtualNetworks/subnets"
    properties = {"addressPrefix": prefix}
    return {"type": kind, "apiVersion": "2025-05-01", "name": name, "properties": properties, "dependsOn": list(needs)}


def test_a_deployment_goes_through_its_states(azure: Azure) -> None:
    begin = azure.deployments.deployments.begin_create_or_update
    started = azure.start(begin, "rg", "first", body(a_security_group()))

    seen = []
    for _ in range(5):
        seen.append((azure.status_of(started), azure.ask("GET", PATH).json()["properties"]["provisioningState"]))
        azure.wait(2)

    assert started.status == 201
    assert started.body["properties"]["provisioningState"] == "Accepted"
    assert started.poll.startswith(f"{HOST}{DEPLOYMENT}/operationStatuses/08584")
    assert "Location" not in started.headers
    assert "Retry-After" not in started.headers
    assert seen == [(name, name) for name in ("Accepted", "Running", "Running", "Succeeded", "Succeeded")]
    assert azure.start(begin, "rg", "first", body(a_security_group())).status == 200


def test_a_finished_deployment_is_shown_whole(azure: Azure) -> None:
    parameters = {"size": {"type": "int", "defaultValue": 3}}
    outputs = {"GROUP_ID": {"type": "string", "value": "x"}}
    azure.ask("PUT", PATH, body(a_network(), a_subnet(), parameters=None, outputs=outputs) | {"tags": {"a": "b"}})
    azure.wait(60)
    shown = azure.ask("GET", PATH).json()
    hashed = shown["properties"].pop("templateHash")

    assert parameters["size"]["defaultValue"] == 3
    assert hashed.isdecimal()
    assert shown == {
        "id": DEPLOYMENT,
        "name": "first",
        "type": "Microsoft.Resources/deployments",
        "tags": {"a": "b"},
        "properties": {
            "parameters": {},
            "mode": "Incremental",
            "provisioningState": "Succeeded",
            "timestamp": "2026-12-01T00:00:13.0000000Z",
            "duration": "PT13S",
            "correlationId": shown["properties"]["correlationId"],
            "providers": [
                {
                    "namespace": "Microsoft.Network",
                    "resourceTypes": [
                        {"resourceType": "virtualNetworks", "locations": ["eastus"]},
                        {"resourceType": "virtualNetworks/subnets", "locations": [None]},
                    ],
                }
            ],
            "dependencies": [
                {
                    "dependsOn": [
                        {
                            "id": network_id("virtualNetworks/net"),
                            "resourceType": "Microsoft.Network/virtualNetworks",
                            "resourceName": "net",
                        }
                    ],
                    "id": network_id("virtualNetworks/net/subnets/nodes"),
                    "resourceType": "Microsoft.Network/virtualNetworks/subnets",
                    "resourceName": "net/nodes",
                }
            ],
            "outputs": {"grouP_ID": {"type": "String", "value": "x"}},
            "outputResources": [
                {"id": network_id("virtualNetworks/net")},
                {"id": network_id("virtualNetworks/net/subnets/nodes")},
            ],
        },
    }


def test_resources_start_when_what_they_need_stands(azure: Azure) -> None:
    azure.ask("PUT", PATH, body(a_subnet(), a_network(), a_security_group()))

    made = []
    for _ in range(4):
        azure.wait(3)
        made.append([row["name"] for row in azure.world["resources"]])

    assert made == [["nsg", "net"], ["nsg", "net"], ["nsg", "net", "nodes"], ["nsg", "net", "nodes"]]


def test_every_client_reads_operations_at_a_path_without_a_provider(azure: Azure) -> None:
    azure.ask("PUT", PATH, body(a_network(), a_subnet()))
    azure.wait(60)

    short = azure.ask("GET", f"{group_id()}/deployments/first/operations?api-version=2025-04-01").json()["value"]
    full = azure.ask("GET", f"{DEPLOYMENT}/operations?api-version=2025-04-01").json()["value"]
    clients = [row.id for row in azure.deployments.deployment_operations.list("rg", "first")]

    rows = [(row["properties"]["provisioningOperation"], row["properties"]["statusCode"]) for row in short]
    assert short == full
    assert clients == [row["id"] for row in short]
    assert rows == [("EvaluateDeploymentOutput", "OK"), ("Create", "Created"), ("Create", "Created")]
    assert [row["properties"]["targetResource"]["resourceName"] for row in short[1:]] == ["net/nodes", "net"]


def test_a_failure_lets_independent_resources_finish_and_stops_the_rest(azure: Azure) -> None:
    bad = a_subnet("net/far", "10.9.0.0/24")
    last = a_security_group("last", dependsOn=["net/far"])
    azure.ask("PUT", PATH, body(a_network(), bad, last, a_security_group("other", dependsOn=["net"])))
    azure.wait(60)

    shown = azure.ask("GET", PATH).json()["properties"]

    assert shown["provisioningState"] == "Failed"
    assert shown["error"] == {
        "code": "DeploymentFailed",
        "target": DEPLOYMENT,
        "message": "At least one resource deployment operation failed. Please list deployment operations for details. "
        "Please see https://aka.ms/arm-deployment-operations for usage details.",
        "details": [
            {
                "code": "NetcfgInvalidSubnet",
                "message": "Subnet 'far' is not valid in virtual network 'net'.",
                "details": [],
                "target": network_id("virtualNetworks/net/subnets/far"),
            }
        ],
    }
    assert [row["name"] for row in azure.world["resources"]] == ["other", "net"]


def test_an_operation_that_fails_hides_its_error_in_a_string(azure: Azure) -> None:
    azure.ask(
        "POST",
        "/_simulator/faults",
        {"match": {"url": "/networkSecurityGroups/nsg$"}, "effect": "fail-operation", "code": "Odd", "message": "no"},
    )
    started = azure.ask("PUT", PATH, body(a_security_group()))
    azure.wait(60)

    poll = azure.ask("GET", started.headers["Azure-AsyncOperation"])

    detail = poll.json()["error"]["details"][0]
    assert (poll.status, poll.json()["status"]) == (200, "Failed")
    assert (detail["code"], detail["target"]) == ("ResourceDeploymentFailure", network_id("networkSecurityGroups/nsg"))
    inner = '{\r\n  "error": {\r\n    "code": "Odd",\r\n    "message": "no"\r\n  }\r\n}'
    assert detail["details"] == [{"code": "Odd", "message": inner}]


def test_complete_mode_takes_away_what_is_not_stated(azure: Azure) -> None:
    azure.ask("PUT", PATH, body(a_network(), a_security_group("old")))
    azure.wait(60)

    azure.ask("PUT", PATH, body(a_security_group("new"), mode="Complete"))
    azure.wait(120)

    assert azure.ask("GET", PATH).json()["properties"]["provisioningState"] == "Succeeded"
    assert [row["name"] for row in azure.world["resources"]] == ["new"]


def test_incremental_mode_takes_nothing_away(azure: Azure) -> None:
    azure.ask("PUT", PATH, body(a_security_group("old")))
    azure.wait(60)
    azure.ask("PUT", PATH, body(a_security_group("new")))
    azure.wait(60)

    assert [row["name"] for row in azure.world["resources"]] == ["new", "old"]


def test_validation_answers_at_once_and_changes_nothing(azure: Azure) -> None:
    before = azure.world
    good = azure.ask("POST", PATH.replace("?", "/validate?"), body(a_security_group()))
    bad = azure.ask("POST", PATH.replace("?", "/validate?"), body(a_security_group(dependsOn=["x"])))

    properties = good.json()["properties"]
    assert (good.status, properties["provisioningState"], properties["duration"]) == (200, "Succeeded", "PT0S")
    assert properties["validatedResources"] == [{"id": network_id("networkSecurityGroups/nsg")}]
    assert (bad.status, bad.json()["error"]["code"]) == (400, "InvalidTemplate")
    assert bad.json()["error"]["additionalInfo"][0]["type"] == "TemplateViolation"
    assert azure.world == before


def test_quota_is_found_out_before_anything_starts() -> None:
    azure = azure_with_a_network()
    azure.set_world(quota={"eastus": {"standardNDSH100v5Family": 200}})
    kind = "Microsoft.Compute/virtualMachineScaleSets"
    sets = [{"type": kind, "apiVersion": "2025-11-01", "name": name, **a_scale_set(nodes=2)} for name in "ab"]

    answer = azure.ask("PUT", PATH, body(*sets))

    error = answer.json()["error"]
    assert (answer.status, error["code"]) == (400, "InvalidTemplateDeployment")
    assert error["message"].startswith(
        "The template deployment 'first' is not valid according to the validation procedure."
    )
    assert error["details"][0]["code"] == "QuotaExceeded"
    assert "Current Limit: 200, Current Usage: 0, Additional Required: 384" in error["details"][0]["message"]


def test_a_running_deployment_cannot_be_overwritten_but_cancelled(azure: Azure) -> None:
    azure.ask("PUT", PATH, body(a_network(), a_subnet()))
    azure.wait(3)

    overwritten = azure.ask("PUT", PATH, body())
    cancelled = azure.ask("POST", PATH.replace("?", "/cancel?"))
    azure.wait(60)
    again = azure.ask("POST", PATH.replace("?", "/cancel?"))

    assert (overwritten.status, overwritten.json()["error"]["code"]) == (409, "DeploymentActive")
    assert cancelled.status == 204
    assert azure.ask("GET", PATH).json()["properties"]["provisioningState"] == "Canceled"
    assert again.status == 409
    assert [row["name"] for row in azure.world["resources"]] == ["net"]


def test_a_record_can_be_read_exported_and_deleted(azure: Azure) -> None:
    assert azure.ask("HEAD", PATH).status == 404
    assert refusal(azure.deployments.deployments.get, "rg", "first")[:2] == (404, "DeploymentNotFound")
    azure.ask("PUT", PATH, body(a_security_group()))
    azure.wait(60)

    listed = [row.name for row in azure.deployments.deployments.list_by_resource_group("rg")]
    exported = azure.ask("POST", PATH.replace("?", "/exportTemplate?")).json()
    begun = azure.ask("DELETE", PATH)
    running = azure.ask("GET", begun.headers["Location"])
    azure.wait(15)
    over = azure.ask("GET", begun.headers["Location"])

    assert listed == ["first"]
    assert exported == {"template": a_template(a_security_group())}
    assert (begun.status, running.status, over.status, azure.ask("HEAD", PATH).status) == (202, 202, 204, 404)
    assert azure.ask("GET", network_path("networkSecurityGroups/nsg")).status == 200


def test_a_template_is_hashed_without_its_metadata(azure: Azure) -> None:
    plain, told = (a_template(a_security_group(), **parts) for parts in ({}, {"metadata": {"author": "somebody"}}))

    one, other = (azure.deployments.deployments.calculate_template_hash(each) for each in (plain, told))

    assert one.template_hash == other.template_hash
    assert str(one.template_hash).isdecimal()
    assert '"METADATA":{"AUTHOR":"SOMEBODY"}' in str(other.minified_template)


def test_records_are_listed_by_state(azure: Azure) -> None:
    azure.ask("PUT", PATH, body(a_security_group()))
    azure.ask("PUT", PATH.replace("/first?", "/second?"), body(a_subnet("no/s", needs=())))
    azure.wait(60)
    list_by = azure.deployments.deployments.list_by_resource_group

    assert [row.name for row in list_by("rg", filter="provisioningState eq 'Failed'")] == ["second"]
    assert [row.name for row in list_by("rg", top=1)] == ["first", "second"]


@pytest.mark.parametrize(
    ("properties", "code"),
    [
        ({"templateLink": {"uri": "https://example.com/main.json"}}, "InvalidContentLink"),
        ({"template": a_template(), "onErrorDeployment": {"type": "LastSuccessful"}}, "InvalidRequestContent"),
        ({"template": a_template(), "parametersLink": {"uri": "https://example.com/p.json"}}, "InvalidRequestContent"),
    ],
)
def test_what_is_not_simulated_is_refused_and_says_so(azure: Azure, properties: Any, code: str) -> None:
    answer = azure.ask("PUT", PATH, {"properties": {"mode": "Incremental", **properties}})

    error = answer.json()["error"]
    assert (answer.status, error["code"]) == (400, code)
    assert "simulat" in error["message"]


def test_complete_mode_tells_of_its_cleaning(azure: Azure) -> None:
    azure.ask("PUT", PATH, body(a_security_group(), mode="Complete"))
    azure.wait(60)

    rows = azure.ask("GET", PATH.replace("?", "/operations?")).json()["value"]

    assert [row["properties"]["provisioningOperation"] for row in rows] == [
        "EvaluateDeploymentOutput",
        "DeploymentCleanup",
        "Create",
    ]
