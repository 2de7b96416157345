"""Network as its client drives it from nothing to nothing: what each write leaves, and what stands in its way."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, Json, a_scale_set, network_id, refusal, subnet_id

GROUP: Json = {"location": "eastus", "properties": {}}
ADDRESS: Json = {
    "location": "eastus",
    "sku": {"name": "Standard"},
    "properties": {"publicIPAllocationMethod": "Static"},
}


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def put_network(azure: Azure, name: str = "net", prefix: str = "10.0.0.0/16", **properties: Any) -> Json:
    body = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": [prefix]}, **properties}}
    found: Json = azure.finish(azure.network.virtual_networks.begin_create_or_update, "rg", name, body).as_dict()
    return found


def put_subnet(azure: Azure, name: str, prefix: str, **properties: Any) -> Json:
    body = {"properties": {"addressPrefix": prefix, **properties}}
    found: Json = azure.finish(azure.network.subnets.begin_create_or_update, "rg", "net", name, body).as_dict()
    return found


def a_subnet(name: str, prefix: str) -> Json:
    return {"name": name, "properties": {"addressPrefix": prefix}}


def subnets(azure: Azure) -> list[str]:
    return sorted(str(row.name) for row in azure.network.subnets.list("rg", "net"))


# --- networks and subnets ---


def test_subnets_are_children_and_inline_where_an_absent_list_keeps_and_a_present_one_removes(azure: Azure) -> None:
    put_network(azure, subnets=[a_subnet("inline", "10.0.0.0/24")])
    put_subnet(azure, "child", "10.0.1.0/24")
    both = subnets(azure)
    put_network(azure)
    kept = subnets(azure)
    shown = put_network(azure, subnets=[a_subnet("child", "10.0.1.0/24")])
    one = subnets(azure)
    put_network(azure, subnets=[])

    assert (both, kept, one, subnets(azure)) == (["child", "inline"], ["child", "inline"], ["child"], [])
    assert [each["name"] for each in shown["properties"]["subnets"]] == ["child"]


def test_a_subnet_in_use_is_not_removed_by_a_list_nor_deleted_nor_moved(azure: Azure) -> None:
    put_network(azure, subnets=[a_subnet("nodes", "10.0.0.0/24")])
    azure.finish(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", a_scale_set(1))
    network = azure.network
    empty = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": []}}
    moved = {"properties": {"addressPrefix": "10.0.9.0/24"}}

    assert refusal(network.virtual_networks.begin_create_or_update, "rg", "net", empty)[:2] == (
        400,
        "InUseSubnetCannotBeDeleted",
    )
    assert refusal(network.virtual_networks.begin_delete, "rg", "net")[1] == "InUseSubnetCannotBeDeleted"
    assert refusal(network.subnets.begin_delete, "rg", "net", "nodes")[1] == "InUseSubnetCannotBeDeleted"
    assert (
        refusal(network.subnets.begin_create_or_update, "rg", "net", "nodes", moved)[1] == "InUsePrefixCannotBeDeleted"
    )
    assert subnets(azure) == ["nodes"]


def test_a_subnet_in_use_is_given_to_no_service(azure: Azure) -> None:
    put_network(azure, subnets=[a_subnet("nodes", "10.0.0.0/24")])
    given = [{"name": "web", "properties": {"serviceName": "Microsoft.Web/serverFarms"}}]
    free = put_subnet(azure, "free", "10.0.1.0/24", delegations=given)
    azure.finish(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", a_scale_set(1))
    body = {"properties": {"addressPrefix": "10.0.0.0/24", "delegations": given}}
    inline = {**a_subnet("nodes", "10.0.0.0/24"), **body}
    whole = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": [inline]}

    refused = refusal(azure.network.subnets.begin_create_or_update, "rg", "net", "nodes", body)
    at_once = refusal(
        azure.network.virtual_networks.begin_create_or_update, "rg", "net", {"location": "eastus", "properties": whole}
    )

    assert free["properties"]["delegations"][0]["properties"]["serviceName"] == "Microsoft.Web/serverFarms"
    assert refused[:2] == (400, "SubnetDelegationsCannotChangeWhenSubnetUsedByResource")
    assert f"of subnet {subnet_id()} cannot be changed from [] to [Microsoft.Web/serverFarms]" in refused[2]
    assert at_once == refused
    put_subnet(azure, "free", "10.0.1.0/24")


def test_interfaces_linger_for_a_while_after_their_set(azure: Azure) -> None:
    put_network(azure, subnets=[a_subnet("nodes", "10.0.0.0/24")])
    sets = azure.compute.virtual_machine_scale_sets
    azure.finish(sets.begin_create_or_update, "rg", "train", a_scale_set(2))
    azure.finish(sets.begin_delete, "rg", "train")

    held: Any = azure.network.subnets.get("rg", "net", "nodes").as_dict()
    refused = refusal(azure.network.subnets.begin_delete, "rg", "net", "nodes")
    azure.wait(300)
    azure.finish(azure.network.subnets.begin_delete, "rg", "net", "nodes")

    assert len(held["properties"]["ipConfigurations"]) == 2
    assert refused[1] == "InUseSubnetCannotBeDeleted"
    assert "|virtualMachineScaleSets|train|virtualMachines|0|" in refused[2]


@pytest.mark.parametrize(
    ("prefix", "code"),
    [
        ("10.1.0.0/24", "NetcfgInvalidSubnet"),
        ("10.0.0.128/25", "NetcfgSubnetRangesOverlap"),
        ("10.0.1.1/24", "InvalidCIDRNotation"),
        ("ten", "InvalidAddressPrefixFormat"),
        ("10.0.1.0/30", "NetcfgInvalidSubnet"),
    ],
)
def test_a_range_that_does_not_fit_is_refused(azure: Azure, prefix: str, code: str) -> None:
    put_network(azure, subnets=[a_subnet("nodes", "10.0.0.0/24")])
    body = {"properties": {"addressPrefix": prefix}}

    assert refusal(azure.network.subnets.begin_create_or_update, "rg", "net", "other", body)[:2] == (400, code)


# --- security groups, gateways, addresses, bastions ---


def test_a_group_has_its_rules_and_azures_and_says_where_it_is(azure: Azure) -> None:
    network = azure.network
    rule = {
        "protocol": "Tcp",
        "access": "Allow",
        "priority": 100,
        "direction": "Inbound",
        "sourceAddressPrefix": "10.0.0.0/8",
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": "22",
    }
    azure.finish(network.network_security_groups.begin_create_or_update, "rg", "nsg", GROUP)
    azure.finish(network.security_rules.begin_create_or_update, "rg", "nsg", "ssh", {"properties": rule})
    put_network(azure)
    nsg = network_id("networkSecurityGroups/nsg")
    put_subnet(azure, "nodes", "10.0.0.0/24", networkSecurityGroup={"id": nsg})

    found: Any = network.network_security_groups.get("rg", "nsg").as_dict()["properties"]
    assert [each["name"] for each in found["securityRules"]] == ["ssh"]
    assert [(each["name"], each["properties"]["priority"]) for each in found["defaultSecurityRules"]] == [
        ("AllowVnetInBound", 65000),
        ("AllowAzureLoadBalancerInBound", 65001),
        ("DenyAllInBound", 65500),
        ("AllowVnetOutBound", 65000),
        ("AllowInternetOutBound", 65001),
        ("DenyAllOutBound", 65500),
    ]
    assert found["subnets"] == [{"id": subnet_id()}]
    assert len(list(network.default_security_rules.list("rg", "nsg"))) == 6
    assert refusal(network.network_security_groups.begin_delete, "rg", "nsg")[1] == (
        "InUseNetworkSecurityGroupCannotBeDeleted"
    )
    twice = {"properties": {**rule, "destinationPortRange": "23"}}
    assert (
        refusal(network.security_rules.begin_create_or_update, "rg", "nsg", "two", twice)[1] == "SecurityRuleConflict"
    )
    low = {"properties": {**rule, "priority": 50}}
    refused = refusal(network.security_rules.begin_create_or_update, "rg", "nsg", "low", low)
    assert refused[1] == "SecurityRuleInvalidPriority"
    azure.finish(network.security_rules.begin_delete, "rg", "nsg", "ssh")
    assert list(network.security_rules.list("rg", "nsg")) == []


def test_a_gateway_holds_addresses_and_subnets_hold_the_gateway(azure: Azure) -> None:
    network = azure.network
    door = azure.finish(network.public_ip_addresses.begin_create_or_update, "rg", "door", ADDRESS)
    gateway = {
        "location": "eastus",
        "sku": {"name": "Standard"},
        "properties": {"publicIpAddresses": [{"id": door.id}]},
    }
    made = azure.finish(network.nat_gateways.begin_create_or_update, "rg", "nat", gateway)
    put_network(azure)
    put_subnet(azure, "nodes", "10.0.0.0/24", natGateway={"id": made.id})

    assert network.nat_gateways.get("rg", "nat").as_dict()["properties"]["subnets"] == [{"id": subnet_id()}]
    assert network.public_ip_addresses.get("rg", "door").as_dict()["properties"]["natGateway"] == {"id": made.id}
    second = refusal(network.nat_gateways.begin_create_or_update, "rg", "other", gateway)
    assert second[0] == 400
    assert refusal(network.public_ip_addresses.begin_delete, "rg", "door")[1] == "PublicIPAddressCannotBeDeleted"
    assert refusal(network.nat_gateways.begin_delete, "rg", "nat")[1] == "CannotDeleteNatGatewayAssociatedToSubnet"
    put_subnet(azure, "nodes", "10.0.0.0/24")
    azure.finish(network.nat_gateways.begin_delete, "rg", "nat")
    azure.finish(network.public_ip_addresses.begin_delete, "rg", "door")
    assert list(network.public_ip_addresses.list_all()) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (
            {"properties": {"publicIPAllocationMethod": "Dynamic"}},
            "StandardAndStandardV2SkuPublicIPAddressesMustBeStatic",
        ),
        ({"sku": {"name": "Basic"}}, "IPv4BasicSkuPublicIpCountLimitReached"),
        ({"zones": ["9"]}, "ZonesNotAvailableInRegion"),
    ],
)
def test_an_address_that_azure_would_not_give_is_refused(azure: Azure, change: Json, code: str) -> None:
    refused = refusal(azure.network.public_ip_addresses.begin_create_or_update, "rg", "door", {**ADDRESS, **change})

    assert refused[:2] == (400, code)


def test_an_address_keeps_its_number_and_its_sku(azure: Azure) -> None:
    begin = azure.network.public_ip_addresses.begin_create_or_update
    first = azure.finish(begin, "rg", "door", ADDRESS).as_dict()
    again = azure.finish(begin, "rg", "door", {**ADDRESS, "tags": {"a": "b"}}).as_dict()

    assert first["properties"]["ipAddress"] == again["properties"]["ipAddress"]
    assert refusal(begin, "rg", "door", {**ADDRESS, "zones": ["1"]})[1] == "ResourceAvailabilityZonesCannotBeModified"
    assert refusal(begin, "rg", "door", {**ADDRESS, "sku": {"name": "StandardV2"}})[1] == "SkuPropertyCannotBeChanged"


def test_a_bastion_holds_its_subnet_and_address_and_lets_them_go(azure: Azure) -> None:
    network = azure.network
    door = azure.finish(network.public_ip_addresses.begin_create_or_update, "rg", "door", ADDRESS)
    put_network(azure)
    small = put_subnet(azure, "AzureBastionSubnet", "10.0.0.0/27")

    def a_bastion() -> Json:
        place = {"subnet": {"id": small["id"]}, "publicIPAddress": {"id": door.id}}
        return {"location": "eastus", "properties": {"ipConfigurations": [{"name": "ip", "properties": place}]}}

    refused = refusal(network.bastion_hosts.begin_create_or_update, "rg", "bastion", a_bastion())
    put_subnet(azure, "AzureBastionSubnet", "10.0.0.0/26")
    made = azure.finish(network.bastion_hosts.begin_create_or_update, "rg", "bastion", a_bastion())

    assert refused[0] == 400
    assert made.as_dict()["properties"]["dnsName"].endswith(".bastion.azure.com")
    assert [row.name for row in network.bastion_hosts.list()] == ["bastion"]
    assert refusal(network.subnets.begin_delete, "rg", "net", "AzureBastionSubnet")[1] == "InUseSubnetCannotBeDeleted"
    assert refusal(network.public_ip_addresses.begin_delete, "rg", "door")[1] == "PublicIPAddressCannotBeDeleted"
    azure.finish(network.bastion_hosts.begin_delete, "rg", "bastion")
    azure.finish(network.subnets.begin_delete, "rg", "net", "AzureBastionSubnet")
    azure.finish(network.public_ip_addresses.begin_delete, "rg", "door")


# --- peerings ---


def peer(azure: Azure, here: str, there: str, **options: Any) -> Any:
    body = {"properties": {"remoteVirtualNetwork": {"id": network_id(f"virtualNetworks/{there}")}}}
    begin = azure.network.virtual_network_peerings.begin_create_or_update
    return azure.finish(begin, "rg", here, f"to-{there}", body, **options).as_dict()["properties"]


def state(azure: Azure, here: str, there: str) -> str:
    found: Any = azure.network.virtual_network_peerings.get("rg", here, f"to-{there}").as_dict()
    return str(found["properties"]["peeringState"])


def test_halves_are_initiated_connected_and_disconnected(azure: Azure) -> None:
    put_network(azure, "one", "10.1.0.0/16")
    put_network(azure, "two", "10.2.0.0/16")
    first = peer(azure, "one", "two")
    second = peer(azure, "two", "one")
    connected = state(azure, "one", "two")
    azure.finish(azure.network.virtual_network_peerings.begin_delete, "rg", "two", "to-one")

    assert (first["peeringState"], second["peeringState"], connected) == ("Initiated", "Connected", "Connected")
    assert state(azure, "one", "two") == "Disconnected"
    assert first["remoteAddressSpace"] == {"addressPrefixes": ["10.2.0.0/16"]}
    with pytest.raises(Exception, match="RemotePeeringIsDisconnected"):
        peer(azure, "two", "one")
    azure.finish(azure.network.virtual_network_peerings.begin_delete, "rg", "one", "to-two")
    assert (peer(azure, "one", "two")["peeringState"], peer(azure, "two", "one")["peeringState"]) == (
        "Initiated",
        "Connected",
    )


def test_a_grown_network_is_out_of_sync_until_its_peer_takes_it_over(azure: Azure) -> None:
    put_network(azure, "one", "10.1.0.0/16")
    put_network(azure, "two", "10.2.0.0/16")
    peer(azure, "one", "two")
    peer(azure, "two", "one")
    space = {"addressSpace": {"addressPrefixes": ["10.1.0.0/16", "10.3.0.0/16"]}}
    body = {"location": "eastus", "properties": space}
    azure.finish(azure.network.virtual_networks.begin_create_or_update, "rg", "one", body)

    found: Any = azure.network.virtual_network_peerings.get("rg", "two", "to-one").as_dict()["properties"]
    synced = peer(azure, "two", "one", sync_remote_address_space="true")

    assert (found["peeringSyncLevel"], synced["peeringSyncLevel"]) != ("FullyInSync", "FullyInSync")
    assert synced["remoteAddressSpace"] == space["addressSpace"]


def test_networks_that_overlap_are_not_peered(azure: Azure) -> None:
    put_network(azure, "one", "10.1.0.0/16")
    put_network(azure, "two", "10.1.128.0/17")

    with pytest.raises(Exception, match="VnetAddressSpacesOverlap"):
        peer(azure, "one", "two")


# --- two at once ---


def test_writes_that_overlap_are_answered_as_azure_answers_them(azure: Azure) -> None:
    network: Any = azure.network
    put_network(azure, "net")
    subnet = {"properties": {"addressPrefix": "10.0.1.0/24"}}
    running = azure.start(network.subnets.begin_create_or_update, "rg", "net", "one", subnet)
    other = {"properties": {"addressPrefix": "10.0.2.0/24"}}

    assert azure.status_of(running) == "InProgress"
    assert refusal(network.subnets.begin_create_or_update, "rg", "net", "two", other)[:2] == (
        409,
        "AnotherOperationInProgress",
    )
    assert refusal(network.virtual_networks.begin_delete, "rg", "net")[0] == 409
    azure.wait(30)
    azure.finish(network.subnets.begin_create_or_update, "rg", "net", "two", other)

    groups = network.network_security_groups
    first = azure.start(groups.begin_create_or_update, "rg", "nsg", GROUP)
    second = azure.finish(groups.begin_create_or_update, "rg", "nsg", {**GROUP, "tags": {"a": "b"}})
    assert (azure.status_of(first), second.tags) == ("Canceled", {"a": "b"})


def test_a_reference_to_what_is_not_there_not_ready_or_elsewhere_is_refused(azure: Azure) -> None:
    put_network(azure, "net")
    groups = azure.network.network_security_groups
    azure.finish(groups.begin_create_or_update, "rg", "far", {"location": "westus", "properties": {}})
    azure.start(groups.begin_create_or_update, "rg", "early", GROUP)

    def refused(name: str) -> str:
        place = {"id": network_id(f"networkSecurityGroups/{name}")}
        body = {"properties": {"addressPrefix": "10.0.0.0/24", "networkSecurityGroup": place}}
        return refusal(azure.network.subnets.begin_create_or_update, "rg", "net", "nodes", body)[1]

    assert [refused(name) for name in ("none", "far", "early")] == [
        "InvalidResourceReference",
        "InvalidResourceReference",
        "ReferencedResourceNotProvisioned",
    ]
