"""Bastion hosts: what they need, and the subnet and address that they hold."""

from __future__ import annotations

from collections.abc import Iterator

from provision.simulator import network_errors
from provision.simulator.bodies import at_path
from provision.simulator.ids import ResourceId
from provision.simulator.messages import Json
from provision.simulator.network_defaults import parsed, prefixes_of
from provision.simulator.world import Resource, World

TYPE = "microsoft.network/bastionhosts"
SUBNET_NAME = "azurebastionsubnet"
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


def filled(world: World, rid: ResourceId, properties: Json, before: Resource | None) -> Json:
    """Return what is kept of the properties, with Azure's defaults."""
    name = before.properties["dnsName"] if before is not None else f"bst-{world.guid()}.bastion.azure.com"
    switches = dict.fromkeys(_SWITCHES, False)
    configurations = [_configuration(each) for each in properties.get("ipConfigurations") or []]
    return {**switches, "scaleUnits": 2, **properties, "dnsName": name, "ipConfigurations": configurations}


def check(world: World, rid: ResourceId, body: Json) -> None:
    """Refuse a host without a subnet and an address as Bastion wants them. What it refers to is known to exist."""
    configurations = body["properties"]["ipConfigurations"]
    if not configurations:
        text = f"Bastion host {rid.text} must have an IP configuration."
        raise network_errors.network(400, "InvalidRequestFormat", text)
    for each in configurations:
        subnet, address = (at_path(each, f"properties.{name}.id") for name in ("subnet", "publicIPAddress"))
        if subnet is None or address is None:
            text = f"IP configuration {each['name']} of Bastion host {rid.text} must have a subnet and an address."
            raise network_errors.network(400, "InvalidRequestFormat", text)
        _check_subnet(world.resources[subnet.lower()])
        _check_address(world, rid, world.resources[address.lower()])


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


def _check_subnet(subnet: Resource) -> None:
    if subnet.rid.name.lower() != SUBNET_NAME:
        raise network_errors.bastion_subnet_name(subnet.id)
    for prefix in prefixes_of(subnet.properties):
        if parsed(prefix).prefixlen > SMALLEST_PREFIX:
            raise network_errors.bastion_subnet_small(subnet.id, prefix)


def _check_address(world: World, rid: ResourceId, address: Resource) -> None:
    sku, method = address.body["sku"]["name"], address.properties["publicIPAllocationMethod"]
    if sku != "Standard" or method != "Static":
        raise network_errors.bastion_address(address.id)
    for user in world.resources.users(address.key):
        if user.key != rid.key:
            raise network_errors.address_taken(rid.text, address.id, holder_of(world, address) or user.id)


def _id(row: Resource, configuration: Json) -> str:
    return f"{row.id}/bastionHostIpConfigurations/{configuration['name']}"
