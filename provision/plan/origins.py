"""Decides which line of the environment file a property of a resource comes from."""

from __future__ import annotations

from provision.arm import BASTIONS, FILE_SYSTEMS, PEERINGS, SCALE_SETS, SUBNETS
from provision.source import Path

#: What causes a property of a scale set: (its path begins with, the key of the pool).
_OF_SCALE_SETS = (
    ("sku.capacity", "nodes"),
    ("sku", "size"),
    ("properties.singlePlacementGroup", "infiniband"),
    ("properties.upgradePolicy", "upgrade"),
    ("properties.virtualMachineProfile.extensionProfile.extensions[health]", "upgrade"),
    ("properties.virtualMachineProfile.extensionProfile", "extensions"),
    ("properties.virtualMachineProfile.priority", "priority"),
    ("properties.virtualMachineProfile.evictionPolicy", "priority"),
    ("properties.virtualMachineProfile.billingProfile", "priority"),
    ("properties.virtualMachineProfile.osProfile.adminUsername", "admin_user"),
    ("properties.virtualMachineProfile.osProfile.linuxConfiguration.ssh", "ssh_public_key_file"),
    ("properties.virtualMachineProfile.osProfile.customData", "cloud_init_file"),
    ("properties.virtualMachineProfile.osProfile.customData", "size"),
    ("properties.virtualMachineProfile.storageProfile.imageReference", "image"),
    ("properties.virtualMachineProfile.storageProfile.osDisk", "os_disk"),
    ("properties.virtualMachineProfile.storageProfile.dataDisks", "data_disks"),
    ("properties.virtualMachineProfile.networkProfile", "public_ip"),
    ("identity", "identities"),
)

#: What causes a property of a network's resource: (its path begins with, the key of `network`).
_OF_NETWORKS = (
    ("properties.securityRules", "ssh_from"),
    ("properties.natGateway", "outbound"),
    ("properties.publicIpAddresses", "outbound"),
    ("properties.address", "address_space"),
)


#: What causes a property of a file system: (its path begins with, the key of the storage).
_OF_FILE_SYSTEMS = (("sku", "tier"), ("properties.storageCapacityTiB", "size_tib"), ("zones", "zone"))


def origins_of(
    type: str, path: str, pool: str | None, region: str, name: str, own: Path | None = None
) -> tuple[Path, ...]:
    """Return the paths in the environment file that may cause a property of a resource, `name` in that file.

    The nearest to it comes first: where a region states a value of its own, that is the cause. The last is the cause
    where the file states none of them. `own`: the path of the unit of one's own that makes it.
    """
    if path.startswith("tags"):
        return (("tags", *([path[5:]] if path[5:] else [])),)
    if own is not None:
        return (own,)
    if type.lower() == FILE_SYSTEMS.lower():
        return (("storage", name, *(key for start, key in _OF_FILE_SYSTEMS if path.startswith(start))),)
    if type.lower() in (BASTIONS.lower(), PEERINGS.lower()):
        return (("network", "bastion" if type.lower() == BASTIONS.lower() else "peering"),)
    if type.lower() != SCALE_SETS.lower():
        return _of_network(type, path, region, name)
    if path.startswith("zones"):
        return (("regions", region, "zone"),)
    return _of_pool(path, pool or "", region)


def _of_network(type: str, path: str, region: str, name: str) -> tuple[Path, ...]:
    keys = tuple(key for start, key in _OF_NETWORKS if path.startswith(start))
    own: tuple[Path, ...] = (("regions", region, "address_space"),) if keys == ("address_space",) else ()
    if own and type.lower() == SUBNETS.lower():
        own = (("regions", region, "subnets", name), *own)
    return (*own, ("network", *keys))


def _of_pool(path: str, pool: str, region: str) -> tuple[Path, ...]:
    keys = [key for start, key in _OF_SCALE_SETS if path.startswith(start)]
    if keys[:1] == ["nodes"]:
        return (("pools", pool, "nodes", region), ("pools", pool, "nodes"))
    causes = keys[:2] if keys[:1] == ["cloud_init_file"] else keys[:1]
    here: list[Path] = [("regions", region, "pools", pool, key) for key in causes]
    return (*here, *(("pools", pool, key) for key in causes)) or (("pools", pool),)
