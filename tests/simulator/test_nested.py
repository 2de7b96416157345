"""Nested deployments: how a template reaches another group, and that nothing else does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    Json,
    a_security_group,
    a_stack,
    a_template,
    group_id,
    network_id,
)

PATH = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    for name in ("rg", "far"):
        made.make_group(name)
    return made


def nested(*resources: Json, group: str = "far", inner: bool = False, **parts: Any) -> Json:
    template = parts.pop("template", None) or a_template(*resources)
    properties = {"mode": "Incremental", "template": template, **parts.pop("properties", {})}
    if inner:
        properties["expressionEvaluationOptions"] = {"scope": "inner"}
    kind = "Microsoft.Resources/deployments"
    return {
        "type": kind,
        "apiVersion": "2025-04-01",
        "name": "there",
        "resourceGroup": group,
        "properties": properties,
        **parts,
    }


def put(azure: Azure, *resources: Json, **parts: Any) -> Any:
    azure.ask("PUT", PATH, a_stack(*resources, **parts))
    azure.wait(120)
    return azure.ask("GET", PATH).json()["properties"]


def ids(azure: Azure) -> list[str]:
    return [row["id"] for row in azure.world["resources"]]


def test_a_nested_deployment_writes_into_its_own_group(azure: Azure) -> None:
    stack = put(azure, a_security_group("here"), nested(a_security_group("there")))

    expected = [network_id("networkSecurityGroups/there", "far"), network_id("networkSecurityGroups/here")]
    assert (stack["provisioningState"], ids(azure)) == ("succeeded", expected)
    assert sorted(each["id"] for each in stack["resources"]) == sorted(expected)


def test_what_depends_on_it_waits_for_all_that_is_inside(azure: Azure) -> None:
    first = nested(a_security_group("a"), a_security_group("b", dependsOn=["a"]), dependsOn=["zero"])
    azure.ask("PUT", PATH, a_stack(a_security_group("zero"), a_security_group("last", dependsOn=["there"]), first))
    seen = []
    for _ in range(10):
        azure.wait(3)
        seen.append([text.rpartition("/")[2] for text in ids(azure)])

    assert seen[-1] == ["a", "b", "last", "zero"]
    assert [len(each) for each in seen] == sorted(len(each) for each in seen)
    assert ["a", "b", "zero"] in seen


@pytest.mark.parametrize("inner", [False, True])
def test_expressions_are_about_the_parameters_of_their_scope(azure: Azure, inner: bool) -> None:
    template = a_template(a_security_group("[parameters('name')]"), parameters={"name": {"type": "string"}})
    given = {"parameters": {"name": {"value": "inside"}}}
    stack = a_stack(nested(template=template, properties=given, inner=inner), parameters={"name": {"value": "outside"}})
    stack["properties"]["template"]["parameters"] = {"name": {"type": "string"}}

    azure.ask("PUT", PATH, stack)
    azure.wait(120)

    name = "inside" if inner else "outside"
    assert ids(azure) == [network_id(f"networkSecurityGroups/{name}", "far")]


def test_a_group_that_does_not_exist_fails_the_stack(azure: Azure) -> None:
    stack = put(azure, nested(a_security_group("there"), group="no"))

    assert (stack["provisioningState"], "ResourceGroupNotFound" in str(stack["error"])) == ("failed", True)


@pytest.mark.parametrize(
    "extra", [{"resourceGroup": "far"}, {"subscriptionId": SUBSCRIPTION}, {"scope": group_id("far")}]
)
def test_a_plain_resource_cannot_be_sent_into_another_group(azure: Azure, extra: Json) -> None:
    stack = put(azure, a_security_group("there", **extra))

    assert (stack["provisioningState"], "InvalidTemplate" in str(stack["error"])) == ("failed", True)
    assert ids(azure) == []


@pytest.mark.parametrize(
    "change",
    [{"name": 1}, {"resourceGroup": 1}, {"dependsOn": "x"}, {"properties": 1}, {"properties": {"template": 1}}],
)
def test_a_nested_deployment_that_is_none_is_refused(azure: Azure, change: Json) -> None:
    stack = put(azure, {**nested(a_security_group("a")), **change})

    assert stack["provisioningState"] == "failed"
