"""What Network shows of a resource: what is kept, and what points back at it."""

from __future__ import annotations

from provision.simulator.network import (
    bastions,
    inline_children,
    instance_interfaces,
    peerings,
    public_addresses,
    security_groups,
    subnets,
)
from provision.simulator.network.inline_children import SUBNET
from provision.simulator.network.network import IP, NAT, NSG, PEERING, VNET
from provision.simulator.state.world import Resource, World
from provision.simulator.wire.messages import Json


def render(world: World, row: Resource) -> Json:
    rid, type_ = row.rid, row.type.lower()
    properties = {"provisioningState": row.state, **row.properties}
    if type_ == NSG:
        properties["securityRules"] = [render(world, child) for child in inline_children.rules_of(world, row.key)]
        properties["defaultSecurityRules"] = security_groups.default_rules(row.id, row.etag)
        _back_reference(properties, "subnets", world.resources.users(row.key), SUBNET)
        interfaces = [{"id": each} for each in instance_interfaces.in_group(world, row.key)]
        properties |= {"networkInterfaces": interfaces} if interfaces else {}
    elif type_ == IP:
        gateways = [user for user in world.resources.users(row.key) if user.type.lower() == NAT]
        if gateways:
            properties["natGateway"] = {"id": gateways[0].id}
        holder = bastions.holder_of(world, row)
        if holder is not None:
            properties["ipConfiguration"] = {"id": holder}
        properties |= public_addresses.shown(row, row.location)
    elif type_ == NAT:
        _back_reference(properties, "subnets", world.resources.users(row.key), SUBNET)
    elif type_ == VNET:
        children = world.resources.children(row.key)
        properties["subnets"] = [render(world, child) for child in children if child.type.lower() == SUBNET]
        properties["virtualNetworkPeerings"] = [
            render(world, child) for child in children if child.type.lower() == PEERING
        ]
    elif type_ == SUBNET:
        used = list(subnets.addresses_in(world, row.key))
        if used:
            properties["ipConfigurations"] = [{"id": address} for address in used]
    elif type_ == bastions.TYPE:
        properties.update(bastions.shown(row))
    elif type_ == PEERING:
        properties.update(peerings.shown(world, row))
    body: Json = {"name": rid.name, "id": row.id, "etag": row.etag, "type": row.type}
    if rid.parent is None:
        body["location"] = row.location
    body.update({key: value for key, value in row.body.items() if key not in ("properties", "place")})
    return {**body, "properties": properties}


def _back_reference(properties: Json, name: str, users: list[Resource], type_: str) -> None:
    found = [{"id": user.id} for user in users if user.type.lower() == type_]
    if found:
        properties[name] = found
