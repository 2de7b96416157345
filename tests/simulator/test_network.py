"""Network resources: security groups, addresses, gateways, virtual networks, peerings."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    HOST,
    SUBSCRIPTION,
    Azure,
    a_scale_set,
    azure_with_a_network,
    network_id,
    network_path,
    refusal,
    subnet_id,
)

SSH = {
    "name": "ssh",
    "properties": {
        "priority": 100,
        "direction": "Inbound",
        "access": "Allow",
        "protocol": "Tcp",
        "sourcePortRange": "*",
        "sourceAddressPrefix": "203.0.113.0/24",
        "destinationPortRange": "22",
        "destinationAddressPrefix": "*",
    },
}
ADDRESS = {
    "location": "eastus",
    "sku": {"name": "Standard"},
    "properties": {"publicIPAllocationMethod": "Static"},
}


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def put(azure: Azure, kind_and_name: str, body: Any) -> Any:
    answer = azure.ask("PUT", network_path(kind_and_name), body)
    azure.wait(30)
    return answer


def get(azure: Azure, kind_and_name: str) -> Any:
    return azure.ask("GET", network_path(kind_and_name)).json()


def test_a_write_is_an_operation_in_networks_own_dialect(azure: Azure) -> None:
    body = {"location": "eastus", "properties": {}}
    started = azure.start(azure.network.network_security_groups.begin_create_or_update, "rg", "nsg", body)
    running = azure.ask("GET", started.poll)
    azure.wait(3)
    over = azure.ask("GET", started.poll)
    again = azure.start(azure.network.network_security_groups.begin_create_or_update, "rg", "nsg", body)

    assert (started.status, again.status) == (201, 200)
    assert started.body["properties"]["provisioningState"] == "Updating"
    assert started.headers["Retry-After"] == "3"
    assert started.headers["Azure-AsyncNotification"] == "Enabled"
    assert "Location" not in started.headers
    region = f"{HOST}/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Network/locations/eastus"
    assert started.poll.startswith(f"{region}/operations/{started.headers['x-ms-request-id']}?api-version=")
    assert (running.json(), over.json()) == ({"status": "InProgress"}, {"status": "Succeeded"})


def test_a_security_group_shows_its_rules_and_azures(azure: Azure) -> None:
    put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {"securityRules": [SSH]}})

    found = get(azure, "networkSecurityGroups/nsg")

    rule = found["properties"]["securityRules"][0]
    lists = ("sourcePortRanges", "destinationPortRanges", "sourceAddressPrefixes", "destinationAddressPrefixes")
    assert rule == {
        "name": "ssh",
        "id": network_id("networkSecurityGroups/nsg/securityRules/ssh"),
        "etag": found["etag"],
        "type": "Microsoft.Network/networkSecurityGroups/securityRules",
        "properties": {"provisioningState": "Succeeded", **SSH["properties"], **{name: [] for name in lists}},  # type: ignore[dict-item]  # SSH mixes values
    }
    defaults = found["properties"]["defaultSecurityRules"]
    assert [(each["properties"]["direction"], each["properties"]["priority"]) for each in defaults] == [
        ("Inbound", 65000),
        ("Inbound", 65001),
        ("Inbound", 65500),
        ("Outbound", 65000),
        ("Outbound", 65001),
        ("Outbound", 65500),
    ]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"priority": 99}, "SecurityRuleInvalidPriority"),
        ({"priority": 4097}, "SecurityRuleInvalidPriority"),
        ({"access": None}, "SecurityRuleParameterMissing"),
    ],
)
def test_a_security_rule_that_azure_would_not_take_is_refused(azure: Azure, change: Any, code: str) -> None:
    rule = {"name": "ssh", "properties": {**SSH["properties"], **change}}  # type: ignore[dict-item]  # SSH mixes values

    answer = put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {"securityRules": [rule]}})

    assert (answer.status, answer.json()["error"]["code"]) == (400, code)


def test_two_rules_of_one_priority_and_direction_are_refused(azure: Azure) -> None:
    rules = [SSH, {**SSH, "name": "other"}]

    answer = put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {"securityRules": rules}})

    assert answer.json()["error"]["code"] == "SecurityRuleConflict"


def test_a_put_replaces_the_whole_body(azure: Azure) -> None:
    first = {"location": "eastus", "tags": {"a": "b"}, "properties": {"securityRules": [SSH]}}
    put(azure, "networkSecurityGroups/nsg", first)
    put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {}})

    found = get(azure, "networkSecurityGroups/nsg")

    assert (found["tags"], found["properties"]["securityRules"]) == ({}, [])


def test_tags_can_be_changed_alone(azure: Azure) -> None:
    put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {"securityRules": [SSH]}})

    azure.network.network_security_groups.update_tags("rg", "nsg", {"tags": {"a": "b"}})

    found = get(azure, "networkSecurityGroups/nsg")
    assert (found["tags"], len(found["properties"]["securityRules"])) == ({"a": "b"}, 1)


def test_an_address_keeps_its_number(azure: Azure) -> None:
    put(azure, "publicIPAddresses/ip", ADDRESS)
    first = get(azure, "publicIPAddresses/ip")
    put(azure, "publicIPAddresses/ip", ADDRESS)
    second = get(azure, "publicIPAddresses/ip")

    assert first["properties"]["ipAddress"] == second["properties"]["ipAddress"]
    assert first["sku"] == {"name": "Standard", "tier": "Regional"}
    assert first["properties"]["idleTimeoutInMinutes"] == 4


def test_gateway_address_and_subnet_point_at_each_other(azure: Azure) -> None:
    put(azure, "publicIPAddresses/ip", ADDRESS)
    gateway = {"publicIpAddresses": [{"id": network_id("publicIPAddresses/ip")}]}
    put(azure, "natGateways/nat", {"location": "eastus", "properties": gateway})
    subnet = {"addressPrefix": "10.0.0.0/24", "natGateway": {"id": network_id("natGateways/nat")}}
    space = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": [{"name": "nodes", "properties": subnet}]}
    put(azure, "virtualNetworks/net", {"location": "eastus", "properties": space})

    address, nat = get(azure, "publicIPAddresses/ip"), get(azure, "natGateways/nat")

    assert address["properties"]["natGateway"] == {"id": network_id("natGateways/nat")}
    assert nat["properties"]["subnets"] == [{"id": subnet_id()}]
    assert nat["sku"] == {"name": "Standard"}


def test_what_is_in_use_cannot_be_deleted(azure: Azure) -> None:
    put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {}})
    put(azure, "publicIPAddresses/ip", ADDRESS)
    gateway = {"publicIpAddresses": [{"id": network_id("publicIPAddresses/ip")}]}
    put(azure, "natGateways/nat", {"location": "eastus", "properties": gateway})
    subnet = {
        "addressPrefix": "10.0.0.0/24",
        "natGateway": {"id": network_id("natGateways/nat")},
        "networkSecurityGroup": {"id": network_id("networkSecurityGroups/nsg")},
    }
    space = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": [{"name": "nodes", "properties": subnet}]}
    put(azure, "virtualNetworks/net", {"location": "eastus", "properties": space})
    network = azure.network

    assert refusal(network.network_security_groups.begin_delete, "rg", "nsg") == (
        400,
        "InUseNetworkSecurityGroupCannotBeDeleted",
        f"Network security group {network_id('networkSecurityGroups/nsg')} cannot be deleted because it is in use by "
        f"the following resources: {subnet_id()}. In order to delete the Network security group, remove the "
        "association with the resource(s). To learn how to do this, see aka.ms/deletensg.",
    )
    assert refusal(network.public_ip_addresses.begin_delete, "rg", "ip")[:2] == (400, "PublicIPAddressCannotBeDeleted")
    assert refusal(network.nat_gateways.begin_delete, "rg", "nat") == (
        400,
        "CannotDeleteNatGatewayAssociatedToSubnet",
        f"NAT Gateway {network_id('natGateways/nat')} is still configured on 1 subnets. "
        "Remove NAT Gateway from all referenced subnets and then delete NAT Gateway.",
    )


def test_networks_errors_are_indented_and_carry_empty_details(azure: Azure) -> None:
    answer = put(
        azure,
        "natGateways/nat",
        {"location": "eastus", "properties": {"publicIpAddresses": [{"id": network_id("publicIPAddresses/no")}]}},
    )

    assert answer.body.startswith(b'{\r\n  "error": {\r\n    "code": "InvalidResourceReference",')
    assert answer.json()["error"]["details"] == []
    assert "x-ms-failure-cause" not in answer.headers


def test_a_deletion_is_an_operation_with_two_places_to_look(azure: Azure) -> None:
    put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {}})

    started = azure.start(azure.network.network_security_groups.begin_delete, "rg", "nsg")
    result = started.headers["Location"]
    running = azure.ask("GET", result)
    azure.wait(10)
    over = azure.ask("GET", result)
    again = azure.ask("DELETE", network_path("networkSecurityGroups/nsg"))

    assert (started.status, started.headers["Retry-After"], started.body) == (202, "10", None)
    assert "/operationResults/" in result
    assert "/operations/" in started.poll
    assert (running.status, over.status, again.status) == (202, 204, 204)
    assert azure.status_of(started) == "Succeeded"


def test_a_reference_to_another_region_or_to_something_unfinished_is_refused(azure: Azure) -> None:
    put(azure, "networkSecurityGroups/far", {"location": "westus3", "properties": {}})
    azure.ask("PUT", network_path("networkSecurityGroups/new"), {"location": "eastus", "properties": {}})

    def network_with(nsg: str) -> Any:
        subnet = {
            "addressPrefix": "10.0.0.0/24",
            "networkSecurityGroup": {"id": network_id(f"networkSecurityGroups/{nsg}")},
        }
        space = {"addressPrefixes": ["10.0.0.0/16"]}
        subnets = [{"name": "nodes", "properties": subnet}]
        return {"location": "eastus", "properties": {"addressSpace": space, "subnets": subnets}}

    far = azure.ask("PUT", network_path("virtualNetworks/net"), network_with("far"))
    new = azure.ask("PUT", network_path("virtualNetworks/net"), network_with("new"))

    assert (far.status, far.json()["error"]["code"]) == (400, "InvalidResourceReference")
    assert (new.status, new.json()["error"]["code"]) == (400, "ReferencedResourceNotProvisioned")
    assert [row["name"] for row in azure.world["resources"]] == ["far", "new"]


def test_a_reference_to_another_kind_of_thing_is_refused() -> None:
    azure = azure_with_a_network()
    put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {}})
    nsg, net = network_id("networkSecurityGroups/nsg"), network_id("virtualNetworks/net")

    subnet = {"properties": {"addressPrefix": "10.0.1.0/24", "natGateway": {"id": nsg}}}
    answers = [
        azure.ask("PUT", network_path("virtualNetworks/net/subnets/a"), subnet),
        azure.ask("PUT", network_path("virtualNetworks/net/virtualNetworkPeerings/a"), peering_to(nsg)),
        azure.put_scale_set("train", a_scale_set(subnet=net)),
    ]

    unread, also, unknown = (answer.json()["error"] for answer in answers)
    assert (unread["code"], unread["message"]) == ("InvalidRequestFormat", "Cannot parse the request.")
    assert unread["details"] == [
        {
            "code": "InvalidJsonReferenceFormat",
            "message": f"Reference Id {nsg} is not formatted correctly. The Id is expected to reference resources of "
            "type natGateways. Path properties.natGateway.",
        }
    ]
    assert also["details"][0]["code"] == "InvalidJsonReferenceFormat"
    assert unknown["code"] == "InvalidResourceReference"


def peering_to(target: str) -> Any:
    return {"properties": {"remoteVirtualNetwork": {"id": target}}}


def test_a_resource_stays_where_it_is(azure: Azure) -> None:
    put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {}})

    answer = put(azure, "networkSecurityGroups/nsg", {"location": "westus3", "properties": {}})

    assert (answer.status, answer.json()["error"]["code"]) == (409, "InvalidResourceLocation")


def test_a_write_beside_another_one_is_refused() -> None:
    azure = azure_with_a_network()
    body = {"properties": {"addressPrefix": "10.0.1.0/24"}}

    first = azure.ask("PUT", network_path("virtualNetworks/net/subnets/a"), body)
    second = azure.ask("PUT", network_path("virtualNetworks/net/subnets/b"), body)

    assert first.status == 201
    assert (second.status, second.json()["error"]["code"]) == (409, "AnotherOperationInProgress")


def test_an_etag_guards_a_write(azure: Azure) -> None:
    put(azure, "networkSecurityGroups/nsg", {"location": "eastus", "properties": {}})
    path, body = network_path("networkSecurityGroups/nsg"), {"location": "eastus", "properties": {}}
    etag = azure.ask("GET", path).headers["ETag"]

    assert azure.ask("PUT", path, body, **{"If-None-Match": "*"}).status == 412
    assert azure.ask("PUT", path, body, **{"If-Match": 'W/"other"'}).status == 412
    assert azure.ask("PUT", path, body, **{"If-Match": etag}).status == 200


def test_peerings_connect_when_both_halves_stand(azure: Azure) -> None:
    for name, number in (("a", 1), ("b", 2)):
        space = {"addressSpace": {"addressPrefixes": [f"10.{number}.0.0/16"]}}
        put(azure, f"virtualNetworks/net-{name}", {"location": "eastus", "properties": space})

    def half(here: str, there: str) -> str:
        remote = {"properties": {"remoteVirtualNetwork": {"id": network_id(f"virtualNetworks/net-{there}")}}}
        put(azure, f"virtualNetworks/net-{here}/virtualNetworkPeerings/to-{there}", remote)
        state: str = get(azure, f"virtualNetworks/net-{here}/virtualNetworkPeerings/to-{there}")["properties"][
            "peeringState"
        ]
        return state

    assert half("a", "b") == "Initiated"
    assert half("b", "a") == "Connected"
    assert half("a", "b") == "Connected"


def test_networks_are_listed_by_group_and_by_subscription(azure: Azure) -> None:
    put(azure, "networkSecurityGroups/b", {"location": "eastus", "properties": {}})
    put(azure, "networkSecurityGroups/a", {"location": "eastus", "properties": {}})

    assert [row.name for row in azure.network.network_security_groups.list("rg")] == ["a", "b"]
    assert [row.name for row in azure.network.network_security_groups.list_all()] == ["a", "b"]


def test_an_absent_resource_is_reported_by_who_knows() -> None:
    azure = azure_with_a_network()

    top = azure.ask("GET", network_path("natGateways/no")).json()["error"]
    child = azure.ask("GET", network_path("virtualNetworks/net/subnets/no")).json()["error"]
    orphan = azure.ask(
        "PUT", network_path("virtualNetworks/no/subnets/x"), {"properties": {"addressPrefix": "10.0.0.0/24"}}
    )

    assert top == {
        "code": "ResourceNotFound",
        "message": "The Resource 'Microsoft.Network/natGateways/no' under resource group 'rg' was not found. "
        "For more details please go to https://aka.ms/ARMResourceNotFoundFix",
    }
    assert child == {"code": "NotFound", "message": f"Resource {subnet_id('no')} not found.", "details": []}
    assert (orphan.status, orphan.json()["error"]["code"]) == (404, "ParentResourceNotFound")
