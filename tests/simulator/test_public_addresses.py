"""Public addresses and NAT gateways: SKUs, zones, names, numbers, and what stays for good."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, Json, network_id, refusal

ADDRESS = network_id("publicIPAddresses/ip")
GATEWAY = network_id("natGateways/nat")


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def an_address(sku: str = "Standard", zones: Any = None, **properties: Any) -> Json:
    body: Json = {
        "location": "eastus",
        "sku": {"name": sku},
        "properties": {"publicIPAllocationMethod": "Static", **properties},
    }
    return body if zones is None else {**body, "zones": zones}


def put_address(azure: Azure, name: str = "ip", *args: Any, **kwargs: Any) -> Any:
    return azure.put(network_id(f"publicIPAddresses/{name}"), an_address(*args, **kwargs))


def put_gateway(azure: Azure, *addresses: str, **more: Any) -> Any:
    held = [{"id": network_id(f"publicIPAddresses/{name}")} for name in addresses]
    return azure.put(GATEWAY, {"location": "eastus", "properties": {"publicIpAddresses": held}, **more})


def code_of(answer: Any) -> tuple[int, str]:
    return answer.status, answer.json()["error"]["code"]


def test_a_standard_address_must_be_static(azure: Azure) -> None:
    body = an_address(publicIPAllocationMethod="Dynamic")

    assert refusal(azure.network.public_ip_addresses.begin_create_or_update, "rg", "ip", body) == (
        400,
        "StandardAndStandardV2SkuPublicIPAddressesMustBeStatic",
        f"Standard sku publicIp {ADDRESS} must have AllocationMethod set to Static.",
    )


def test_basic_addresses_are_no_longer_to_be_had_unless_the_tester_says_so(azure: Azure) -> None:
    refused = refusal(azure.network.public_ip_addresses.begin_create_or_update, "rg", "ip", an_address("Basic"))
    azure.set_world(quota={"eastus": {"basicPublicIPAddresses": 1}})
    taken = put_address(azure, "ip", "Basic", publicIPAllocationMethod="Dynamic")

    assert refused == (
        400,
        "IPv4BasicSkuPublicIpCountLimitReached",
        "Cannot create more than 0 IPv4 Basic SKU public IP addresses for this subscription in this region.",
    )
    assert taken.status == 201


def test_a_region_has_so_many_addresses_and_no_more(azure: Azure) -> None:
    azure.set_world(quota={"eastus": {"publicIPAddresses": 1}})
    put_address(azure)

    assert refusal(azure.network.public_ip_addresses.begin_create_or_update, "rg", "more", an_address()) == (
        400,
        "PublicIPCountLimitReached",
        "Cannot create more than 1 public IP addresses for this subscription in this region.",
    )
    assert put_address(azure, "ip", idleTimeoutInMinutes=10).status == 200


def test_an_address_keeps_its_sku_its_zones_and_its_version(azure: Azure) -> None:
    put_address(azure, zones=["1", "2", "3"])

    lost = azure.ask("PUT", f"{ADDRESS}?api-version=2025-05-01", an_address()).json()["error"]
    sku = put_address(azure, "ip", "StandardV2", zones=["1", "2", "3"])
    version = put_address(azure, zones=["1", "2", "3"], publicIPAddressVersion="IPv6")

    assert (lost["code"], lost["message"]) == (
        "ResourceAvailabilityZonesCannotBeModified",
        f"Resource {ADDRESS} has an existing availability zone constraint 1, 2, 3 and the request has availability "
        "zone constraint NoZone, which do not match. Zones cannot be added/updated/removed once the resource is "
        "created. The resource cannot be updated from regional to zonal or vice-versa.",
    )
    assert sku.json()["error"]["message"] == (
        "Sku property is set at creation time and cannot be changed from Standard to StandardV2 on resource update "
        f"for resource {ADDRESS}."
    )
    assert version.json()["error"]["message"].startswith("Property publicIPAddressVersion of resource")


def test_a_zone_that_the_region_does_not_have_is_refused(azure: Azure) -> None:
    body = {**an_address(zones=["1"]), "location": "westus"}

    assert azure.put(ADDRESS, body).status == 400


def test_a_name_is_shown_in_full_and_is_one_address_alone(azure: Azure) -> None:
    put_address(azure, dnsSettings={"domainNameLabel": "trainer"})

    found = azure.network.public_ip_addresses.get("rg", "ip").as_dict()["properties"]["dnsSettings"]
    taken = refusal(
        azure.network.public_ip_addresses.begin_create_or_update,
        "rg",
        "other",
        an_address(dnsSettings={"domainNameLabel": "trainer"}),
    )
    bad = put_address(azure, "other", dnsSettings={"domainNameLabel": "Trainer"})

    assert found == {"domainNameLabel": "trainer", "fqdn": "trainer.eastus.cloudapp.azure.com"}
    assert taken == (
        400,
        "DnsRecordInUse",
        "DNS record trainer.eastus.cloudapp.azure.com is already used by another public IP.",
    )
    assert code_of(bad) == (400, "InvalidDomainNameLabel")


def test_an_ipv6_address_has_a_number_of_its_kind(azure: Azure) -> None:
    put_address(azure, publicIPAddressVersion="IPv6")

    assert ":" in azure.get(ADDRESS)["properties"]["ipAddress"]


# --- NAT gateways ---


def test_a_gateway_takes_addresses_of_its_own_sku_that_nobody_else_holds(azure: Azure) -> None:
    azure.set_world(quota={"eastus": {"basicPublicIPAddresses": 1}})
    for name, sku in (("ip", "Standard"), ("old", "Basic"), ("new", "StandardV2")):
        put_address(azure, name, sku)
    put_gateway(azure, "ip")

    basic, newer = put_gateway(azure, "ip", "old"), put_gateway(azure, "new")
    other = azure.put(
        network_id("natGateways/other"), {"location": "eastus", "properties": {"publicIpAddresses": [{"id": ADDRESS}]}}
    )

    assert code_of(basic) == code_of(newer) == (400, "NatGatewayAndPublicIpAddressSkuMismatch")
    assert (other.json()["error"]["code"], other.json()["error"]["message"]) == (
        "PublicIPAddressInUse",
        f"Resource {network_id('natGateways/other')} is referencing public IP address {ADDRESS} that is already "
        f"allocated to resource {GATEWAY}.",
    )


def test_a_gateway_holds_sixteen_addresses_and_no_more(azure: Azure) -> None:
    names = [f"ip{number}" for number in range(17)]
    for name in names:
        put_address(azure, name)

    assert put_gateway(azure, *names[:16]).status == 201
    assert put_gateway(azure, *names).status == 400


def test_a_gateway_keeps_its_zone(azure: Azure) -> None:
    made = put_gateway(azure, zones=["1"])
    moved = put_gateway(azure, zones=["2"])
    several = azure.put(network_id("natGateways/many"), {"location": "eastus", "zones": ["1", "2"]})

    assert made.status == 201
    assert code_of(moved) == (400, "ResourceAvailabilityZonesCannotBeModified")
    assert code_of(several) == (400, "NatGatewayCannotHaveMultipleZones")


def test_a_gateway_lets_its_addresses_go_when_it_is_written_without(azure: Azure) -> None:
    put_address(azure)
    put_gateway(azure, "ip")
    held = azure.ask("DELETE", f"{ADDRESS}?api-version=2025-05-01")
    put_gateway(azure)
    free = azure.ask("DELETE", f"{ADDRESS}?api-version=2025-05-01")

    assert (code_of(held), free.status) == ((400, "PublicIPAddressCannotBeDeleted"), 202)
    assert GATEWAY in held.json()["error"]["message"]


def test_an_address_that_a_world_brought_along_is_not_given_again() -> None:
    body: Json = {
        "location": "eastus",
        "sku": {"name": "Standard"},
        "properties": {"publicIPAllocationMethod": "Static"},
    }

    def next_to(address: str) -> str:
        """Return the address that is given beside one that was brought along."""
        azure = Azure()
        azure.make_group()
        known = {**body["properties"], "ipAddress": address}
        azure.set_world(resources=[{**body, "id": network_id("publicIPAddresses/old"), "properties": known}])
        return str(azure.finish(azure.network.public_ip_addresses.begin_create_or_update, "rg", "new", body).ip_address)

    usual = next_to("20.200.0.1")

    assert next_to(usual) != usual


def test_a_gateway_serves_one_virtual_network(azure: Azure) -> None:
    networks, subnets = azure.network.virtual_networks, azure.network.subnets
    gateway = {"id": network_id("natGateways/out")}
    azure.finish(azure.network.nat_gateways.begin_create_or_update, "rg", "out", {"location": "eastus"})
    space = {"addressSpace": {"addressPrefixes": ["10.1.0.0/16"]}}
    for name in ("one", "two"):
        azure.finish(networks.begin_create_or_update, "rg", name, {"location": "eastus", "properties": space})
    first, second = ({"properties": {"addressPrefix": f"10.1.{n}.0/24", "natGateway": gateway}} for n in (0, 1))
    azure.finish(subnets.begin_create_or_update, "rg", "one", "a", first)
    azure.finish(subnets.begin_create_or_update, "rg", "one", "b", second)
    inline = {"location": "eastus", "properties": {**space, "subnets": [{"name": "a", **first}]}}

    alone = refusal(subnets.begin_create_or_update, "rg", "two", "a", first)
    together = refusal(networks.begin_create_or_update, "rg", "two", inline)

    code = "NatGatewayCannotBeUsedBySubnetsBelongingToDifferentVirtualNetworks"
    assert alone[:2] == together[:2] == (400, code)
    assert len(azure.network.nat_gateways.get("rg", "out").subnets or []) == 2
