"""Public addresses and the NAT gateways that hold them: what is kept of a body, and what of it stays for good."""

from __future__ import annotations

import re

from provision.simulator.bodies import immutables
from provision.simulator.bodies.bodies import at_path
from provision.simulator.network import bastions
from provision.simulator.refusals import network_errors
from provision.simulator.refusals.network_errors import network
from provision.simulator.state.facts import limit, regions
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.limits import limit_of
from provision.simulator.state.world import Resource, World
from provision.simulator.tables.network_parts import PUBLIC_ADDRESS
from provision.simulator.wire.messages import Json

TYPE = "microsoft.network/publicipaddresses"
GATEWAY = "microsoft.network/natgateways"
COUNT_QUOTA, BASIC_QUOTA = "publicIPAddresses", "basicPublicIPAddresses"
MOST_ADDRESSES = 1000
"""How many a subscription may have in a region where the tester's quota says nothing; Azure's own depends on the
offer. Of the Basic SKU none can be made since it was retired on 2025-09-30."""

_LABEL = re.compile(r"[a-z][a-z0-9-]{1,61}[a-z0-9]")


def address(world: World, rid: ResourceId, body: Json, before: Resource | None) -> Json:
    """Return what is kept of the properties of an address, with Azure's defaults."""
    properties = body["properties"]
    filled: Json = {
        "publicIPAddressVersion": "IPv4",
        "publicIPAllocationMethod": "Dynamic",
        "idleTimeoutInMinutes": 4,
        "ipTags": [],
        "ddosSettings": {"protectionMode": "VirtualNetworkInherited"},
        **_with_guid(world, properties, before),
    }
    filled["ipAddress"] = before.properties["ipAddress"] if before is not None else _free(world, filled)
    return filled


def gateway(world: World, rid: ResourceId, body: Json, before: Resource | None) -> Json:
    return {"idleTimeoutInMinutes": 4, **_with_guid(world, body["properties"], before)}


def sku(type_: str, given: Json) -> Json:
    """Return the SKU of an address or a gateway with Azure's defaults."""
    return {"name": "Standard", "tier": "Regional", **given} if type_ == TYPE else {"name": "Standard", **given}


def check_address(world: World, rid: ResourceId, location: str, stored: Json, before: Resource | None) -> None:
    name, properties = stored["sku"]["name"], stored["properties"]
    if before is not None:
        _check_fixed(before, stored)
        changed = immutables.first_change(PUBLIC_ADDRESS, before.body, stored)
        if changed is not None:
            raise network_errors.fixed_property(rid.text, changed.removeprefix("properties."))
    if name != "Basic" and properties["publicIPAllocationMethod"] != "Static":
        message = f"Standard sku publicIp {rid.text} must have AllocationMethod set to Static."
        raise network(400, "StandardAndStandardV2SkuPublicIPAddressesMustBeStatic", message)
    check_zones(location, stored)
    if before is None:
        _check_number(world, rid, location, name)
    _check_label(world, rid, location, properties)


def check_gateway(world: World, rid: ResourceId, location: str, stored: Json, before: Resource | None) -> None:
    if before is not None:
        _check_fixed(before, stored)
    zones = stored.get("zones", [])
    if len(zones) > 1 and stored["sku"]["name"] == "Standard":
        message = f"NAT Gateway {rid.text} can have one availability zone only, and has {', '.join(zones)}."
        raise network(400, "NatGatewayCannotHaveMultipleZones", message)
    check_zones(location, stored)
    held = stored["properties"].get("publicIpAddresses") or []
    most = limit("nat_gateway_addresses")
    if len(held) > most:
        message = f"NAT Gateway {rid.text} cannot have more than {most} public IP addresses."
        raise network(400, "NatGatewayPublicIpAddressesLimitReached", message)
    for each in held:
        row = world.resources[each["id"].lower()]
        if row.body["sku"]["name"] != stored["sku"]["name"]:
            message = (
                f"NAT Gateway {rid.text} has SKU {stored['sku']['name']} and cannot use public IP address {row.id}, "
                f"which has SKU {row.body['sku']['name']}."
            )
            raise network(400, "NatGatewayAndPublicIpAddressSkuMismatch", message)
        refuse_taken(world, rid, row)


def check_zones(location: str, stored: Json) -> None:
    for zone in stored.get("zones", []):
        if zone not in regions()[location].zones:
            message = f"Zone '{zone}' is not available in location '{location}'."
            raise network(400, "ZonesNotAvailableInRegion", message)


def refuse_taken(world: World, rid: ResourceId, row: Resource) -> None:
    """Refuse to give an address to a resource while another one holds it."""
    for user in world.resources.users(row.key):
        if user.key != rid.key:
            raise network_errors.address_taken(rid.text, row.id, holder(world, row) or user.id)


def holder(world: World, row: Resource) -> str | None:
    """Return the id of what holds an address, as Network names it; None where nothing does."""
    host = bastions.holder_of(world, row)
    users = [user.id for user in world.resources.users(row.key)]
    return host or (users[0] if users else None)


def shown(row: Resource, location: str) -> Json:
    """Return what an address shows beside what is kept: its full name, where it has a label."""
    settings = row.properties.get("dnsSettings")
    if not settings or not settings.get("domainNameLabel"):
        return {}
    return {"dnsSettings": {**settings, "fqdn": _full_name(settings["domainNameLabel"], location)}}


def _check_fixed(before: Resource, stored: Json) -> None:
    """Refuse another SKU or other zones: both are for good."""
    was, becomes = before.body["sku"], stored["sku"]
    for key in ("name", "tier"):
        if was.get(key) != becomes.get(key):
            message = (
                f"Sku property is set at creation time and cannot be changed from {was.get(key)} to "
                f"{becomes.get(key)} on resource update for resource {before.id}."
            )
            raise network(400, "SkuPropertyCannotBeChanged", message)
    had, wants = sorted(before.body.get("zones", [])), sorted(stored.get("zones", []))
    if had != wants:
        message = (
            f"Resource {before.id} has an existing availability zone constraint {', '.join(had) or 'NoZone'} and "
            f"the request has availability zone constraint {', '.join(wants) or 'NoZone'}, which do not match. Zones "
            "cannot be added/updated/removed once the resource is created. The resource cannot be updated from "
            "regional to zonal or vice-versa."
        )
        raise network(400, "ResourceAvailabilityZonesCannotBeModified", message)


def _check_number(world: World, rid: ResourceId, location: str, name: str) -> None:
    here = f"/subscriptions/{rid.subscription}/".lower()
    rows = [row for row in world.resources.values() if row.type.lower() == TYPE and row.location == location]
    held = sum(1 for row in rows if row.key.startswith(here))
    basic = sum(1 for row in rows if row.key.startswith(here) and row.body["sku"]["name"] == "Basic")
    most = limit_of(world, rid.subscription, location, COUNT_QUOTA, MOST_ADDRESSES)
    most_basic = limit_of(world, rid.subscription, location, BASIC_QUOTA, 0)
    if name == "Basic" and basic >= most_basic:
        message = (
            f"Cannot create more than {most_basic} IPv4 Basic SKU public IP addresses for this subscription in this "
            "region."
        )
        raise network(400, "IPv4BasicSkuPublicIpCountLimitReached", message)
    if held >= most:
        message = f"Cannot create more than {most} public IP addresses for this subscription in this region."
        raise network(400, "PublicIPCountLimitReached", message)


def _check_label(world: World, rid: ResourceId, location: str, properties: Json) -> None:
    label = at_path(properties, "dnsSettings.domainNameLabel")
    if label is None:
        return
    if not _LABEL.fullmatch(label):
        message = (
            f"The domain name label {label} is invalid. It must conform to the following regular expression: "
            "^[a-z][a-z0-9-]{1,61}[a-z0-9]$."
        )
        raise network(400, "InvalidDomainNameLabel", message)
    others = [row for row in world.resources.values() if row.type.lower() == TYPE and row.location == location]
    labels = [at_path(row.properties, "dnsSettings.domainNameLabel") for row in others if row.key != rid.key]
    if label in labels:
        message = f"DNS record {_full_name(label, location)} is already used by another public IP."
        raise network(400, "DnsRecordInUse", message)


def _full_name(label: str, location: str) -> str:
    return f"{label}.{location}.cloudapp.azure.com"


def _free(world: World, filled: Json) -> str:
    """Return an address that no other has: the next one, but for those that a world brought along."""
    taken = {row.properties.get("ipAddress") for row in world.resources.of_type(TYPE)}
    found = _number(filled, world.number())
    while found in taken:
        found = _number(filled, world.number())
    return found


def _number(filled: Json, number: int) -> str:
    if filled["publicIPAddressVersion"] == "IPv6":
        return f"2603:1030:{number >> 16 & 0xFFFF:x}::{number & 0xFFFF:x}"
    return f"20.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def _with_guid(world: World, properties: Json, before: Resource | None) -> Json:
    guid = world.guid() if before is None else before.properties["resourceGuid"]
    return {"resourceGuid": guid, **properties}
