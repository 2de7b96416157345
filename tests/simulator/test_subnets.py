"""Subnets: ranges, addresses, and the virtual network's list of them."""

from __future__ import annotations

from typing import Any

from tests.simulator.azure import (
    Azure,
    a_scale_set,
    azure_with_a_network,
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
