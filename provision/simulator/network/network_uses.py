"""What resources of Network refer to, and what keeps them from going because others refer to them."""

from __future__ import annotations

from provision.simulator.network import bastions, public_addresses, subnets
from provision.simulator.refusals import network_errors
from provision.simulator.state import instances
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Resource, ScaleSet, World
from provision.simulator.wire.messages import Json

_REFERRED = {
    "networkSecurityGroup": "microsoft.network/networksecuritygroups",
    "publicIpAddresses": public_addresses.TYPE,
    "publicIPAddress": public_addresses.TYPE,
    "natGateway": public_addresses.GATEWAY,
    "subnet": subnets.TYPE,
    "remoteVirtualNetwork": "microsoft.network/virtualnetworks",
    "virtualNetwork": "microsoft.network/virtualnetworks",
}
"""What the properties that refer to something refer to. A peering may reach into other regions; nothing else may."""


def check_references(world: World, rid: ResourceId, location: str, stored: Json) -> None:
    """Refuse a reference to what is absent, elsewhere or not ready."""
    for name, target in sorted(references(stored)):
        found = check_reference(world, name, target, location, rid)
        # Of a peering's other network more is asked, and more is said, in `peerings`.
        if found.state != "Succeeded" and name != "remoteVirtualNetwork":
            raise network_errors.reference_not_ready(found.id, rid.text, found.state)


def check_reference(world: World, name: str, target: str, location: str, source: ResourceId) -> Resource:
    """Return what a body refers to under a name; refuse what is absent, elsewhere, going, or of another type."""
    found = world.resources.get(target.lower())
    elsewhere = found is not None and found.location != location and name != "remoteVirtualNetwork"
    if found is None or elsewhere or _REFERRED.get(name, found.type.lower()) != found.type.lower():
        raise network_errors.bad_reference(target, source.text)
    if found.state == "Deleting" and name != "remoteVirtualNetwork":
        raise network_errors.reference_not_ready(found.id, source.text, found.state)
    return found


def references(value: object, name: str = "") -> set[tuple[str, str]]:
    """Return what a body refers to by `{"id": …}`, each with the name of the property that does."""
    found: set[tuple[str, str]] = set()
    if isinstance(value, dict):
        target = value.get("id")
        if isinstance(target, str) and ("/providers/" in target or name in _REFERRED):
            found.add((name, target))
        for key, inner in value.items():
            found |= references(inner, key)
    elif isinstance(value, list):
        for inner in value:
            found |= references(inner, name)
    return found


def refuse_in_use(world: World, row: Resource) -> None:
    """Refuse to delete what others refer to."""
    type_ = row.type.lower()
    users = world.resources.users(row.key)
    if type_ == subnets.TYPE:
        subnets.refuse_in_use(world, row)
    elif type_ == "microsoft.network/virtualnetworks":
        for child in subnets.of(world, row.key):
            subnets.refuse_in_use(world, child)
    elif type_ == "microsoft.network/networksecuritygroups":
        using = [user.id for user in users if not isinstance(user, ScaleSet) or instances.count(user)]
        if using:
            raise network_errors.security_group_in_use(row.id, using)
    elif type_ == public_addresses.TYPE and users:
        raise network_errors.address_in_use(row.id, bastions.holder_of(world, row) or users[0].id)
    elif type_ == public_addresses.GATEWAY and users:
        raise network_errors.gateway_in_use(row.id, len(users))
