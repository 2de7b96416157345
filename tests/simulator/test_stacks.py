"""Deployment stacks at group scope."""

from __future__ import annotations

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from tests.simulator.azure import (
    HOST,
    SCHEMA,
    SUBSCRIPTION,
    Azure,
    a_scale_set,
    a_security_group,
    a_stack,
    azure_with_a_network,
    group_id,
    network_id,
    refusal,
    set_id,
)

STACK = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit"
PATH = f"{STACK}?api-version=2025-07-01"


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def put(azure: Azure, *resources: Any, wait: float = 120, **parts: Any) -> Any:
    answer = azure.ask("PUT", PATH, a_stack(*resources, **parts))
    azure.wait(wait)
    return answer


def shown(azure: Azure) -> Any:
    return azure.ask("GET", PATH).json()["properties"]


def names(azure: Azure) -> list[str]:
    return [row["name"] for row in azure.world["resources"]]


def managed(azure: Azure) -> list[str]:
    return [row["id"].split("/")[-1] for row in shown(azure)["resources"]]


def test_a_stack_goes_through_its_states(azure: Azure) -> None:
    begin = azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group

    started = azure.start(begin, "rg", "unit", a_stack(a_security_group()))
    seen = []
    for _ in range(5):
        seen.append((azure.status_of(started), shown(azure)["provisioningState"]))
        azure.wait(4)

    region = f"{HOST}/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Resources/locations/eastus"
    assert started.status == 201
    assert started.poll.startswith(f"{region}/deploymentStackOperationStatus/")
    assert "Location" not in started.headers
    assert "Retry-After" not in started.headers
    assert started.body["properties"]["provisioningState"] == "initializing"
    expected = ("initializing", "initializing", "deploying", "deploying", "succeeded")
    assert seen == [(name, name) for name in expected]
    assert azure.ask("GET", started.poll).json() == {
        "id": f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Resources/locations/eastus/"
        f"deploymentStackOperationStatus/{started.headers['x-ms-request-id']}",
        "name": started.headers["x-ms-request-id"],
        "status": "succeeded",
    }


def test_a_finished_stack_is_shown_whole(azure: Azure) -> None:
    parameters = {"unit": {"value": {"digest": "x"}}, "key": {"value": "canary"}}
    declared = {"unit": {"type": "object"}, "key": {"type": "secureString"}}
    body = {**a_stack(a_security_group(), parameters=parameters), "tags": {"owner": "ml"}}
    body["properties"]["template"]["parameters"] = declared
    azure.ask("PUT", PATH, body, **{"x-ms-correlation-request-id": "c0ffee"})
    azure.wait(60)

    found = azure.ask("GET", PATH).json()
    deployment = found["properties"]["deploymentId"]

    assert deployment.startswith(f"{group_id()}/providers/Microsoft.Resources/deployments/unit-26120100")
    assert azure.ask("HEAD", f"{deployment}?api-version=2025-04-01").status == 204
    assert found == {
        "tags": {"owner": "ml"},
        "properties": {
            "actionOnUnmanage": {
                "resources": "detach",
                "resourceGroups": "detach",
                "managementGroups": "detach",
                "resourcesWithoutDeleteSupport": "fail",
            },
            "deploymentId": deployment,
            "duration": "PT16S",
            "denySettings": {
                "mode": "none",
                "applyToChildScopes": False,
                "excludedPrincipals": [],
                "excludedActions": [],
            },
            "parameters": {
                "unit": {"value": {"digest": "x"}, "type": "object"},
                "key": {"type": "securestring", "value": ""},
            },
            "resources": [{"status": "managed", "denyStatus": "none", "id": network_id("networkSecurityGroups/nsg")}],
            "provisioningState": "succeeded",
            "detachedResources": [],
            "deletedResources": [],
            "failedResources": [],
            "correlationId": "c0ffee",
        },
        "systemData": {
            "createdBy": "someone@example.com",
            "createdByType": "User",
            "createdAt": "2026-12-01T00:00:00.0000000Z",
            "lastModifiedBy": "someone@example.com",
            "lastModifiedByType": "User",
            "lastModifiedAt": "2026-12-01T00:00:00.0000000Z",
        },
        "id": STACK,
        "type": "Microsoft.Resources/deploymentStacks",
        "name": "unit",
    }


def test_a_stack_needs_no_resources(azure: Azure) -> None:
    put(azure)

    assert shown(azure)["provisioningState"] == "succeeded"


def test_what_is_left_out_is_let_go_where_the_stack_detaches(azure: Azure) -> None:
    put(azure, a_security_group("a"), a_security_group("b"))
    answer = put(azure, a_security_group("b"))

    assert answer.status == 200
    assert managed(azure) == ["b"]
    assert shown(azure)["detachedResources"] == [{"id": network_id("networkSecurityGroups/a")}]
    assert names(azure) == ["a", "b"]


def test_what_is_left_out_is_deleted_where_the_stack_deletes(azure: Azure) -> None:
    put(azure, a_security_group("a"), a_security_group("b"))
    put(azure, a_security_group("b"), unmanaged="delete")

    assert managed(azure) == ["b"]
    assert shown(azure)["deletedResources"] == [{"id": network_id("networkSecurityGroups/a")}]
    assert names(azure) == ["b"]


def test_a_stack_cannot_be_written_while_it_works(azure: Azure) -> None:
    put(azure, a_security_group(), wait=1)

    answer = azure.ask("PUT", PATH, a_stack())
    deleted = azure.ask("DELETE", PATH)

    assert (answer.status, deleted.status) == (409, 409)
    assert answer.json()["error"] == {
        "code": "DeploymentStackInNonTerminalState",
        "message": f"The deployment stack '{STACK}' could not be updated as it is currently in a non-terminal state "
        "'Initializing'.",
    }


def test_a_failed_stack_keeps_its_parameters_and_says_why() -> None:
    azure = azure_with_a_network()
    kind = "Microsoft.Compute/virtualMachineScaleSets"
    bad = {"type": kind, "apiVersion": "2025-11-01", "name": "train", **a_scale_set(nodes=2, size="Standard_None")}
    declared = {"unit": {"type": "string"}}

    body = a_stack(a_security_group(), bad, parameters={"unit": {"value": "x"}})
    body["properties"]["template"]["parameters"] = declared
    answer = azure.ask("PUT", PATH, body)
    azure.wait(60)

    poll = azure.ask("GET", answer.headers["Azure-AsyncOperation"]).json()
    found = shown(azure)
    assert answer.status == 201
    error = found["error"]
    assert (poll["status"], found["provisioningState"]) == ("failed", "failed")
    assert poll["error"] == error
    assert found["parameters"] == {"unit": {"value": "x", "type": "string"}}
    assert error["code"] == "DeploymentStackDeploymentFailed"
    assert error["details"][0]["code"] == "DeploymentFailed"
    assert (error["details"][0]["details"][0]["code"], error["details"][0]["details"][0]["target"]) == (
        "InvalidParameter",
        set_id(),
    )
    assert managed(azure) == ["nsg"]
    assert [row["id"] for row in found["failedResources"]] == [set_id()]


def test_a_template_that_is_refused_fails_the_stack_and_not_the_request(azure: Azure) -> None:
    answer = put(azure, a_security_group(dependsOn=["none"]))

    found = shown(azure)
    assert (answer.status, found["provisioningState"]) == (201, "failed")
    assert found["error"]["details"][0]["code"] == "InvalidTemplate"


def test_a_resource_that_failed_is_managed_or_not_as_the_tester_says() -> None:
    listed = {}
    for switch in (False, True):
        azure = Azure()
        azure.make_group()
        azure.set_world(settings={"failedResourcesAreManaged": switch})
        azure.ask(
            "POST",
            "/_simulator/faults",
            {"match": {"url": "/networkSecurityGroups/"}, "effect": "fail-operation", "code": "Odd"},
        )
        put(azure, a_security_group())
        listed[switch] = managed(azure)

    assert listed == {False: [], True: ["nsg"]}


def test_deleting_a_stack_lets_its_resources_go_at_once(azure: Azure) -> None:
    put(azure, a_security_group())

    answer = azure.ask("DELETE", f"{PATH}&unmanageAction.Resources=detach")

    assert (answer.status, answer.body) == (200, b"")
    assert azure.ask("GET", PATH).status == 404
    assert azure.ask("DELETE", PATH).status == 204
    assert names(azure) == ["nsg"]


def test_deleting_a_stack_with_its_resources_takes_time_and_the_right_order() -> None:
    azure = azure_with_a_network()
    kind = "Microsoft.Compute/virtualMachineScaleSets"
    train = {"type": kind, "apiVersion": "2025-11-01", "name": "train", **a_scale_set(nodes=2)}
    network = azure.ask("GET", f"{network_id('virtualNetworks/net')}?api-version=2025-05-01").json()
    again = {key: network[key] for key in ("type", "name", "location")} | {"apiVersion": "2025-05-01"}
    again["properties"] = {"addressSpace": network["properties"]["addressSpace"]}
    put(azure, again, {**train, "dependsOn": ["net"]}, wait=400)

    started = azure.start(
        azure.stacks.deployment_stacks.begin_delete_at_resource_group, "rg", "unit", unmanage_action_resources="delete"
    )
    during = shown(azure)["provisioningState"]
    azure.wait(200)

    assert (started.status, during) == (202, "deletingResources")
    assert azure.status_of(started) == "succeeded"
    assert azure.world["resources"] == []
    assert azure.world["stacks"] == []


def test_an_absent_stack_is_reported_by_stacks_themselves(azure: Azure) -> None:
    found = refusal(azure.stacks.deployment_stacks.get_at_resource_group, "rg", "unit")

    assert found == (
        404,
        "DeploymentStackResourceNotFound",
        f"The deployment stack '{STACK}' could not be found.",
    )


@pytest.mark.parametrize("missing", ["actionOnUnmanage", "denySettings"])
def test_a_body_without_its_decisions_is_refused(azure: Azure, missing: str) -> None:
    body = a_stack()
    del body["properties"][missing]

    assert azure.ask("PUT", PATH, body).status == 400


def test_stacks_can_be_listed_and_exported(azure: Azure) -> None:
    put(azure, a_security_group())

    listed = [row.name for row in azure.stacks.deployment_stacks.list_at_resource_group("rg")]
    exported = azure.ask("POST", PATH.replace("?", "/exportTemplate?")).json()

    assert listed == ["unit"]
    assert exported["template"]["resources"] == [a_security_group()]


def test_validation_is_a_job_whose_end_is_the_answer(azure: Azure) -> None:
    good = azure.ask("POST", PATH.replace("?", "/validate?"), a_stack(a_security_group()))
    bad = azure.ask("POST", PATH.replace("?", "/validate?"), a_stack(a_security_group(dependsOn=["none"])))
    running = azure.ask("GET", good.headers["Location"])
    azure.wait(5)
    over, refused = azure.ask("GET", good.headers["Location"]), azure.ask("GET", bad.headers["Location"])

    assert (good.status, running.status, "Location" in running.headers) == (202, 202, False)
    assert "/deploymentStackOperationResults/" in good.headers["Location"]
    properties = over.json()["properties"]
    assert (over.status, properties["validatedResources"]) == (200, [{"id": network_id("networkSecurityGroups/nsg")}])
    assert properties["denySettings"]["mode"] == "None"
    assert properties["actionOnUnmanage"]["resources"] == "Detach"
    assert (refused.status, refused.json()["error"]["code"], refused.json()["properties"]) == (
        400,
        "InvalidTemplate",
        {},
    )
    assert azure.world["stacks"] == []


def test_one_stack_put_is_a_lock(azure: Azure) -> None:
    first = put(azure, wait=30)
    second = put(azure, wait=30)

    assert (first.status, second.status) == (201, 200)


def a_group_inside(name: str = "made", **parts: Any) -> Any:
    """Return a nested deployment into the subscription that makes a resource group: a stack can hold one so."""
    group = {
        "type": "Microsoft.Resources/resourceGroups",
        "apiVersion": "2025-04-01",
        "name": name,
        "location": "eastus",
    }
    template = {"$schema": SCHEMA, "contentVersion": "1.0.0.0", "resources": [group]}
    return {
        "type": "Microsoft.Resources/deployments",
        "apiVersion": "2025-04-01",
        "name": f"make-{name}",
        "subscriptionId": SUBSCRIPTION,
        "location": "eastus",
        "properties": {"mode": "Incremental", "template": template},
        **parts,
    }


def inside(name: str = "made") -> Any:
    """Return a nested deployment that puts a security group into a resource group."""
    nested = a_group_inside(name, resourceGroup=name, dependsOn=[f"make-{name}"]) | {"name": f"fill-{name}"}
    del nested["location"]
    nested["properties"]["template"]["resources"] = [a_security_group("deep")]
    return nested


def unmanaging(resources: str, groups: str, *template: Any) -> Any:
    body = a_stack(*template)
    body["properties"]["actionOnUnmanage"] = {"resources": resources, "resourceGroups": groups}
    return body


def test_a_stack_manages_groups_and_what_it_puts_into_them(azure: Azure) -> None:
    put(azure, a_group_inside(), inside())

    assert sorted(each["id"] for each in shown(azure)["resources"]) == [
        group_id("made"),
        network_id("networkSecurityGroups/deep", "made"),
    ]


@pytest.mark.parametrize(
    ("resources", "groups", "left"),
    [("detach", "detach", ["made", "deep"]), ("delete", "detach", ["made"]), ("delete", "delete", [])],
)
def test_groups_and_resources_are_let_go_apart(azure: Azure, resources: str, groups: str, left: list[str]) -> None:
    put(azure, a_group_inside(), inside())

    azure.ask("PUT", PATH, unmanaging(resources, groups))
    azure.wait(300)

    found = shown(azure)
    there = [row["name"] for row in (*azure.world["resourceGroups"], *azure.world["resources"]) if row["name"] != "rg"]
    detached = [each["id"].rpartition("/")[2] for each in found["detachedResources"]]
    deleted = [each["id"].rpartition("/")[2] for each in found["deletedResources"]]
    assert (found["provisioningState"], managed(azure), there) == ("succeeded", [], left)
    assert (sorted(detached), sorted(deleted)) == (sorted(left), sorted({"made", "deep"} - set(left)))


@pytest.mark.parametrize(("groups", "left"), [("detach", ["made", "rg"]), ("delete", ["rg"])])
def test_deleting_a_stack_may_take_its_groups_along(azure: Azure, groups: str, left: list[str]) -> None:
    put(azure, a_group_inside(), inside())
    begin = azure.stacks.deployment_stacks.begin_delete_at_resource_group

    started = azure.start(
        begin, "rg", "unit", unmanage_action_resources="delete", unmanage_action_resource_groups=groups
    )
    azure.wait(300)

    assert azure.status_of(started) == "succeeded"
    assert [row["name"] for row in azure.world["resourceGroups"]] == left
    assert azure.world["resources"] == []


def test_groups_do_not_go_where_resources_stay(azure: Azure) -> None:
    put(azure, a_security_group())

    written = azure.ask("PUT", PATH, unmanaging("detach", "delete"))
    deleted = azure.ask("DELETE", f"{PATH}&unmanageAction.Resources=detach&unmanageAction.ResourceGroups=delete")

    assert (written.status, deleted.status) == (400, 400)
    assert "cannot be 'delete' where" in written.json()["error"]["message"]


def test_a_member_that_will_not_go_is_named(azure: Azure) -> None:
    put(azure, a_security_group("a"), a_security_group("b"))
    lock = f"{network_id('networkSecurityGroups/a')}/providers/Microsoft.Authorization/locks/keep"
    azure.put(lock, {"properties": {"level": "CanNotDelete"}})
    begin = azure.stacks.deployment_stacks.begin_delete_at_resource_group

    started = azure.start(begin, "rg", "unit", unmanage_action_resources="delete")
    azure.wait(4000)

    found = shown(azure)
    error = azure.ask("GET", started.poll).json()["error"]
    assert (found["provisioningState"], error["code"]) == ("failed", "DeploymentStackDeleteResourcesFailed")
    assert [(each["code"], each["target"]) for each in error["details"]] == [
        ("ScopeLocked", network_id("networkSecurityGroups/a"))
    ]
    assert names(azure) == ["a"]


def test_a_stack_has_a_name_of_ninety_characters(azure: Azure) -> None:
    long = azure.ask("PUT", PATH.replace("/unit?", f"/{'x' * 91}?"), a_stack())

    assert (long.status, long.json()["error"]["code"]) == (400, "DeploymentStackNameInvalid")


def test_a_stack_without_a_template_is_answered_as_arm_answers() -> None:
    azure = Azure()
    azure.make_group()
    body = a_stack()
    stacks = azure.stacks.deployment_stacks

    nothing: Any = {}
    for template in (None, nothing):
        body["properties"]["template"] = template
        with pytest.raises(HttpResponseError):
            stacks.begin_create_or_update_at_resource_group("rg", "unit", body).result()
        found = stacks.get_at_resource_group("rg", "unit")

        assert found.properties is not None
        assert found.properties.provisioning_state == "failed"
        assert azure.ask("POST", PATH.replace("?", "/exportTemplate?")).status == 200
