"""Bastion hosts: what they need, what they show, and what they hold."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, Json, network_id, network_path, refusal

BASTION = network_id("bastionHosts/door")
ADDRESS = network_id("publicIPAddresses/door")
SUBNET = network_id("virtualNetworks/net/subnets/AzureBastionSubnet")


def an_address(sku: str = "Standard", method: str = "Static") -> Json:
    return {"location": "eastus", "sku": {"name": sku}, "properties": {"publicIPAllocationMethod": method}}


def a_bastion(subnet: str = SUBNET, **parts: Any) -> Json:
    references = {"subnet": {"id": subnet}, "publicIPAddress": {"id": ADDRESS}}
    properties = {"ipConfigurations": [{"name": "conf", "properties": references}]}
    return {"location": "eastus", "sku": {"name": "Standard"}, "properties": properties, **parts}


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_network()
    made.put(SUBNET, {"properties": {"addressPrefix": "10.0.1.0/26"}})
    made.put(ADDRESS, an_address())
    return made


def test_a_bastion_takes_minutes_and_gets_a_name(azure: Azure) -> None:
    started = azure.start(azure.network.bastion_hosts.begin_create_or_update, "rg", "door", a_bastion())
    azure.wait(599)
    running = azure.status_of(started)
    azure.wait(1)
    found = azure.get(BASTION)

    assert (started.status, running, azure.status_of(started)) == (201, "InProgress", "Succeeded")
    assert found == {
        "name": "door",
        "id": BASTION,
        "etag": found["etag"],
        "type": "Microsoft.Network/bastionHosts",
        "location": "eastus",
        "tags": {},
        "sku": {"name": "Standard"},
        "properties": {
            "provisioningState": "Succeeded",
            "dnsName": found["properties"]["dnsName"],
            "scaleUnits": 2,
            "enableTunneling": False,
            "disableCopyPaste": False,
            "enableFileCopy": False,
            "enableIpConnect": False,
            "enableShareableLink": False,
            "enableKerberos": False,
            "ipConfigurations": [
                {
                    "name": "conf",
                    "id": f"{BASTION}/bastionHostIpConfigurations/conf",
                    "etag": found["etag"],
                    "type": "Microsoft.Network/bastionHosts/bastionHostIpConfigurations",
                    "properties": {
                        "provisioningState": "Succeeded",
                        "privateIPAllocationMethod": "Dynamic",
                        "subnet": {"id": SUBNET},
                        "publicIPAddress": {"id": ADDRESS},
                    },
                }
            ],
        },
    }
    assert found["properties"]["dnsName"].startswith("bst-")
    assert [host.name for host in azure.network.bastion_hosts.list()] == ["door"]
    assert [host.name for host in azure.network.bastion_hosts.list_by_resource_group("rg")] == ["door"]


def test_a_bastion_written_as_it_was_read_stays_as_it_is(azure: Azure) -> None:
    azure.put(BASTION, a_bastion())
    before = azure.get(BASTION)

    azure.put(BASTION, before)

    def without_etags(body: Any) -> Any:
        if isinstance(body, dict):
            return {key: without_etags(value) for key, value in body.items() if key != "etag"}
        return [without_etags(each) for each in body] if isinstance(body, list) else body

    assert without_etags(azure.get(BASTION)) == without_etags(before)


def test_a_bastion_holds_its_subnet_and_its_address(azure: Azure) -> None:
    azure.put(BASTION, a_bastion())
    holder = f"{BASTION}/bastionHostIpConfigurations/conf"
    network = azure.network

    subnet = azure.get(SUBNET)["properties"]
    address = azure.get(ADDRESS)["properties"]

    assert (subnet["ipConfigurations"], address["ipConfiguration"]) == ([{"id": holder}], {"id": holder})
    assert refusal(network.subnets.begin_delete, "rg", "net", "AzureBastionSubnet")[1:] == (
        "InUseSubnetCannotBeDeleted",
        f"Subnet AzureBastionSubnet is in use by {holder} and cannot be deleted. In order to delete the subnet, "
        "delete all the resources within the subnet. See aka.ms/deletesubnet.",
    )
    assert refusal(network.virtual_networks.begin_delete, "rg", "net")[1] == "InUseSubnetCannotBeDeleted"
    assert refusal(network.public_ip_addresses.begin_delete, "rg", "door") == (
        400,
        "PublicIPAddressCannotBeDeleted",
        f"Public IP address {ADDRESS} can not be deleted since it is still allocated to resource {holder}. In order to "
        "delete the public IP, disassociate/detach the Public IP address from the resource. To learn how to do this, "
        "see aka.ms/deletepublicip.",
    )


def test_a_deleted_bastion_lets_go_when_the_deletion_ends(azure: Azure) -> None:
    azure.put(BASTION, a_bastion())

    started = azure.start(azure.network.bastion_hosts.begin_delete, "rg", "door")
    azure.wait(299)
    held = azure.ask("DELETE", network_path("publicIPAddresses/door"))
    azure.wait(1)
    free = azure.ask("DELETE", network_path("publicIPAddresses/door"))

    assert (started.status, held.status, free.status) == (202, 400, 202)


@pytest.mark.parametrize(
    ("subnet", "prefix", "code"),
    [
        ("doors", "10.0.1.0/26", "SubnetNameMustBeAzureBastionSubnet"),
        ("AzureBastionSubnet", "10.0.1.0/27", "BastionHostSubnetTooSmall"),
    ],
)
def test_a_subnet_that_bastion_cannot_use_is_refused(subnet: str, prefix: str, code: str) -> None:
    azure = Azure()
    azure.make_network()
    there = network_id(f"virtualNetworks/net/subnets/{subnet}")
    azure.put(there, {"properties": {"addressPrefix": prefix}})
    azure.put(ADDRESS, an_address())

    answer = azure.put(BASTION, a_bastion(there))

    assert (answer.status, answer.json()["error"]["code"]) == (400, code)


def test_an_address_that_is_not_standard_and_static_is_refused(azure: Azure) -> None:
    azure.ask("DELETE", network_path("publicIPAddresses/door"))
    azure.wait(30)
    azure.set_world(quota={"eastus": {"basicPublicIPAddresses": 1}})
    azure.put(ADDRESS, an_address("Basic", "Dynamic"))

    answer = azure.put(BASTION, a_bastion())

    assert answer.json()["error"]["code"] == "BastionHostPublicIpAddressInvalid"


def test_an_address_that_is_taken_is_refused(azure: Azure) -> None:
    gateway = {"location": "eastus", "properties": {"publicIpAddresses": [{"id": ADDRESS}]}}
    azure.put(network_id("natGateways/nat"), gateway)

    answer = azure.put(BASTION, a_bastion())

    assert answer.json()["error"]["code"] == "PublicIPAddressInUse"


@pytest.mark.parametrize("configurations", [[], [{"name": "conf", "properties": {"subnet": {"id": SUBNET}}}]])
def test_a_bastion_without_subnet_and_address_is_refused(azure: Azure, configurations: Any) -> None:
    answer = azure.put(BASTION, a_bastion(properties={"ipConfigurations": configurations}))

    assert (answer.status, answer.json()["error"]["code"]) == (400, "BastionHostConfigurationIncomplete")


def test_one_network_has_one_bastion(azure: Azure) -> None:
    azure.put(BASTION, a_bastion())
    azure.put(network_id("publicIPAddresses/other"), an_address())
    other = a_bastion()
    other["properties"]["ipConfigurations"][0]["properties"]["publicIPAddress"]["id"] = network_id(
        "publicIPAddresses/other"
    )

    answer = azure.put(network_id("bastionHosts/other"), other)

    assert (answer.status, answer.json()["error"]["code"]) == (400, "BastionHostAlreadyExistsInVirtualNetwork")


def test_a_bastion_can_be_raised_and_not_lowered(azure: Azure) -> None:
    first = azure.put(BASTION, a_bastion(sku={"name": "Basic"}))
    raised = azure.put(BASTION, a_bastion(sku={"name": "Premium"}))
    lowered = azure.put(BASTION, a_bastion(sku={"name": "Standard"}))

    assert (first.status, raised.status) == (201, 200)
    assert (lowered.status, lowered.json()["error"]["code"]) == (400, "BastionHostSkuDowngradeNotSupported")


@pytest.mark.parametrize(
    ("sku", "properties"),
    [
        ("Basic", {"enableTunneling": True}),
        ("Basic", {"scaleUnits": 3}),
        ("Standard", {"enableSessionRecording": True}),
    ],
)
def test_what_a_sku_does_not_have_cannot_be_switched_on(azure: Azure, sku: str, properties: Json) -> None:
    body = a_bastion(sku={"name": sku})
    body["properties"] |= properties

    answer = azure.put(BASTION, body)

    assert (answer.status, answer.json()["error"]["code"]) == (400, "BastionHostSkuDoesNotSupportFeature")


def test_a_bastion_for_developers_needs_a_network_alone(azure: Azure) -> None:
    network = {"id": network_id("virtualNetworks/net")}
    body = {"location": "eastus", "sku": {"name": "Developer"}, "properties": {"virtualNetwork": network}}

    assert azure.put(BASTION, {**body, "properties": {}}).status == 400
    assert azure.put(BASTION, body).status == 201
