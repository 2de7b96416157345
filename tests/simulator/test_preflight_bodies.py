"""Bodies that providers refuse before a deployment starts."""

from __future__ import annotations

from typing import Any

import pytest

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
    set_id,
)

PATH = f"{group_id()}/providers/Microsoft.Resources/deployments/check"


def a_network(*prefixes: str, **parts: Any) -> Json:
    kind = {"type": "Microsoft.Network/virtualNetworks", "apiVersion": "2025-05-01", "name": "other"}
    properties = {"addressSpace": {"addressPrefixes": list(prefixes)}, **parts}
    return {**kind, "location": "eastus", "properties": properties}


def a_set(**changes: Any) -> Json:
    kind = {"type": "Microsoft.Compute/virtualMachineScaleSets", "apiVersion": "2025-11-01", "name": "train"}
    return {**kind, **a_scale_set(nodes=1, **changes)}


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def deploy(azure: Azure, *resources: Json, verb: str = "", **parts: Any) -> Any:
    body = {"properties": {"mode": "Incremental", "template": a_template(*resources, **parts)}}
    method = "POST" if verb else "PUT"
    return azure.ask(method, f"{PATH}{verb}?api-version=2025-04-01", body)


@pytest.mark.parametrize("verb", ["", "/validate"])
def test_a_body_that_a_provider_would_refuse_keeps_the_deployment_from_starting(azure: Azure, verb: str) -> None:
    answer = deploy(azure, a_network("10.9.0.1/16"), a_security_group(), verb=verb)

    error = answer.json()["error"]
    assert (answer.status, error["code"]) == (400, "InvalidTemplateDeployment")
    other = network_id("virtualNetworks/other")
    assert error["details"] == [
        {
            "target": other,
            "code": "InvalidCIDRNotation",
            "message": f"The address prefix 10.9.0.1/16 in resource {other} has an invalid CIDR notation. For the "
            "given prefix length, the address prefix should be 10.9.0.0/16.",
            "details": [],
        }
    ]
    azure.wait(60)
    assert azure.ask("GET", f"{network_id('networkSecurityGroups/nsg')}?api-version=2025-05-01").status == 404


def test_all_that_is_wrong_is_told_at_once(azure: Azure) -> None:
    error = deploy(
        azure,
        a_network("10.9.0.0/16", subnets=[{"name": "s", "properties": {"addressPrefix": "10.9.0.0"}}]),
        a_security_group(properties={"securityRules": [{"name": "r", "properties": {"priority": 1}}]}),
        a_set(profile={"osProfile": {"customData": "no"}}),
        {**a_security_group("n sg"), "properties": {"colour": 1}},
    ).json()["error"]

    assert sorted((each["code"], each["target"]) for each in error["details"]) == [
        ("InvalidAddressPrefixFormat", network_id("virtualNetworks/other")),
        ("InvalidParameter", "customData"),
        ("InvalidResourceName", network_id("networkSecurityGroups/n sg")),
        ("SecurityRuleParameterMissing", network_id("networkSecurityGroups/nsg")),
    ]


def test_positions_are_those_of_the_resource_and_not_of_the_template(azure: Azure) -> None:
    error = deploy(azure, a_security_group(properties={"colour": 1})).json()["error"]

    assert error["details"][0]["details"][0]["message"] == (
        "Could not find member 'colour' on object of type 'NetworkSecurityGroupProperties'. "
        "Path 'properties.colour', line 1, position 44."
    )


def test_what_hangs_on_other_resources_is_found_out_on_the_way(azure: Azure) -> None:
    far = {"networkSecurityGroup": {"id": network_id("networkSecurityGroups/none")}}
    subnets = [{"name": "s", "properties": {"addressPrefix": "10.9.0.0/24", **far}}]

    answer = deploy(azure, a_network("10.9.0.0/16", subnets=subnets))
    azure.wait(60)

    assert answer.status == 201
    shown = azure.ask("GET", f"{PATH}?api-version=2025-04-01").json()["properties"]
    assert (shown["provisioningState"], shown["error"]["details"][0]["code"]) == ("Failed", "InvalidResourceReference")


def test_what_is_left_out_of_a_set_that_exists_is_not_missed(azure: Azure) -> None:
    azure.make_scale_set(nodes=1)
    kind = {"type": "Microsoft.Compute/virtualMachineScaleSets", "apiVersion": "2025-11-01", "name": "train"}

    answer = deploy(azure, {**kind, "location": "eastus", "sku": {"name": a_scale_set()["sku"]["name"], "capacity": 2}})
    azure.wait(400)

    assert answer.status == 201
    assert azure.get(set_id())["sku"]["capacity"] == 2


def test_a_value_that_only_the_run_will_know_is_not_looked_at(azure: Azure) -> None:
    kept = f"[reference('{network_id('virtualNetworks/net')}', '2025-05-01').addressSpace.addressPrefixes[0]]"
    template = a_network(kept)

    assert deploy(azure, template).status == 201


def test_a_stack_fails_with_what_its_providers_say(azure: Azure) -> None:
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"

    azure.ask("PUT", path, a_stack(a_network("10.9.0.1/16")))
    azure.wait(60)

    error = azure.ask("GET", path).json()["properties"]["error"]
    assert "InvalidCIDRNotation" in str(error)
