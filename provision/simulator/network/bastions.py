"""Bastion hosts: what they need, and the subnet and address that they hold."""

from __future__ import annotations

from collections.abc import Iterator

from provision.simulator.bodies.bodies import at_path
from provision.simulator.network import names, security_groups
from provision.simulator.network.prefixes import parsed, prefixes_of
from provision.simulator.refusals import network_errors
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Resource, World
from provision.simulator.wire.messages import Json

TYPE = "microsoft.network/bastionhosts"
SUBNET_NAME = "azurebastionsubnet"
_BASIC_UNITS = 2
SMALLEST_PREFIX = 26
"""Since 2021-11-02 nothing smaller is taken: azure-docs, bastion-faq, "subnet"."""

_SWITCHES = (
    "enableTunneling",
    "disableCopyPaste",
    "enableFileCopy",
    "enableIpConnect",
    "enableShareableLink",
    "enableKerberos",
)
_SKUS = ("Developer", "Basic", "Standard", "Premium")
"""From the least to the most: a host can be raised, and not lowered."""
_OF_STANDARD = ("enableTunneling", "enableFileCopy", "enableIpConnect", "enableShareableLink")
_OF_PREMIUM = ("enableSessionRecording", "enablePrivateOnlyBastion")
_PASSES = (
    ("Inbound", 443, "*", "*"),
    ("Inbound", 443, "GatewayManager", "*"),
    ("Outbound", 443, "*", "AzureCloud"),
    ("Outbound", 22, "*", "VirtualNetwork"),
    ("Outbound", 3389, "*", "VirtualNetwork"),
)
"""What the security group of the host's subnet has to let pass: azure-docs, bastion-nsg."""


def filled(world: World, rid: ResourceId, body: Json, before: Resource | None) -> Json:
    """Return what is kept of the properties, with Azure's defaults."""
    properties = body["properties"]
    name = before.properties["dnsName"] if before is not None else f"bst-{world.guid()}.bastion.azure.com"
    switches = dict.fromkeys(_SWITCHES, False)
    configurations = [_configuration(each) for each in properties.get("ipConfigurations") or []]
    return {**switches, "scaleUnits": 2, **properties, "dnsName": name, "ipConfigurations": configurations}


def check(world: World, rid: ResourceId, body: Json, before: Resource | None) -> None:
    """Refuse a host without a subnet and an address as Bastion wants them. What it refers to is known to exist."""
    sku, properties = body["sku"]["name"], body["properties"]
    _check_sku(rid, sku, properties, before)
    configurations = properties["ipConfigurations"]
    if sku == "Developer":
        if properties.get("virtualNetwork") is None:
            raise network_errors.bastion_lacks(rid.text, "a virtual network")
        return
    if not configurations:
        raise network_errors.bastion_lacks(rid.text, "an IP configuration")
    for each in configurations:
        names.check_entry(each["name"])
        subnet, address = (at_path(each, f"properties.{name}.id") for name in ("subnet", "publicIPAddress"))
        _check_subnet(world, rid, world.resources[subnet.lower()])
        if address is not None:
            _check_address(world, rid, world.resources[address.lower()])
        elif not properties.get("enablePrivateOnlyBastion"):
            raise network_errors.bastion_lacks(rid.text, "a public IP address")


def check_group(world: World, group: str, subnet: str) -> None:
    """Refuse a security group for the host's subnet that keeps off what the host needs."""
    row = world.resources.get(group.lower())
    if row is None:
        return
    rows = [each for each in world.resources.children(row.key) if each.type.lower() == security_groups.RULE]
    if not all(security_groups.allows(rows, *each) for each in _PASSES):
        raise network_errors.group_keeps_bastion_off(row.rid.name, subnet)


def holder_of(world: World, address: Resource) -> str | None:
    """Return the id of the ip configuration that holds an address, where a Bastion host does."""
    for user in world.resources.users(address.key):
        if user.type.lower() == TYPE:
            for each in user.properties["ipConfigurations"]:
                if str(at_path(each, "properties.publicIPAddress.id")).lower() == address.key:
                    return _id(user, each)
    return None


def addresses_in(row: Resource, subnet: str) -> Iterator[str]:
    """Yield the ids of a host's ip configurations in a subnet."""
    for each in row.properties["ipConfigurations"]:
        if str(at_path(each, "properties.subnet.id")).lower() == subnet:
            yield _id(row, each)


def shown(row: Resource) -> Json:
    """Return the ip configurations as Network shows them, each a resource of its own."""
    return {
        "ipConfigurations": [
            {
                "name": each["name"],
                "id": _id(row, each),
                "etag": row.etag,
                "type": "Microsoft.Network/bastionHosts/bastionHostIpConfigurations",
                "properties": {"provisioningState": row.state, **each["properties"]},
            }
            for each in row.properties["ipConfigurations"]
        ]
    }


def _configuration(given: Json) -> Json:
    return {"name": given["name"], "properties": {"privateIPAllocationMethod": "Dynamic", **given["properties"]}}


def _check_sku(rid: ResourceId, sku: str, properties: Json, before: Resource | None) -> None:
    rank = _SKUS.index(sku)
    if before is not None and _SKUS.index(before.body["sku"]["name"]) > rank:
        raise network_errors.bastion_lowered(rid.text, before.body["sku"]["name"], sku)
    for switches, needed in ((_OF_STANDARD, "Standard"), (_OF_PREMIUM, "Premium")):
        stated = next((name for name in switches if properties.get(name)), None)
        if stated is not None and rank < _SKUS.index(needed):
            raise network_errors.bastion_needs(rid.text, stated, needed, sku)
    if properties["scaleUnits"] > _BASIC_UNITS and rank < _SKUS.index("Standard"):
        raise network_errors.bastion_needs(rid.text, "scaleUnits", "Standard", sku)


def _check_subnet(world: World, rid: ResourceId, subnet: Resource) -> None:
    if subnet.rid.name.lower() != SUBNET_NAME:
        raise network_errors.bastion_subnet_name(subnet.id)
    for prefix in prefixes_of(subnet.properties):
        if parsed(prefix).prefixlen > SMALLEST_PREFIX:
            raise network_errors.bastion_subnet_small(subnet.id, prefix)
    for user in world.resources.users(subnet.key):
        if user.type.lower() == TYPE and user.key != rid.key:
            raise network_errors.bastion_twice(rid.text, user.id, subnet.id)


def _check_address(world: World, rid: ResourceId, address: Resource) -> None:
    sku, method = address.body["sku"]["name"], address.properties["publicIPAllocationMethod"]
    if sku != "Standard" or method != "Static":
        raise network_errors.bastion_address(address.id)
    for user in world.resources.users(address.key):
        if user.key != rid.key:
            raise network_errors.address_taken(rid.text, address.id, holder_of(world, address) or user.id)


def _id(row: Resource, configuration: Json) -> str:
    return f"{row.id}/bastionHostIpConfigurations/{configuration['name']}"
