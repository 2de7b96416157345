"""The network interfaces of instances, as Network shows them: they stand in the set's model, and nowhere else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from provision.simulator.network import private_addresses
from provision.simulator.network.prefixes import prefixes_of
from provision.simulator.state import instances
from provision.simulator.state.world import ScaleSet, World, guid_of
from provision.simulator.wire.messages import Json


def models(row: ScaleSet) -> list[Json]:
    """Return what the set's model says of the interfaces of each instance."""
    profile = row.properties.get("virtualMachineProfile", {}).get("networkProfile", {})
    found: list[Json] = profile.get("networkInterfaceConfigurations", [])
    return found


def in_group(world: World, group: str) -> Iterator[str]:
    """Yield the ids of the interfaces of instances that a security group is on, by set, instance and interface."""
    for user in world.resources.users(group):
        if isinstance(user, ScaleSet):
            named = [each["name"] for each in models(user) if _group_of(each).lower() == group]
            for number in instances.live(user) if named else ():
                yield from (f"{user.id}/virtualMachines/{number}/networkInterfaces/{name}" for name in named)


def _group_of(model: Json) -> str:
    return str((model["properties"].get("networkSecurityGroup") or {}).get("id", ""))


def etag(row: ScaleSet) -> str:
    return f'W/"{guid_of(row.unique_id, str(row.writes))}"'


def render(world: World, row: ScaleSet, number: int, model: Json) -> Json:
    node = f"{row.id}/virtualMachines/{number}"
    place, given = f"{node}/networkInterfaces/{model['name']}", model["properties"]
    group = given.get("networkSecurityGroup")
    return {
        "name": model["name"],
        "id": place,
        "etag": etag(row),
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": guid_of(row.unique_id, place),
            "ipConfigurations": [
                _configuration(world, row, number, model["name"], each, place) for each in given["ipConfigurations"]
            ],
            "dnsSettings": {
                "dnsServers": (given.get("dnsSettings") or {}).get("dnsServers", []),
                "appliedDnsServers": [],
                "internalDomainNameSuffix": f"{_hash(row.unique_id, 13)}.dx.internal.cloudapp.net",
            },
            "macAddress": _mac(f"{row.unique_id}{place}"),
            "enableAcceleratedNetworking": given.get("enableAcceleratedNetworking", False),
            "enableIPForwarding": given.get("enableIPForwarding", False),
            "primary": given.get("primary", True),
            "virtualMachine": {"id": node},
            "hostedWorkloads": [],
            "tapConfigurations": [],
            **({"networkSecurityGroup": group} if group else {}),
        },
    }


def _configuration(world: World, row: ScaleSet, number: int, interface: str, model: Json, place: str) -> Json:
    given = model["properties"]
    properties: Json = {"provisioningState": "Succeeded", "privateIPAllocationMethod": "Dynamic"}
    if given.get("subnet"):
        subnet = given["subnet"]["id"].lower()
        found = world.resources.get(subnet)
        ranges = prefixes_of(found.properties) if found is not None else []
        address = private_addresses.of(row, number, f"{subnet}|{interface}|{model['name']}", ranges)
        properties |= {"privateIPAddress": address} if address else {}
        properties["subnet"] = given["subnet"]
    properties["primary"] = given.get("primary", True)
    properties["privateIPAddressVersion"] = given.get("privateIPAddressVersion", "IPv4")
    return {
        "name": model["name"],
        "id": f"{place}/ipConfigurations/{model['name']}",
        "etag": etag(row),
        "properties": properties,
    }


def _mac(text: str) -> str:
    return "-".join(["00", "0D", "3A", *(f"{each:02X}" for each in bytes.fromhex(_hash(text, 3)))])


def _hash(text: str, size: int) -> str:
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()
