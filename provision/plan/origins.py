"""Decides which line of the environment file a property of a resource comes from."""

from __future__ import annotations

from provision.arm import BASTIONS, FILE_SYSTEMS, PEERINGS, SCALE_SETS
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


def origin_of(type: str, path: str, pool: str | None, region: str, name: str, own: Path | None = None) -> Path:
    """Return the path in the environment file that causes a property of a resource, `name` in that file.

    `own`: the path of the unit of one's own that makes it.
    """
    if path.startswith("tags"):
        return ("tags", *([path[5:]] if path[5:] else []))
    if own is not None:
        return own
    if type.lower() == FILE_SYSTEMS.lower():
        return ("storage", name, *(key for start, key in _OF_FILE_SYSTEMS if path.startswith(start)))
    if type.lower() in (BASTIONS.lower(), PEERINGS.lower()):
        return ("network", "bastion" if type.lower() == BASTIONS.lower() else "peering")
    if type.lower() != SCALE_SETS.lower():
        return ("network", *(key for start, key in _OF_NETWORKS if path.startswith(start)))
    if path.startswith("zones"):
        return ("regions", region, "zone")
    keys = [key for start, key in _OF_SCALE_SETS if path.startswith(start)][:1]
    return ("pools", pool or "", *keys, *([region] if keys == ["nodes"] else []))
