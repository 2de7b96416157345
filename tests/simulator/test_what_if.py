"""What-if: what it foresees, in Azure's own shape, and the noise that it is known for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    HOST,
    SUBSCRIPTION,
    Azure,
    Json,
    a_scale_set,
    a_security_group,
    a_template,
    azure_with_a_network,
    group_id,
    network_id,
    set_id,
)

NSG = network_id("networkSecurityGroups/nsg")
NET = network_id("virtualNetworks/net")


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def a_body(template: Json, mode: str = "Incremental", given: Json | None = None, result: str | None = None) -> Json:
    settings = {"whatIfSettings": {"resultFormat": result}} if result else {}
    return {"properties": {"mode": mode, "template": template, "parameters": given or {}, **settings}}


def foreseen(
    azure: Azure,
    *resources: Json,
    mode: str = "Incremental",
    given: Json | None = None,
    result: str | None = None,
    **parts: Any,
) -> list[Json]:
    body = a_body(a_template(*resources, **parts), mode, given, result)
    found = azure.finish(azure.deployments.deployments.begin_what_if, "rg", "first", body)
    assert found.status == "Succeeded", found
    # The raw answer: the model of the client knows fewer keys than Azure sends.
    changes: list[Json] = found.as_dict()["properties"]["changes"]
    return changes


def deploy(azure: Azure, *resources: Json) -> None:
    azure.finish(azure.deployments.deployments.begin_create_or_update, "rg", "before", a_body(a_template(*resources)))


def a_guard(*rules: Json, **parts: Any) -> Json:
    return a_security_group(properties={"securityRules": list(rules)}, **parts)


def a_rule(name: str = "ssh", port: str = "22", **properties: Any) -> Json:
    stated = {
        "protocol": "Tcp",
        "access": "Allow",
        "direction": "Inbound",
        "priority": 100,
        "sourceAddressPrefix": "*",
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": port,
        **properties,
    }
    return {"name": name, "properties": stated}


def test_the_answer_is_a_job(azure: Azure) -> None:
    begun = azure.start(azure.deployments.deployments.begin_what_if, "rg", "first", a_body(a_template()))
    running = azure.ask("GET", begun.headers["Location"])
    azure.wait(20)
    over = azure.ask("GET", begun.headers["Location"])

    assert (begun.status, begun.body, begun.headers["Retry-After"]) == (202, None, "15")
    assert begun.headers["Location"].startswith(
        f"{HOST}/subscriptions/{SUBSCRIPTION}/operationresults/eyJqb2JJZCI6IkRlcGxveW1lbnRXaGF0SWZKb2It"
    )
    assert "Azure-AsyncOperation" not in begun.headers
    assert (running.status, running.body) == (202, b"")
    assert running.headers["Location"] == begun.headers["Location"]
    correlation = over.json()["properties"]["correlationId"]
    assert (over.status, over.json()) == (
        200,
        {"status": "Succeeded", "properties": {"correlationId": correlation, "changes": []}},
    )


def test_what_is_new_is_created(azure: Azure) -> None:
    found = foreseen(azure, a_security_group(tags={"b": "1", "A": "2"}))

    after = found[0]["after"]
    assert found == [{"resourceId": NSG, "changeType": "Create", "after": after}]
    assert list(after) == ["apiVersion", "id", "location", "name", "properties", "tags", "type"]
    assert (list(after["tags"]), after["name"], after["apiVersion"]) == (["A", "b"], "nsg", "2025-05-01")


def test_what_is_there_as_it_is_stated_does_not_change(azure: Azure) -> None:
    deploy(azure, a_guard(a_rule()))

    found = foreseen(azure, a_guard(a_rule()))

    assert [(each["changeType"], each["delta"]) for each in found] == [("NoChange", [])]
    assert found[0]["before"] == found[0]["after"]
    assert "provisioningState" not in str(found)


def test_what_differs_is_told_property_by_property(azure: Azure) -> None:
    deploy(azure, a_guard(a_rule(), a_rule("web", "80", priority=110), tags={"a": "1", "gone": "x"}))

    found = foreseen(azure, a_guard(a_rule(port="2222"), tags={"a": "2", "new": "y"}))[0]

    assert found["changeType"] == "Modify"
    kinds = {each["path"]: each for each in found["delta"]}
    assert kinds["tags.a"] == {"path": "tags.a", "propertyChangeType": "Modify", "before": "1", "after": "2"}
    assert kinds["tags.gone"] == {"path": "tags.gone", "propertyChangeType": "Delete", "before": "x"}
    assert kinds["tags.new"] == {"path": "tags.new", "propertyChangeType": "Create", "after": "y"}
    rules = kinds["properties.securityRules"]
    assert rules["propertyChangeType"] == "Array"
    first, second = rules["children"]
    port = {"path": "properties.destinationPortRange", "propertyChangeType": "Modify", "before": "22", "after": "2222"}
    assert (first["path"], first["propertyChangeType"]) == ("0", "Modify")
    assert port in first["children"]
    assert (second["path"], second["propertyChangeType"], second["before"]["name"]) == ("1", "Delete", "web")


def test_what_only_azure_sets_has_no_effect(azure: Azure) -> None:
    deploy(azure, a_guard(a_rule()))

    stated = a_guard(a_rule())
    stated["properties"]["provisioningState"] = "Failed"
    found = foreseen(azure, stated)[0]

    assert found["changeType"] == "NoChange"
    assert found["delta"] == [
        {"path": "properties.provisioningState", "propertyChangeType": "NoEffect", "after": "Failed"}
    ]


@pytest.mark.parametrize(("mode", "change"), [("Incremental", "Ignore"), ("Complete", "Delete")])
def test_what_the_template_does_not_have_is_left_or_deleted(azure: Azure, mode: str, change: str) -> None:
    deploy(azure, a_security_group("other"))

    found = {each["resourceId"]: each for each in foreseen(azure, a_security_group(), mode=mode)}

    other = found[network_id("networkSecurityGroups/other")]
    short = {
        "id": other["resourceId"],
        "location": "eastus",
        "name": "other",
        "type": "Microsoft.Network/networkSecurityGroups",
    }
    assert (other["changeType"], found[NSG]["changeType"]) == (change, "Create")
    assert {key: other["before"][key] for key in short} == short
    assert ("after" in other) == (change == "Ignore")


def test_ids_alone_tell_what_is_deployed_and_not_how(azure: Azure) -> None:
    deploy(azure, a_security_group())

    found = foreseen(azure, a_security_group(), a_security_group("new"), result="ResourceIdOnly")

    assert found == [
        {"resourceId": NSG, "changeType": "Deploy"},
        {"resourceId": network_id("networkSecurityGroups/new"), "changeType": "Create"},
    ]


def test_what_nobody_can_know_stays_text(azure: Azure) -> None:
    parameters = {
        "until": {"type": "string", "defaultValue": "[dateTimeAdd(utcNow('o'), 'PT1H')]"},
        "key": {"type": "securestring"},
    }
    tags = {"until": "[parameters('until')]", "key": "[parameters('key')]", "who": "[reference('other').x]"}

    found = foreseen(
        azure,
        a_security_group(tags=tags),
        a_security_group("other"),
        parameters=parameters,
        given={"key": {"value": "s"}},
    )

    assert found[0]["after"]["tags"] == {
        "key": "[parameters('key')]",
        "until": "[dateTimeAdd(utcNow('o'), 'PT1H')]",
        "who": "[reference('other').x]",
    }


def test_a_network_whose_subnets_are_resources_of_their_own_seems_to_lose_them() -> None:
    azure = azure_with_a_network()
    properties = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}
    net = {
        "type": "Microsoft.Network/virtualNetworks",
        "apiVersion": "2025-05-01",
        "name": "net",
        "location": "eastus",
        "properties": properties,
    }
    subnet = {
        "type": "Microsoft.Network/virtualNetworks/subnets",
        "apiVersion": "2025-05-01",
        "name": "net/nodes",
        "location": "eastus",
        "properties": {"addressPrefix": "10.0.0.0/24"},
    }

    network, nodes = foreseen(azure, net, subnet)

    lost = [(each["path"], each["propertyChangeType"]) for each in network["delta"]]
    assert ("properties.subnets", "Delete") in lost
    assert ("location", "Create") in [(each["path"], each["propertyChangeType"]) for each in nodes["delta"]]


def test_defaults_of_a_scale_set_that_are_known_make_no_noise_and_others_do() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    kind = "Microsoft.Compute/virtualMachineScaleSets"
    stated = {"type": kind, "apiVersion": "2025-11-01", "name": "train", **a_scale_set(nodes=3)}

    found = next(each for each in foreseen(azure, stated) if each["resourceId"] == set_id())

    paths = {each["path"]: each["propertyChangeType"] for each in found["delta"]}
    assert paths["sku.capacity"] == "Modify"
    assert not [
        path for path in paths if path.startswith(("properties.overprovision", "properties.uniqueId", "sku.tier"))
    ]
    assert "Delete" in paths.values()


def test_a_template_that_is_refused_makes_the_job_fail(azure: Azure) -> None:
    begun = azure.start(
        azure.deployments.deployments.begin_what_if,
        "rg",
        "first",
        a_body(a_template(a_security_group(dependsOn=["x"]))),
    )
    azure.wait(20)
    over = azure.ask("GET", begun.headers["Location"])

    assert (begun.status, over.status, over.json()["status"]) == (202, 200, "Failed")
    assert over.json()["error"]["code"] == "InvalidTemplate"


def test_a_subscription_sees_its_groups_and_modules() -> None:
    azure = Azure()
    module = {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": "inside",
        "resourceGroup": "made",
        "dependsOn": ["made"],
        "properties": {
            "expressionEvaluationOptions": {"scope": "inner"},
            "mode": "Incremental",
            "template": a_template(a_security_group()),
        },
    }
    group = {
        "type": "Microsoft.Resources/resourceGroups",
        "apiVersion": "2025-04-01",
        "name": "made",
        "location": "eastus",
    }
    body = {"location": "eastus", **a_body(a_template(group, module))}

    before = azure.finish(azure.deployments.deployments.begin_what_if_at_subscription_scope, "main", body)
    azure.finish(azure.deployments.deployments.begin_create_or_update_at_subscription_scope, "main", body)
    after = azure.finish(azure.deployments.deployments.begin_what_if_at_subscription_scope, "main", body)

    ids = [group_id("made"), network_id("networkSecurityGroups/nsg", "made")]
    assert [(each.resource_id, each.change_type) for each in before.properties.changes] == [
        (text, "Create") for text in ids
    ]
    assert [(each.resource_id, each.change_type) for each in after.properties.changes] == [
        (text, "NoChange") for text in ids
    ]


def test_what_has_no_name_yet_is_not_supported(azure: Azure) -> None:
    inner = a_template(a_security_group("[parameters('name')]"), parameters={"name": {"type": "string"}})
    module = {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": "inside",
        "properties": {
            "expressionEvaluationOptions": {"scope": "inner"},
            "mode": "Incremental",
            "parameters": {"name": {"value": "[reference('nsg').resourceGuid]"}},
            "template": inner,
        },
    }

    found = foreseen(azure, a_security_group(), module)

    assert [each["changeType"] for each in found] == ["Create", "Unsupported"]
    assert found[1]["resourceId"] == f"{group_id()}/providers/Microsoft.Resources/deployments/inside"
    assert "[parameters('name')]" in found[1]["unsupportedReason"]
