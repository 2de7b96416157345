"""Deployments and stacks as their clients drive them: validate, what-if, operations, cancel, export, unmanage."""

from __future__ import annotations

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from tests.simulator.azure import (
    Azure,
    Json,
    a_scale_set,
    a_security_group,
    a_stack,
    a_template,
    azure_with_a_network,
    group_id,
    network_id,
    refusal,
)

NSG = network_id("networkSecurityGroups/nsg")
LOCK = f"{group_id()}/providers/Microsoft.Authorization/locks/keep"


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def body(*resources: Json, mode: str = "Incremental", **parts: Any) -> Json:
    return {"properties": {"mode": mode, "template": a_template(*resources, **parts)}}


def at_subscription(*resources: Json, **parts: Any) -> Json:
    return {"location": "eastus", **body(*resources, **parts)}


def a_set(nodes: int = 1) -> Json:
    row = {"type": "Microsoft.Compute/virtualMachineScaleSets", "apiVersion": "2025-04-01", "name": "train"}
    return {**row, **a_scale_set(nodes)}


def deploy(azure: Azure, name: str, given: Json) -> Json:
    found: Json = azure.finish(azure.deployments.deployments.begin_create_or_update, "rg", name, given).as_dict()
    return found


# --- deployments of a group ---


def test_a_group_deployment_lives_from_validation_to_deletion(azure: Azure) -> None:
    deployments: Any = azure.deployments.deployments
    operations = azure.deployments.deployment_operations
    given = body(a_security_group(), outputs={"ID": {"type": "string", "value": "[resourceId('a/b', 'c')]"}})

    valid = deployments.begin_validate("rg", "unit", given).result().as_dict()
    absent = deployments.check_existence("rg", "unit")
    made = deploy(azure, "unit", given)
    exported = deployments.export_template("rg", "unit").as_dict()
    listed = [row.name for row in deployments.list_by_resource_group("rg", filter="provisioningState eq 'Succeeded'")]
    rows = list(operations.list("rg", "unit"))
    one = operations.get("rg", "unit", str(rows[0].operation_id))
    azure.finish(deployments.begin_delete, "rg", "unit")

    assert [each["id"] for each in valid["properties"]["validatedResources"]] == [NSG]
    assert (valid["properties"]["provisioningState"], absent) == ("Succeeded", False)
    assert made["properties"]["outputResources"] == [{"id": NSG}]
    assert list(made["properties"]["outputs"]) == ["id"]
    assert exported["template"] == given["properties"]["template"]
    assert listed == ["unit"]
    assert sorted(row.as_dict()["properties"]["provisioningOperation"] for row in rows) == [
        "Create",
        "EvaluateDeploymentOutput",
    ]
    assert one.as_dict() == rows[0].as_dict()
    assert deployments.check_existence("rg", "unit") is False
    assert azure.network.network_security_groups.get("rg", "nsg").name == "nsg", "a record's deletion deletes nothing"


def test_what_if_tells_what_a_deployment_would_do(azure: Azure) -> None:
    deployments: Any = azure.deployments.deployments
    deploy(azure, "unit", body(a_security_group()))

    def foreseen(*resources: Json, mode: str = "Incremental") -> dict[str, str]:
        result: Any = deployments.begin_what_if("rg", "unit", body(*resources, mode=mode)).result().as_dict()
        assert result["status"] == "Succeeded"
        return {each["resourceId"].rpartition("/")[2]: each["changeType"] for each in result["properties"]["changes"]}

    other, changed = a_security_group("other"), a_security_group(tags={"a": "b"})
    assert foreseen(a_security_group()) == {"nsg": "NoChange"}
    assert foreseen(changed, other) == {"nsg": "Modify", "other": "Create"}
    assert foreseen(other) == {"nsg": "Ignore", "other": "Create"}
    assert foreseen(other, mode="Complete") == {"nsg": "Delete", "other": "Create"}
    assert [row.name for row in azure.network.network_security_groups.list("rg")] == ["nsg"]


def test_complete_mode_deletes_what_is_not_stated(azure: Azure) -> None:
    deploy(azure, "unit", body(a_security_group("one"), a_security_group("two")))
    deploy(azure, "unit", body(a_security_group("two"), mode="Complete"))

    assert [row.name for row in azure.network.network_security_groups.list("rg")] == ["two"]


def test_a_running_deployment_is_cancelled_and_cannot_be_written_or_deleted_before() -> None:
    azure = azure_with_a_network()
    deployments = azure.deployments.deployments
    started = azure.start(deployments.begin_create_or_update, "rg", "unit", body(a_set()))
    azure.wait(5)

    assert refusal(deployments.begin_create_or_update, "rg", "unit", body())[:2] == (409, "DeploymentActive")
    assert refusal(deployments.begin_delete, "rg", "unit")[0] == 409
    deployments.cancel("rg", "unit")
    azure.wait(5)
    assert azure.status_of(started) == "Canceled"
    assert refusal(deployments.cancel, "rg", "unit")[:2] == (409, "DeploymentCannotBeCancelled")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (body({"type": "Microsoft.Network/networkSecurityGroups", "name": "x"}), "InvalidTemplate"),
        (body(a_security_group(dependsOn=["none"])), "InvalidTemplate"),
        (body(a_security_group(apiVersion="2000-01-01")), "NoRegisteredProviderFound"),
        (body(parameters={"p": {"type": "string"}}), "InvalidTemplate"),
        (body(outputs={"o": {"type": "string", "value": "[nothing()]"}}), "InvalidTemplate"),
        ({"properties": {"mode": "Odd", "template": a_template()}}, "InvalidRequestContent"),
        ({"location": "eastus", **body()}, "InvalidDeployment"),
    ],
)
def test_a_template_that_cannot_be_is_refused_alike_by_validation_and_by_the_write(
    azure: Azure, given: Json, code: str
) -> None:
    deployments = azure.deployments.deployments

    refused = [
        refusal(begin, "rg", "unit", given)[:2]
        for begin in (deployments.begin_validate, deployments.begin_create_or_update)
    ]

    assert refused == [(400, code), (400, code)]
    assert list(deployments.list_by_resource_group("rg")) == []


def test_quota_is_found_out_before_anything_starts() -> None:
    azure = azure_with_a_network()
    azure.set_world(quota={"eastus": {"standardNDSH100v5Family": 96}})

    with pytest.raises(HttpResponseError) as found:
        azure.finish(azure.deployments.deployments.begin_validate, "rg", "unit", body(a_set(2)))

    assert found.value.error is not None
    assert found.value.error.code == "InvalidTemplateDeployment"
    assert [each.code for each in found.value.error.details] == ["QuotaExceeded"]


def test_800_records_fill_a_history_that_a_lock_keeps_from_being_cleared(azure: Azure) -> None:
    level = {"properties": {"level": "CanNotDelete"}}
    azure.finish(
        azure.resources.resources.begin_create_or_update_by_id, LOCK, api_version="2020-05-01", parameters=level
    )
    for number in range(800):
        azure.start(azure.deployments.deployments.begin_create_or_update, "rg", f"d{number}", body())
        azure.wait(4)

    refused = refusal(azure.deployments.deployments.begin_create_or_update, "rg", "last", body())

    assert refused[:2] == (409, "DeploymentQuotaExceeded")
    assert len(list(azure.deployments.deployments.list_by_resource_group("rg"))) == 800


# --- deployments of the subscription ---


def test_a_subscription_deployment_makes_groups_and_what_is_in_them(azure: Azure) -> None:
    deployments: Any = azure.deployments.deployments
    operations = azure.deployments.deployment_operations
    group = {
        "type": "Microsoft.Resources/resourceGroups",
        "apiVersion": "2025-04-01",
        "name": "made",
        "location": "eastus",
        "properties": {},
    }
    module = {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": "inside",
        "resourceGroup": "made",
        "dependsOn": ["made"],
        "properties": {"mode": "Incremental", "template": a_template(a_security_group())},
    }
    given = at_subscription(group, module)

    valid = deployments.begin_validate_at_subscription_scope("sub", given).result().as_dict()
    foreseen: Any = deployments.begin_what_if_at_subscription_scope("sub", given).result().as_dict()
    azure.finish(deployments.begin_create_or_update_at_subscription_scope, "sub", given)

    assert valid["properties"]["provisioningState"] == "Succeeded"
    assert {each["changeType"] for each in foreseen["properties"]["changes"]} == {"Create"}
    assert [row.name for row in azure.network.network_security_groups.list("made")] == ["nsg"]
    assert deployments.check_existence("made", "inside") is True
    assert len(list(operations.list_at_subscription_scope("sub"))) == 3
    assert (
        deployments.export_template_at_subscription_scope("sub").as_dict()["template"]
        == given["properties"]["template"]
    )
    assert [row.name for row in deployments.list_at_subscription_scope()] == ["sub"]
    azure.finish(deployments.begin_delete_at_subscription_scope, "sub")
    assert deployments.check_existence_at_subscription_scope("sub") is False


def test_a_subscription_deployment_can_be_cancelled(azure: Azure) -> None:
    azure.make_network()
    deployments = azure.deployments.deployments
    module = {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": "inside",
        "resourceGroup": "rg",
        "properties": {"mode": "Incremental", "template": a_template(a_set())},
    }
    started = azure.start(deployments.begin_create_or_update_at_subscription_scope, "sub", at_subscription(module))
    azure.wait(8)
    deployments.cancel_at_subscription_scope("sub")
    azure.wait(8)

    assert azure.status_of(started) == "Canceled"
    inside = deployments.get("rg", "inside").properties
    assert inside is not None
    assert inside.provisioning_state == "Canceled"


# --- stacks ---


def put_stack(azure: Azure, *resources: Json, name: str = "unit", **parts: Any) -> Json:
    begin = azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group
    found: Json = azure.finish(begin, "rg", name, a_stack(*resources, **parts)).as_dict()
    properties: Json = found["properties"]
    return properties


def guards(azure: Azure) -> list[str]:
    return sorted(str(row.name) for row in azure.network.network_security_groups.list("rg"))


def test_a_stack_is_validated_made_read_listed_and_exported(azure: Azure) -> None:
    stacks: Any = azure.stacks.deployment_stacks
    valid: Any = stacks.begin_validate_stack_at_resource_group("rg", "unit", a_stack(a_security_group())).result()
    before = list(stacks.list_at_resource_group("rg"))
    made = put_stack(azure, a_security_group())

    assert [each["id"] for each in valid.as_dict()["properties"]["validatedResources"]] == [NSG]
    assert before == []
    assert (made["provisioningState"], [each["id"] for each in made["resources"]]) == ("succeeded", [NSG])
    assert stacks.get_at_resource_group("rg", "unit").as_dict()["properties"] == made
    assert [row.name for row in stacks.list_at_resource_group("rg")] == ["unit"]
    exported: Any = stacks.export_template_at_resource_group("rg", "unit").as_dict()
    assert exported["template"] == a_template(a_security_group())


def test_values_of_one_set_come_back_in_two_casings_and_outputs_in_a_third(azure: Azure) -> None:
    stacks: Any = azure.stacks.deployment_stacks
    given = a_stack(a_security_group(), outputs={"STORAGE_ACCOUNT_ID": {"type": "string", "value": "x"}})

    valid = stacks.begin_validate_stack_at_resource_group("rg", "unit", given).result().as_dict()["properties"]
    made = azure.finish(stacks.begin_create_or_update_at_resource_group, "rg", "unit", given).as_dict()["properties"]

    def said(properties: Json) -> tuple[str, str]:
        return properties["actionOnUnmanage"]["resources"], properties["denySettings"]["mode"]

    assert (said(valid), said(made)) == (("Detach", "None"), ("detach", "none"))
    assert list(made["outputs"]) == ["storagE_ACCOUNT_ID"]


def test_a_template_that_is_refused_is_told_by_validation_as_an_error(azure: Azure) -> None:
    stacks: Any = azure.stacks.deployment_stacks

    with pytest.raises(HttpResponseError) as found:
        stacks.begin_validate_stack_at_resource_group("rg", "unit", a_stack(a_security_group(dependsOn=["x"]))).result()

    assert "InvalidTemplate" in str(found.value)


@pytest.mark.parametrize(("unmanaged", "left"), [("detach", ["one", "two"]), ("delete", ["two"])])
def test_what_a_stack_no_longer_states_is_let_go_or_deleted(azure: Azure, unmanaged: str, left: list[str]) -> None:
    put_stack(azure, a_security_group("one"), a_security_group("two"), unmanaged=unmanaged)
    after = put_stack(azure, a_security_group("two"), unmanaged=unmanaged)

    key = {"detach": "detachedResources", "delete": "deletedResources"}[unmanaged]
    assert [each["id"].rpartition("/")[2] for each in after[key]] == ["one"]
    assert guards(azure) == left


@pytest.mark.parametrize(("unmanaged", "left"), [("detach", ["nsg"]), ("delete", [])])
def test_a_stack_goes_with_or_without_what_it_manages(azure: Azure, unmanaged: str, left: list[str]) -> None:
    stacks: Any = azure.stacks.deployment_stacks
    put_stack(azure, a_security_group())

    azure.finish(stacks.begin_delete_at_resource_group, "rg", "unit", unmanage_action_resources=unmanaged)

    assert guards(azure) == left
    assert refusal(stacks.get_at_resource_group, "rg", "unit")[1] == "DeploymentStackResourceNotFound"


def test_a_stack_that_works_can_be_neither_written_nor_deleted(azure: Azure) -> None:
    stacks: Any = azure.stacks.deployment_stacks
    azure.start(stacks.begin_create_or_update_at_resource_group, "rg", "unit", a_stack(a_security_group()))

    code = "DeploymentStackInNonTerminalState"
    assert refusal(stacks.begin_create_or_update_at_resource_group, "rg", "unit", a_stack())[:2] == (409, code)
    assert refusal(stacks.begin_delete_at_resource_group, "rg", "unit")[:2] == (409, code)


@pytest.mark.parametrize("listed", [False, True])
def test_a_creation_that_failed_is_listed_or_not(azure: Azure, listed: bool) -> None:
    azure.control.set(failedResourcesAreManaged=listed)
    azure.control.fault("fail-operation", match={"url": "/networkSecurityGroups/"}, code="Odd")

    with pytest.raises(HttpResponseError):
        put_stack(azure, a_security_group())

    found: Any = azure.stacks.deployment_stacks.get_at_resource_group("rg", "unit").as_dict()["properties"]
    assert found["provisioningState"] == "failed"
    assert [each["id"] for each in found["resources"]] == ([NSG] if listed else [])
    assert [each["id"] for each in found["failedResources"]] == [NSG]


def test_deny_settings_keep_others_off(azure: Azure) -> None:
    given = a_stack(a_security_group())
    given["properties"]["denySettings"] = {"mode": "denyWriteAndDelete"}
    azure.finish(azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group, "rg", "unit", given)
    groups = azure.network.network_security_groups

    assert refusal(groups.begin_delete, "rg", "nsg")[:2] == (403, "DenyAssignmentAuthorizationFailed")
    assert refusal(groups.begin_create_or_update, "rg", "nsg", {"location": "eastus", "properties": {}})[0] == 403
