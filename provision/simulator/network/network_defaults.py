"""What Network keeps of the body of a virtual network, a subnet, a peering or a security group: with its defaults."""

from __future__ import annotations

from provision.simulator.network import names, prefixes
from provision.simulator.refusals.network_errors import network
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Resource, World
from provision.simulator.wire.messages import Json


def virtual_network(world: World, rid: ResourceId, body: Json, before: Resource | None) -> Json:
    kept = _with_guid(world, body["properties"], before)
    for children in ("subnets", "virtualNetworkPeerings"):
        kept.pop(children, None)
    space = (kept.get("addressSpace") or {}).get("addressPrefixes") or []
    prefixes.check_space(space, rid.text, rid.name)
    return {"privateEndpointVNetPolicies": "Disabled", "enableDdosProtection": False, **kept}


def subnet(world: World, rid: ResourceId, body: Json, before: Resource | None) -> Json:
    kept = body["properties"]
    if not kept.get("addressPrefix") and not kept.get("addressPrefixes"):
        message = f"Subnet {rid.name} of virtual network {rid.names[0]} must have an address prefix."
        raise network(400, "SubnetMissingAddressPrefix", message)
    for prefix in prefixes.prefixes_of(kept):
        prefixes.checked(prefix, rid.text)
    for delegation in kept.get("delegations", []):
        names.check_entry(delegation["name"])
    return {
        "delegations": [],
        "privateEndpointNetworkPolicies": "Disabled",
        "privateLinkServiceNetworkPolicies": "Enabled",
        **kept,
    }


def peering(world: World, rid: ResourceId, body: Json, before: Resource | None) -> Json:
    return {
        "allowVirtualNetworkAccess": True,
        "allowForwardedTraffic": False,
        "allowGatewayTransit": False,
        "useRemoteGateways": False,
        "doNotVerifyRemoteGateways": False,
        **_with_guid(world, body["properties"], before),
    }


def security_group(world: World, rid: ResourceId, body: Json, before: Resource | None) -> Json:
    kept = _with_guid(world, body["properties"], before)
    kept.pop("securityRules", None)
    return kept


def _with_guid(world: World, properties: Json, before: Resource | None) -> Json:
    guid = world.guid() if before is None else before.properties["resourceGuid"]
    return {"resourceGuid": guid, **properties}
