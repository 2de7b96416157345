"""Decides how an environment file states what Azure fixed when something was made: by which key, with which value.

What no key states can be left as it is, with an entry of `ignore`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from provision.arm import FILE_SYSTEMS, SCALE_SETS, VIRTUAL_NETWORKS
from provision.catalog.changes import INDEX

Body = Mapping[str, Any]
_PROFILE = "properties.virtualMachineProfile"
_INTERFACES = f"{_PROFILE}.networkProfile.networkInterfaceConfigurations"

#: Of a scale set: a path, the key with its place, and what the set has there as the file would say it.
_OF_SCALE_SETS: tuple[tuple[str, str, Callable[[Body], Any]], ...] = (
    ("zones", "regions.{region}.zone", lambda body: _only(body.get("zones"))),
    ("sku.name", "pools.{pool}.size", lambda body: body["sku"]["name"]),
    (f"{_PROFILE}.osProfile.computerNamePrefix", "{set}.computer_name_prefix", lambda b: _os(b)["computerNamePrefix"]),
    (f"{_PROFILE}.osProfile.adminUsername", "pools.{pool}.admin_user", lambda body: _os(body)["adminUsername"]),
    (
        "properties.platformFaultDomainCount",
        "{set}.platform_fault_domains",
        lambda body: body["properties"]["platformFaultDomainCount"],
    ),
    (f"{_PROFILE}.storageProfile.imageReference", "pools.{pool}.image", lambda body: _image(body)),
    (f"{_PROFILE}.storageProfile.osDisk", "pools.{pool}.os_disk.kind", lambda body: _disk(body)),
    (f"{_PROFILE}.priority", "pools.{pool}.priority", lambda body: str(_profile(body).get("priority", "")).lower()),
    (f"{_PROFILE}.evictionPolicy", "pools.{pool}.priority", lambda body: None),
    (
        f"{_INTERFACES}[].properties.ipConfigurations[].properties.subnet",
        "regions.{region}.subnets.nodes",
        lambda body: _address(body)["properties"]["subnet"]["id"],
    ),
    (f"{_INTERFACES}[].properties.ipConfigurations[]", "{set}.ip_configuration", lambda body: _address(body)["name"]),
    (f"{_INTERFACES}[]", "{set}.interface", lambda body: _interface(body)["name"]),
)


def remedy_of(type: str, path: str, there: Body, region: str, pool: str | None, unit: str) -> str:
    """Return how the environment file can state what a resource `there` has at a path that Azure does not change."""
    plain = INDEX.sub("[]", path)
    kind = type.lower()
    if kind == VIRTUAL_NETWORKS.lower():
        return _of_network(plain, region)
    if kind == FILE_SYSTEMS.lower():
        return "state its tier, size_tib and zone as they are, beneath `storage`"
    if kind != SCALE_SETS.lower():
        return _left_alone("network", path)
    if plain == "sku.capacity":
        nodes = (there.get("sku") or {}).get("capacity")
        return (
            f"it has {nodes} nodes: state pools.{pool}.nodes and domain_size as they are; sets fill in order, so those "
            "of other sizes need pools of their own"
        )
    if plain == "properties.singlePlacementGroup":
        return f"state pools.{pool}.infiniband: none, if its nodes need none; no set goes back to one placement group"
    number = unit.rpartition("-")[2]
    places = {"region": region, "pool": pool, "set": f"regions.{region}.pools.{pool}.scale_sets[{number}]"}
    for covered, key, value_of in _OF_SCALE_SETS:
        if plain == covered or plain.startswith(f"{covered}."):
            try:
                value = value_of(there)
            except (KeyError, IndexError, TypeError):
                value = None
            return f"state {key.format(**places)}: {json.dumps(value)}" if value else _left_alone(f"pools.{pool}", path)
    return _left_alone(f"pools.{pool}", path)


def _left_alone(at: str, path: str) -> str:
    if path == "location":
        return "no region of the file is where it stands: leave it to its owner"
    return f"no key states it; leave it as it is: ignore: [{{at: {at}, property: {path}, owner: WHO}}]"


def _of_network(path: str, region: str) -> str:
    if path.startswith("properties.addressPrefix"):
        return f"state regions.{region}.subnets as they are"
    if path.startswith("properties.addressSpace"):
        return f"state regions.{region}.address_space as it is"
    return _left_alone("network", path)


def _profile(body: Body) -> Body:
    profile: Body = body["properties"]["virtualMachineProfile"]
    return profile


def _os(body: Body) -> Body:
    profile: Body = _profile(body)["osProfile"]
    return profile


def _interface(body: Body) -> Body:
    (interface,) = _profile(body)["networkProfile"]["networkInterfaceConfigurations"]
    found: Body = interface
    return found


def _address(body: Body) -> Body:
    (address,) = _interface(body)["properties"]["ipConfigurations"]
    found: Body = address
    return found


def _image(body: Body) -> str:
    reference = _profile(body)["storageProfile"]["imageReference"]
    if "id" in reference:
        return str(reference["id"])
    return ":".join(str(reference[part]) for part in ("publisher", "offer", "sku", "version"))


def _disk(body: Body) -> str | None:
    disk = _profile(body)["storageProfile"]["osDisk"]
    if "diffDiskSettings" in disk:
        return "ephemeral"
    kind = (disk.get("managedDisk") or {}).get("storageAccountType")
    return "premium" if kind == "Premium_LRS" else None


def _only(values: Any) -> Any:
    return values[0] if isinstance(values, list) and len(values) == 1 else None
