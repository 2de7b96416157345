"""What cannot change on a scale set that exists. A property that was absent and is stated now counts as changed."""

from __future__ import annotations

from provision.simulator.bodies import at_path
from provision.simulator.errors import Refusal, unchangeable
from provision.simulator.messages import Json

FIXED = (
    "plan",
    "extendedLocation",
    "properties.orchestrationMode",
    "properties.platformFaultDomainCount",
    "properties.zoneBalance",
    "properties.hostGroup",
    "properties.spotRestorePolicy",
    "properties.additionalCapabilities.ultraSSDEnabled",
    "properties.virtualMachineProfile.priority",
    "properties.virtualMachineProfile.evictionPolicy",
    "properties.virtualMachineProfile.capacityReservation",
    "properties.virtualMachineProfile.osProfile.computerNamePrefix",
    "properties.virtualMachineProfile.osProfile.allowExtensionOperations",
    "properties.virtualMachineProfile.osProfile.linuxConfiguration.provisionVMAgent",
    "properties.virtualMachineProfile.storageProfile.imageReference.publisher",
    "properties.virtualMachineProfile.storageProfile.imageReference.offer",
    "properties.virtualMachineProfile.storageProfile.osDisk.managedDisk.storageAccountType",
    "properties.virtualMachineProfile.storageProfile.osDisk.managedDisk.diskEncryptionSet",
    "properties.virtualMachineProfile.storageProfile.osDisk.managedDisk.securityProfile",
    "properties.virtualMachineProfile.storageProfile.osDisk.diffDiskSettings",
    "properties.virtualMachineProfile.securityProfile.securityType",
    "properties.virtualMachineProfile.securityProfile.uefiSettings",
    "properties.highSpeedInterconnectPlacement",
)
"""Paths of the ARM body. `adminUsername` and `upgradePolicy.mode` are not among them: sources disagree or are silent
about ARM itself, and only Terraform replaces on them."""


def check(before: Json, after: Json) -> None:
    for path in FIXED:
        if at_path(before, path) != at_path(after, path):
            raise refusal(path)
    if not at_path(before, "properties.singlePlacementGroup") and at_path(after, "properties.singlePlacementGroup"):
        raise refusal("properties.singlePlacementGroup")
    zones, new_zones = set(before.get("zones") or []), set(after.get("zones") or [])
    # Zones may be added to a zonal set; none may go, and a regional set stays regional.
    if zones != new_zones and not (zones and zones < new_zones):
        raise refusal("zones")
    if _interface_names(before) != _interface_names(after):
        raise refusal("properties.virtualMachineProfile.networkProfile.networkInterfaceConfigurations.name")


def refusal(path: str) -> Refusal:
    """Return Azure's refusal, which names paths from inside `properties`."""
    return unchangeable(path.removeprefix("properties."))


def _interface_names(body: Json) -> list[str]:
    network = at_path(body, "properties.virtualMachineProfile.networkProfile") or {}
    return sorted(each.get("name", "") for each in network.get("networkInterfaceConfigurations", []))
