"""What Network makes of a request body: defaults filled in, read-only parts left out, names checked."""

from __future__ import annotations

import ipaddress
from typing import Any

from provision.simulator.bodies import without_nulls
from provision.simulator.ids import ResourceId
from provision.simulator.messages import Json
from provision.simulator.network_errors import network
from provision.simulator.world import Resource, World

_DEFAULT_RULES = (
    (
        "AllowVnetInBound",
        "Allow inbound traffic from all VMs in VNET",
        65000,
        "Inbound",
        "Allow",
        "VirtualNetwork",
        "VirtualNetwork",
    ),
    (
        "AllowAzureLoadBalancerInBound",
        "Allow inbound traffic from azure load balancer",
        65001,
        "Inbound",
        "Allow",
        "AzureLoadBalancer",
        "*",
    ),
    ("DenyAllInBound", "Deny all inbound traffic", 65500, "Inbound", "Deny", "*", "*"),
    (
        "AllowVnetOutBound",
        "Allow outbound traffic from all VMs to all VMs in VNET",
        65000,
        "Outbound",
        "Allow",
        "VirtualNetwork",
        "VirtualNetwork",
    ),
    (
        "AllowInternetOutBound",
        "Allow outbound traffic from all VMs to Internet",
        65001,
        "Outbound",
        "Allow",
        "*",
        "Internet",
    ),
    ("DenyAllOutBound", "Deny all outbound traffic", 65500, "Outbound", "Deny", "*", "*"),
)

_RULE_KEYS = ("protocol", "access", "priority", "direction")


def security_group(world: World, rid: ResourceId, properties: Json, before: Resource | None) -> Json:
    kept = _kept(world, properties, before)
    rules = [_rule(rule) for rule in properties.get("securityRules") or []]
    taken: dict[tuple[Any, Any], str] = {}
    for rule in rules:
        place = (rule["properties"]["direction"], rule["properties"]["priority"])
        if place in taken:
            raise network(
                400,
                "SecurityRuleConflict",
                f"Security rule {rule['name']} conflicts with rule {taken[place]}. Rules cannot have the same Priority "
                "and Direction. To learn more see aka.ms/nsgrules.",
            )
        taken[place] = rule["name"]
    return {**kept, "securityRules": rules}


def default_rules(resource_id: str, etag: str) -> list[Json]:
    return [
        {
            "name": name,
            "id": f"{resource_id}/defaultSecurityRules/{name}",
            "etag": etag,
            "type": "Microsoft.Network/networkSecurityGroups/defaultSecurityRules",
            "properties": {
                "provisioningState": "Succeeded",
                "description": description,
                "protocol": "*",
                "sourcePortRange": "*",
                "destinationPortRange": "*",
                "sourceAddressPrefix": source,
                "destinationAddressPrefix": destination,
                "access": access,
                "priority": priority,
                "direction": direction,
                "sourcePortRanges": [],
                "destinationPortRanges": [],
                "sourceAddressPrefixes": [],
                "destinationAddressPrefixes": [],
            },
        }
        for name, description, priority, direction, access, source, destination in _DEFAULT_RULES
    ]


def public_address(world: World, rid: ResourceId, properties: Json, before: Resource | None) -> Json:
    kept = _kept(world, properties, before)
    number = world.number() if before is None else 0
    address = (
        f"20.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
        if before is None
        else before.properties["ipAddress"]
    )
    return {
        "publicIPAddressVersion": "IPv4",
        "publicIPAllocationMethod": "Dynamic",
        "idleTimeoutInMinutes": 4,
        "ipTags": [],
        "ddosSettings": {"protectionMode": "VirtualNetworkInherited"},
        **kept,
        "ipAddress": address,
    }


def nat_gateway(world: World, rid: ResourceId, properties: Json, before: Resource | None) -> Json:
    return {"idleTimeoutInMinutes": 4, **_kept(world, properties, before)}


def virtual_network(world: World, rid: ResourceId, properties: Json, before: Resource | None) -> Json:
    kept = _kept(world, properties, before)
    for children in ("subnets", "virtualNetworkPeerings"):
        kept.pop(children, None)
    prefixes = (kept.get("addressSpace") or {}).get("addressPrefixes")
    if not prefixes:
        raise network(400, "InvalidRequestFormat", "The address space of a virtual network must have a prefix.")
    for prefix in prefixes:
        parsed(prefix)
    return {"privateEndpointVNetPolicies": "Disabled", "enableDdosProtection": False, **kept}


def subnet(world: World, rid: ResourceId, properties: Json, before: Resource | None) -> Json:
    kept = properties
    if not kept.get("addressPrefix") and not kept.get("addressPrefixes"):
        raise network(400, "InvalidRequestFormat", f"Subnet '{rid.name}' must have an address prefix.")
    for prefix in prefixes_of(kept):
        parsed(prefix)
    return {
        "delegations": [],
        "privateEndpointNetworkPolicies": "Disabled",
        "privateLinkServiceNetworkPolicies": "Enabled",
        **kept,
    }


def peering(world: World, rid: ResourceId, properties: Json, before: Resource | None) -> Json:
    kept = _kept(world, properties, before)
    return {
        "allowVirtualNetworkAccess": True,
        "allowForwardedTraffic": False,
        "allowGatewayTransit": False,
        "useRemoteGateways": False,
        "doNotVerifyRemoteGateways": False,
        **kept,
    }


def prefixes_of(properties: Json) -> list[str]:
    prefixes: list[str] = properties.get("addressPrefixes") or [properties["addressPrefix"]]
    return prefixes


def parsed(prefix: Any) -> ipaddress.IPv4Network:
    try:
        return ipaddress.IPv4Network(prefix)
    except ValueError as error:
        message = f"The address prefix {prefix} in the request is not formatted correctly."
        raise network(400, "InvalidAddressPrefixFormat", message) from error


def _kept(world: World, properties: Json, before: Resource | None) -> Json:
    guid = world.guid() if before is None else before.properties["resourceGuid"]
    return {"resourceGuid": guid, **properties}


def _rule(rule: Any) -> Json:
    properties = rule.get("properties") if isinstance(rule, dict) else None
    if not isinstance(properties, dict) or not rule.get("name"):
        raise network(400, "InvalidRequestFormat", "A security rule has a name and properties.")
    for key in _RULE_KEYS:
        if properties.get(key) is None:
            message = (
                f"Required security rule parameters are missing for security rule {rule['name']}. Parameter: {key}."
            )
            raise network(400, "SecurityRuleParameterMissing", message)
    priority = properties["priority"]
    if not isinstance(priority, int) or not 100 <= priority <= 4096:
        message = (
            f"Security rule has invalid Priority. Value provided: {priority}. Allowed range 100-4096. "
            f"Rule {rule['name']}."
        )
        raise network(400, "SecurityRuleInvalidPriority", message)
    kept = {key: value for key, value in without_nulls(properties).items() if key != "provisioningState"}
    lists = (
        "sourcePortRanges",
        "destinationPortRanges",
        "sourceAddressPrefixes",
        "destinationAddressPrefixes",
    )
    return {"name": rule["name"], "properties": {**kept, **{key: kept.get(key, []) for key in lists}}}
