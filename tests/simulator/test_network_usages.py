"""What is used of Network in a region, of how much, and which private addresses of a virtual network are free."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    a_file_system,
    azure_with_a_network,
    lustre_id,
    network_id,
    refusal,
    subnet_id,
)

ADDRESS = {"location": "eastus", "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}}


def used(azure: Azure, location: str = "eastus") -> dict[str, tuple[int, int]]:
    """Return `(used, of)` by the name of what is counted."""
    rows = azure.network.usages.list(location)
    return {str(row.name.value): (row.current_value, row.limit) for row in rows}


def free(azure: Azure, address: str) -> Any:
    found = azure.network.virtual_networks.check_ip_address_availability("rg", "net", ip_address=address)
    return found.available, found.available_ip_addresses, found.is_platform_reserved


def test_a_region_counts_what_a_subscription_has_there() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=3)
    azure.finish(azure.network.public_ip_addresses.begin_create_or_update, "rg", "out", ADDRESS)

    found = used(azure)

    assert (found["VirtualNetworks"], found["NetworkSecurityGroups"]) == ((1, 1000), (0, 5000))
    assert {name: found[name] for name in found if "Address" in name} == {
        "PublicIPAddresses": (1, 1000),
        "StaticPublicIPAddresses": (1, 1000),
        "StandardSkuPublicIpAddresses": (1, 1000),
    }
    assert found["NetworkInterfaces"] == (3, 65536)
    assert found["SubnetsPerVirtualNetwork"] == (0, 3000)
    assert {used for used, _ in used(azure, "westus3").values()} == {0}


def test_a_row_has_an_id_of_its_own() -> None:
    first = next(iter(Azure().network.usages.list("eastus")))

    place = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Network/locations/eastus/usages/VirtualNetworks"
    assert (first.id, first.unit, first.name.localized_value) == (place, "Count", "Virtual Networks")


def test_usages_of_no_region_are_refused() -> None:
    status, code, _ = refusal(lambda: list(Azure().network.usages.list("atlantis")))

    assert (status, code) == (400, "LocationNotAvailableForResourceType")


@pytest.mark.parametrize(
    ("name", "code", "body"),
    [
        (
            "VirtualNetworks",
            "VirtualNetworkCountLimitReached",
            {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.1.0.0/16"]}}},
        ),
        ("NetworkSecurityGroups", "NetworkSecurityGroupCountLimitReached", {"location": "eastus"}),
        ("PublicIPAddresses", "PublicIPCountLimitReached", ADDRESS),
    ],
)
def test_beyond_the_testers_limit_there_is_no_more(name: str, code: str, body: Any) -> None:
    azure = azure_with_a_network()
    clients: dict[str, Any] = {
        "VirtualNetworks": azure.network.virtual_networks,
        "NetworkSecurityGroups": azure.network.network_security_groups,
        "PublicIPAddresses": azure.network.public_ip_addresses,
    }
    held = used(azure)[name][0]
    azure.set_world(quota={"eastus": {name: held + 1}})
    azure.finish(clients[name].begin_create_or_update, "rg", "one", body)

    refused = refusal(clients[name].begin_create_or_update, "rg", "two", body)
    azure.finish(clients[name].begin_create_or_update, "rg", "one", body)

    assert refused[:2] == (400, code)
    assert used(azure)[name] == (held + 1, held + 1)


def test_a_free_address_is_free_and_beside_a_taken_one_others_are_named() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=3)

    assert free(azure, "10.0.0.7") == (True, [], False)
    taken = [f"10.0.0.{last}" for last in range(7, 12)]
    assert free(azure, "10.0.0.4") == (False, taken, False)
    assert free(azure, "10.0.0.0") == free(azure, "10.0.0.255") == (False, taken, True)


def test_an_address_of_a_file_system_is_taken_too() -> None:
    azure = azure_with_a_network(prefix="10.0.0.0/27")
    begin = azure.resources.resources.begin_create_or_update_by_id
    azure.finish(begin, lustre_id(), a_file_system(), api_version="2025-07-01")

    assert free(azure, "10.0.0.4") == (False, [f"10.0.0.{last}" for last in range(17, 22)], False)


def test_a_full_subnet_has_no_other_address_to_name() -> None:
    azure = azure_with_a_network(prefix="10.0.0.0/29")
    azure.make_scale_set(nodes=3)

    assert free(azure, "10.0.0.5") == (False, [], False)


def test_an_address_outside_of_every_subnet_is_refused() -> None:
    azure = azure_with_a_network()
    check = azure.network.virtual_networks.check_ip_address_availability

    assert refusal(check, "rg", "net", ip_address="10.0.1.4")[:2] == (400, "PrivateIPAddressNotInAnySubnet")
    assert refusal(check, "rg", "net", ip_address="ten")[:2] == (400, "InvalidIPAddress")
    assert refusal(check, "rg", "other", ip_address="10.0.0.4")[:2] == (404, "ResourceNotFound")


def test_each_subnet_says_how_many_of_its_addresses_are_in_use() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=3)

    (row,) = azure.network.virtual_networks.list_usage("rg", "net")

    assert (row.id, row.current_value, row.limit) == (subnet_id(), 3, 251)


def test_a_security_group_shows_the_interfaces_that_it_is_on() -> None:
    azure = azure_with_a_network()
    groups, group = azure.network.network_security_groups, network_id("networkSecurityGroups/nodes")
    azure.finish(groups.begin_create_or_update, "rg", "nodes", {"location": "eastus", "properties": {}})
    before = groups.get("rg", "nodes").network_interfaces
    address = {"name": "ip", "properties": {"subnet": {"id": subnet_id()}}}
    parts = {"primary": True, "ipConfigurations": [address], "networkSecurityGroup": {"id": group}}
    profile = {"networkProfile": {"networkInterfaceConfigurations": [{"name": "nic", "properties": parts}]}}
    azure.make_scale_set(nodes=2, profile=profile)
    azure.make_scale_set("other", nodes=1)

    shown = groups.get("rg", "nodes").network_interfaces

    nics = azure.network.network_interfaces.list_virtual_machine_scale_set_network_interfaces("rg", "train")
    assert not before
    assert [each.id for each in shown or []] == [each.id for each in nics]
