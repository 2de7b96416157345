"""Subnets: ranges, addresses, and the virtual network's list of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    Azure,
    a_file_system,
    a_scale_set,
    azure_with_a_network,
    lustre_id,
    network_id,
    network_path,
    refusal,
    set_id,
    subnet_id,
)


def names(azure: Azure) -> list[str]:
    return [row.name or "" for row in azure.network.subnets.list("rg", "net")]


def put_network(azure: Azure, subnets: Any) -> Any:
    properties = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}
    if subnets is not None:
        properties["subnets"] = subnets
    answer = azure.ask("PUT", network_path("virtualNetworks/net"), {"location": "eastus", "properties": properties})
    azure.wait(30)
    return answer


def subnet(name: str, prefix: str) -> Any:
    return {"name": name, "properties": {"addressPrefix": prefix}}


def test_a_network_written_without_subnets_keeps_them() -> None:
    azure = azure_with_a_network()

    put_network(azure, None)

    assert names(azure) == ["nodes"]


def test_a_network_written_with_subnets_has_those_and_no_others() -> None:
    azure = azure_with_a_network()

    put_network(azure, [subnet("login", "10.0.1.0/24")])

    assert names(azure) == ["login"]


def test_a_subnet_shows_azures_defaults() -> None:
    azure = azure_with_a_network()

    found = azure.ask("GET", network_path("virtualNetworks/net/subnets/nodes")).json()

    assert found == {
        "name": "nodes",
        "id": subnet_id(),
        "etag": found["etag"],
        "type": "Microsoft.Network/virtualNetworks/subnets",
        "properties": {
            "provisioningState": "Succeeded",
            "delegations": [],
            "privateEndpointNetworkPolicies": "Disabled",
            "privateLinkServiceNetworkPolicies": "Enabled",
            "addressPrefix": "10.0.0.0/24",
        },
    }


def test_a_subnet_has_to_lie_in_its_network() -> None:
    azure = azure_with_a_network()

    found = refusal(azure.network.subnets.begin_create_or_update, "rg", "net", "far", subnet("far", "10.1.0.0/24"))

    assert found == (400, "NetcfgInvalidSubnet", "Subnet 'far' is not valid in virtual network 'net'.")


def test_a_subnet_may_not_overlap_another() -> None:
    azure = azure_with_a_network()

    found = refusal(azure.network.subnets.begin_create_or_update, "rg", "net", "b", subnet("b", "10.0.0.128/25"))

    assert found[:2] == (400, "NetcfgSubnetRangesOverlap")


def test_a_badly_written_prefix_is_refused() -> None:
    azure = azure_with_a_network()

    begin = azure.network.subnets.begin_create_or_update

    assert refusal(begin, "rg", "net", "b", subnet("b", "10.0.1.0")) == (
        400,
        "InvalidAddressPrefixFormat",
        f"Address prefix 10.0.1.0 of resource {subnet_id('b')} is not formatted correctly. It should follow CIDR "
        "notation, for example 10.0.0.0/24.",
    )
    assert refusal(begin, "rg", "net", "b", subnet("b", "10.0.1.1/24")) == (
        400,
        "InvalidCIDRNotation",
        f"The address prefix 10.0.1.1/24 in resource {subnet_id('b')} has an invalid CIDR notation. For the given "
        "prefix length, the address prefix should be 10.0.1.0/24.",
    )


def test_an_address_space_that_loses_a_subnet_is_refused() -> None:
    azure = azure_with_a_network()
    properties = {"addressSpace": {"addressPrefixes": ["10.9.0.0/16"]}}

    answer = azure.ask("PUT", network_path("virtualNetworks/net"), {"location": "eastus", "properties": properties})

    assert (answer.status, answer.json()["error"]["code"]) == (400, "NetcfgInvalidSubnet")


def test_a_subnet_shows_the_interfaces_in_it_and_cannot_go_while_it_does() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)

    found = azure.network.subnets.get("rg", "net", "nodes").as_dict()["properties"]["ipConfigurations"]
    first = f"{set_id()}/virtualMachines/0/networkInterfaces/nic/ipConfigurations/ip"
    second = f"{set_id()}/virtualMachines/1/networkInterfaces/nic/ipConfigurations/ip"

    # A refusal names the interface of a node in Network's own way.
    node = "|providers|Microsoft.Compute|virtualMachineScaleSets|train|virtualMachines|0|networkInterfaces|nic"
    interface = f"{network_id('networkInterfaces/')}{node}/ipConfigurations/ip"
    assert found == [{"id": first}, {"id": second}]
    assert refusal(azure.network.subnets.begin_delete, "rg", "net", "nodes") == (
        400,
        "InUseSubnetCannotBeDeleted",
        f"Subnet nodes is in use by {interface} and cannot be deleted. In order to delete the subnet, delete all the "
        "resources within the subnet. See aka.ms/deletesubnet.",
    )
    assert refusal(azure.network.virtual_networks.begin_delete, "rg", "net")[1] == "InUseSubnetCannotBeDeleted"
    assert put_network(azure, []).json()["error"]["code"] == "InUseSubnetCannotBeDeleted"
    assert put_network(azure, [subnet("nodes", "10.0.0.0/25")]).json()["error"]["code"] == "InUsePrefixCannotBeDeleted"


def test_interfaces_linger_after_their_scale_set() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    azure.start(azure.compute.virtual_machine_scale_sets.begin_delete, "rg", "train")
    azure.wait(90)

    assert azure.ask("GET", f"{set_id()}?api-version=2025-11-01").status == 404
    assert refusal(azure.network.subnets.begin_delete, "rg", "net", "nodes")[1] == "InUseSubnetCannotBeDeleted"

    azure.wait(30)

    assert azure.start(azure.network.subnets.begin_delete, "rg", "net", "nodes").status == 202


def test_addresses_are_counted_less_azures_five() -> None:
    azure = azure_with_a_network(prefix="10.0.0.0/28")
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    azure.make_scale_set("first", nodes=6)

    found = refusal(begin, "rg", "second", a_scale_set(nodes=6))

    assert found == (
        400,
        "SubnetIsFull",
        "Subnet nodes with address prefix 10.0.0.0/28 does not have enough capacity for 6 IP addresses.",
    )
    assert azure.start(begin, "rg", "second", a_scale_set(nodes=5)).status == 201


def test_overprovisioning_wants_more_addresses() -> None:
    azure = azure_with_a_network(prefix="10.0.0.0/28")
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    found = refusal(begin, "rg", "train", a_scale_set(nodes=10, properties={"overprovision": True}))

    assert found[1] == "SubnetIsFull"


@pytest.mark.parametrize(
    ("space", "code"),
    [
        ([], "NetcfgInvalidVirtualNetworkSite"),
        (["10.0.0.0/16", "10.0.1.0/24"], "NetcfgInvalidVirtualNetworkSite"),
        (["10.0.0.0"], "InvalidAddressPrefixFormat"),
        (["10.0.0.1/16"], "InvalidCIDRNotation"),
        (["224.0.0.0/8"], "NetcfgInvalidIPAddressPrefix"),
        (["169.0.0.0/8"], "NetcfgInvalidIPAddressPrefix"),
        (["168.63.0.0/16"], "NetcfgInvalidIPAddressPrefix"),
    ],
)
def test_an_address_space_that_cannot_be_is_refused(space: list[str], code: str) -> None:
    azure = Azure()
    azure.make_group()
    body = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": space}}}

    assert refusal(azure.network.virtual_networks.begin_create_or_update, "rg", "net", body)[:2] == (400, code)


def test_a_subnet_has_eight_addresses_or_more() -> None:
    azure = azure_with_a_network()

    assert put_subnet(azure, "small", "10.0.1.0/29").status == 201
    assert code_of(put_subnet(azure, "smaller", "10.0.2.0/30")) == (400, "NetcfgInvalidSubnet")


def test_ranges_of_both_versions_stand_beside_each_other() -> None:
    azure = azure_with_a_network()
    space = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16", "2001:db8::/48"]}}
    azure.ask("PUT", network_path("virtualNetworks/net"), {"location": "eastus", "properties": space})
    azure.wait(30)

    both = put_subnet(azure, "both", addressPrefixes=["10.0.1.0/24", "2001:db8::/64"])
    wide = put_subnet(azure, "wide", addressPrefixes=["10.0.2.0/24", "2001:db8:0:1::/65"])

    assert (both.status, wide.status) == (201, 400)


def test_a_subnet_without_a_range_is_refused() -> None:
    azure = azure_with_a_network()

    answer = azure.ask("PUT", network_path("virtualNetworks/net/subnets/none"), {"properties": {}})

    assert code_of(answer) == (400, "SubnetMissingAddressPrefix")


def test_a_range_may_be_added_to_a_subnet_in_use_and_not_taken_away() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)

    more = put_subnet(azure, "nodes", addressPrefixes=["10.0.0.0/24", "10.0.1.0/24"])
    less = put_subnet(azure, "nodes", addressPrefixes=["10.0.1.0/24"])

    assert more.status == 200
    assert (less.status, less.json()["error"]) == (
        400,
        {
            "code": "InUsePrefixCannotBeDeleted",
            "message": "IpPrefix 10.0.0.0/24 on Subnet nodes has active allocations and cannot be deleted.",
            "details": [],
        },
    )


def test_a_subnet_written_without_its_group_and_gateway_loses_them() -> None:
    azure = azure_with_a_network()
    azure.put(network_id("networkSecurityGroups/nsg"), {"location": "eastus", "properties": {}})
    azure.put(network_id("natGateways/nat"), {"location": "eastus", "properties": {}})
    group, gateway = network_id("networkSecurityGroups/nsg"), network_id("natGateways/nat")
    put_subnet(azure, "nodes", "10.0.0.0/24", networkSecurityGroup={"id": group}, natGateway={"id": gateway})
    before = azure.get(subnet_id())["properties"]

    put_subnet(azure, "nodes", "10.0.0.0/24")

    after = azure.get(subnet_id())["properties"]
    assert (before["networkSecurityGroup"], before["natGateway"]) == ({"id": group}, {"id": gateway})
    assert ("networkSecurityGroup" in after, "natGateway" in after) == (False, False)
    assert azure.start(azure.network.network_security_groups.begin_delete, "rg", "nsg").status == 202


def test_whether_nodes_reach_out_by_default_is_kept_as_it_is_stated() -> None:
    azure = azure_with_a_network()
    put_subnet(azure, "private", "10.0.1.0/24", defaultOutboundAccess=False)

    stated = azure.network.subnets.get("rg", "net", "private").as_dict()["properties"]
    silent = azure.network.subnets.get("rg", "net", "nodes").as_dict()["properties"]
    old = azure.ask(
        "PUT",
        f"{network_id('virtualNetworks/net/subnets/old')}?api-version=2022-11-01",
        {"properties": {"addressPrefix": "10.0.2.0/24", "defaultOutboundAccess": False}},
    )

    assert (stated["defaultOutboundAccess"], "defaultOutboundAccess" in silent) == (False, False)
    assert old.status == 400


def test_a_group_on_bastions_subnet_has_to_let_its_traffic_pass() -> None:
    azure = azure_with_a_network()
    group = network_id("networkSecurityGroups/nsg")
    azure.put(group, {"location": "eastus", "properties": {}})
    there = {"addressPrefix": "10.0.4.0/26", "networkSecurityGroup": {"id": group}}
    path = network_path("virtualNetworks/net/subnets/AzureBastionSubnet")

    bare = azure.ask("PUT", path, {"properties": there})
    azure.put(group, {"location": "eastus", "properties": {"securityRules": BASTION_RULES}})
    full = azure.ask("PUT", path, {"properties": there})

    assert (bare.status, bare.json()["error"]["code"], bare.json()["error"]["message"]) == (
        400,
        "NetworkSecurityGroupNotCompliantForAzureBastionSubnet",
        "Network security group nsg does not have necessary rules for Azure Bastion Subnet AzureBastionSubnet.",
    )
    assert full.status == 201


def bastion_rule(name: str, priority: int, direction: str, ports: list[str], source: str, to: str) -> Any:
    return {
        "name": name,
        "properties": {
            "priority": priority,
            "direction": direction,
            "access": "Allow",
            "protocol": "Tcp",
            "sourcePortRange": "*",
            "sourceAddressPrefix": source,
            "destinationPortRanges": ports,
            "destinationAddressPrefix": to,
        },
    }


BASTION_RULES = [
    bastion_rule("https", 120, "Inbound", ["443"], "Internet", "*"),
    bastion_rule("manager", 130, "Inbound", ["443"], "GatewayManager", "*"),
    bastion_rule("machines", 100, "Outbound", ["22", "3389"], "*", "VirtualNetwork"),
    bastion_rule("cloud", 110, "Outbound", ["443"], "*", "AzureCloud"),
]


@pytest.mark.parametrize("name", ["GatewaySubnet", "AzureFirewallSubnet"])
def test_a_subnet_of_a_service_takes_no_group(name: str) -> None:
    azure = azure_with_a_network()
    group = network_id("networkSecurityGroups/nsg")
    azure.put(group, {"location": "eastus", "properties": {}})

    answer = put_subnet(azure, name, "10.0.4.0/26", networkSecurityGroup={"id": group})

    assert code_of(answer) == (400, f"NetworkSecurityGroupCannotBeAttachedTo{name}")


def test_a_network_holds_so_many_subnets_and_no_more() -> None:
    azure = azure_with_a_network()
    many = [subnet(f"s{number}", f"10.0.{number >> 5}.{(number & 31) * 8}/29") for number in range(3001)]

    assert put_network(azure, many).status == 400
    assert put_network(azure, many[:3000]).status == 200


def test_an_inline_list_with_a_name_twice_is_refused() -> None:
    azure = azure_with_a_network()

    error = put_network(azure, [subnet("a", "10.0.1.0/24"), subnet("A", "10.0.2.0/24")]).json()["error"]

    assert (error["code"], error["details"][0]["code"]) == ("InvalidRequestFormat", "DuplicateResourceName")


def put_subnet(azure: Azure, name: str, prefix: str | None = None, **properties: Any) -> Any:
    stated = {"addressPrefix": prefix} if prefix is not None else {}
    path = network_path(f"virtualNetworks/net/subnets/{name}")
    answer = azure.ask("PUT", path, {"properties": {**stated, **properties}})
    azure.wait(30)
    return answer


def code_of(answer: Any) -> tuple[int, str]:
    return answer.status, answer.json()["error"]["code"]


@pytest.mark.parametrize(
    "name",
    [
        "AzureBastionSubnet",
        "GatewaySubnet",
        "AzureFirewallSubnet",
        "AzureFirewallManagementSubnet",
        "RouteServerSubnet",
    ],
)
def test_a_subnet_of_a_service_takes_neither_nodes_nor_file_systems(name: str) -> None:
    azure = azure_with_a_network()
    subnets, sets = azure.network.subnets, azure.compute.virtual_machine_scale_sets
    azure.finish(subnets.begin_create_or_update, "rg", "net", name, {"properties": {"addressPrefix": "10.0.4.0/24"}})
    place = subnet_id(name)

    set_refused = refusal(sets.begin_create_or_update, "rg", "train", a_scale_set(subnet=place))
    begin = azure.resources.resources.begin_create_or_update_by_id
    lustre_refused = refusal(begin, lustre_id(), a_file_system(subnet=place), api_version="2025-07-01")

    assert set_refused[:2] == lustre_refused[:2] == (400, name)
    assert f"Subnet with name '{name}' can be used only for the " in set_refused[2]
    assert azure.network.subnets.get("rg", "net", name).ip_configurations is None
