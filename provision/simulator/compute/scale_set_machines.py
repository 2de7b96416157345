"""What Compute refuses of how the machines of a set are to be: who logs in, what first boot is told, disks, interfaces.

Wordings are Azure's where they are known from public material: for users, keys, passwords, data, names, interfaces and
disks that are too small. Those for ranges, and for what does not go together, are of its form.
"""

from __future__ import annotations

import base64
import binascii
import re

from provision.simulator.bodies.bodies import at_path
from provision.simulator.compute.scale_set_defaults import IMAGE_DISK_GIB
from provision.simulator.refusals.errors import Refusal, bad_parameter, missing_parameter, not_allowed, service
from provision.simulator.state.facts import Size, sizes
from provision.simulator.state.world import ScaleSet
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import seconds_in

MOST_BASE64 = 87380
"""Characters of base64 that hold 65,535 bytes."""
SPOT = ("Spot", "Low")
_LONGEST_NAME = 64
_SUFFIX = 6
"""The characters that Azure adds to the prefix of a computer's name."""
_BAD_IN_NAMES = re.compile(r"""[`~!@#$%^&*()=+_\[\]{}\\|;:'",<>/?.\s]""")
_TAKEN_USERS = frozenset(
    (
        *("1", "123", "a", "actuser", "adm", "admin", "admin1", "admin2", "administrator", "aspnet", "backup"),
        *("console", "david", "guest", "john", "owner", "root", "server", "sql", "support", "support_388945a0"),
        *("sys", "test", "test1", "test2", "test3", "user", "user1", "user2", "user3", "user4", "user5", "video"),
    )
)
_DURATIONS = (
    ("automaticRepairsPolicy.gracePeriod", "PT10M", "PT90M"),
    ("virtualMachineProfile.extensionProfile.extensionsTimeBudget", "PT15M", "PT120M"),
    ("virtualMachineProfile.scheduledEventsProfile.terminateNotificationProfile.notBeforeTimeout", "PT5M", "PT15M"),
    ("virtualMachineProfile.scheduledEventsProfile.osImageNotificationProfile.notBeforeTimeout", "PT15M", "PT15M"),
)
"""Paths in `properties`, each with the shortest and the longest time: REST descriptions of 2025-11-01."""


def check_sent(change: Json) -> None:
    """Refuse what a body says that never comes back, and so can be looked at only when it is sent."""
    profile = at_path(change, "properties.virtualMachineProfile") or {}
    os_profile = profile.get("osProfile") or {}
    _check_base64(os_profile.get("customData"), "Custom data in OSProfile", "customData")
    _check_base64(profile.get("userData"), "User data in VirtualMachineProfile", "userData")
    _check_password(os_profile.get("adminPassword"))


def check(row: ScaleSet) -> None:
    profile = row.properties["virtualMachineProfile"]
    size = sizes().get(str(row.body["sku"]["name"]).lower())
    _check_domains(row)
    _check_durations(row)
    _check_priority(profile)
    if "osProfile" in profile:
        _check_os(row, profile["osProfile"])
    _check_disks(row, profile.get("storageProfile", {}), size)
    _check_interfaces(row, profile.get("networkProfile", {}).get("networkInterfaceConfigurations", []), size)
    _check_security(row, profile.get("securityProfile", {}), size)


def _check_base64(text: str | None, what: str, target: str) -> None:
    if text is None:
        return
    try:
        base64.b64decode(text, validate=True)
        fits = len(text) <= MOST_BASE64
    except (binascii.Error, ValueError):
        fits = False
    if not fits:
        message = f"{what} must be in Base64 encoding and with a maximum length of {MOST_BASE64} characters."
        raise bad_parameter(target, message)


def _check_password(password: str | None) -> None:
    if password is None:
        return
    kinds = (str.isupper, str.islower, str.isdigit, lambda letter: not letter.isalnum())
    met = sum(any(kind(letter) for letter in password) for kind in kinds)
    if not 6 <= len(password) <= 72 or met < 3 or any(ord(letter) < 32 for letter in password):
        message = (
            "The supplied password must be between 6-72 characters long and must satisfy at least 3 of password "
            "complexity requirements from the following:\r\n1) Contains an uppercase character\r\n2) Contains a "
            "lowercase character\r\n3) Contains a numeric digit\r\n4) Contains a special character\r\n5) Control "
            "characters are not allowed"
        )
        raise bad_parameter("adminPassword", message)


def _check_os(row: ScaleSet, os_profile: Json) -> None:
    prefix, user = os_profile.get("computerNamePrefix", row.rid.name), os_profile.get("adminUsername")
    if len(prefix) + _SUFFIX > _LONGEST_NAME or _BAD_IN_NAMES.search(prefix):
        message = (
            f"Linux host name cannot exceed {_LONGEST_NAME} characters in length or contain the following characters: "
            "` ~ ! @ # $ % ^ & * ( ) = + _ [ ] { } \\ | ; : ' \" , < > / ?."
        )
        raise bad_parameter("osProfile.computerNamePrefix", message)
    if user is None:
        raise bad_parameter(
            "osProfile.adminUsername", "Required parameter 'osProfile.adminUsername' is missing (null)."
        )
    if user.lower() in _TAKEN_USERS:
        raise bad_parameter("adminUsername", "The Admin Username specified is not allowed.")
    linux = os_profile.get("linuxConfiguration")
    if linux is not None:
        _check_login(row, user, linux)


def _check_login(row: ScaleSet, user: str, linux: Json) -> None:
    keys = at_path(linux, "ssh.publicKeys") or []
    with_password = not linux["disablePasswordAuthentication"] and "osProfile.adminPassword" in row.secrets
    if not keys and not with_password:
        message = "Authentication using either SSH or by user name and password must be enabled in Linux profile."
        raise bad_parameter("linuxConfiguration", message)
    place = f"/home/{user}/.ssh/authorized_keys"
    for key in keys:
        if key.get("path") not in (None, place):
            message = (
                f"Destination path for SSH public keys is currently limited to its default value {place} due to a "
                "known issue in Linux provisioning agent."
            )
            raise bad_parameter("linuxConfiguration.ssh.publicKeys.path", message)
        if not str(key.get("keyData", "")).strip():
            path = "linuxConfiguration.ssh.publicKeys.keyData"
            raise bad_parameter(path, f"The value of parameter {path} is invalid.")


def _check_priority(profile: Json) -> None:
    spot = profile.get("priority") in SPOT
    for key, what in (("evictionPolicy", "Eviction policy"), ("billingProfile", "Max price")):
        if key in profile and not spot:
            message = (
                f"{what} can be set only on Azure Spot Virtual Machines. "
                "For more information, see http://aka.ms/AzureSpot/errormessages."
            )
            raise not_allowed(message, target=key)
    price = at_path(profile, "billingProfile.maxPrice")
    if price is not None and price != -1 and price <= 0:
        raise _invalid("billingProfile.maxPrice", price)


def _check_disks(row: ScaleSet, storage: Json, size: Size | None) -> None:
    disk = storage.get("osDisk", {})
    given = disk.get("diskSizeGB", IMAGE_DISK_GIB)
    if given < IMAGE_DISK_GIB:
        message = (
            f"The specified disk size {given} GB is smaller than the size of the corresponding disk in the VM image: "
            f"{IMAGE_DISK_GIB} GB. This is not allowed. Please choose equal or greater size or do not specify an "
            "explicit size."
        )
        raise not_allowed(message, target="osDisk.diskSizeGB")
    if disk.get("createOption") != "FromImage" and "imageReference" in storage:
        raise _invalid("osDisk.createOption", disk.get("createOption"))
    if disk.get("createOption") == "FromImage" and "imageReference" not in storage and "image" not in disk:
        raise missing_parameter("imageReference")
    if "diffDiskSettings" in disk:
        _check_ephemeral(row, disk, size)
    ultra = at_path(row.properties, "additionalCapabilities.ultraSSDEnabled")
    for data in storage.get("dataDisks", []):
        kind = data["managedDisk"]["storageAccountType"]
        if data["createOption"] not in ("Empty", "FromImage"):
            raise _invalid("dataDisk.createOption", data["createOption"])
        if kind in ("UltraSSD_LRS", "PremiumV2_LRS") and data["caching"] != "None":
            message = f"Storage Account type {kind} is not supported with caching type {data['caching']}."
            raise bad_parameter("dataDisk.caching", message)
        if kind == "UltraSSD_LRS" and not ultra:
            message = (
                "StorageAccountType UltraSSD_LRS can be used only when additionalCapabilities.ultraSSDEnabled is set."
            )
            raise bad_parameter("dataDisk.managedDisk.storageAccountType", message)


def _check_ephemeral(row: ScaleSet, disk: Json, size: Size | None) -> None:
    if size is not None and size.facts.get("ephemeral_os_disk") is False:
        message = f"OS disk of Ephemeral VM is not supported for VM size {size.name}."
        raise service(400, "NotSupported", message, target="osDisk.diffDiskSettings")
    kind = disk["managedDisk"]["storageAccountType"]
    if disk["caching"] != "ReadOnly":
        raise bad_parameter("osDisk.caching", "Ephemeral OS disks support caching type ReadOnly only.")
    if kind != "Standard_LRS":
        path = "osDisk.managedDisk.storageAccountType"
        raise bad_parameter(path, f"Ephemeral OS disks support storage account type Standard_LRS only, and not {kind}.")


def _check_interfaces(row: ScaleSet, interfaces: list[Json], size: Size | None) -> None:
    names = [each["name"].lower() for each in interfaces]
    if len(set(names)) < len(names):
        raise _invalid("networkInterfaceConfigurations.name", next(name for name in names if names.count(name) > 1))
    primary = [each for each in interfaces if each["properties"].get("primary")]
    if interfaces and len(primary) != 1:
        message = f"Virtual machine scale set {row.id} must have one network interface set as the primary."
        raise service(400, "VirtualMachineMustHaveOneNetworkInterfaceAsPrimary", message)
    networks: dict[str, str] = {}
    for interface in interfaces:
        properties = interface["properties"]
        slow = size is not None and size.facts.get("accelerated_networking") is False
        if properties["enableAcceleratedNetworking"] and slow:
            message = f"Accelerated networking is not permitted for VM size {row.body['sku']['name']}."
            raise service(400, "VMSizeIsNotPermittedToEnableAcceleratedNetworking", message)
        for address in properties["ipConfigurations"]:
            subnet = str(at_path(address, "properties.subnet.id") or "").lower()
            networks.setdefault(subnet.rpartition("/subnets/")[0], subnet)
    if len(networks) > 1:
        one, other = list(networks.values())[:2]
        raise service(400, "SubnetsNotInSameVnet", f"Subnets {one} and {other} are not in the same Virtual Network.")


def _check_security(row: ScaleSet, security: Json, size: Size | None) -> None:
    kind = security.get("securityType")
    if "uefiSettings" in security and kind in (None, "Standard"):
        message = (
            "The parameter 'uefiSettings' can only be set for VMs of securityType TrustedLaunch or ConfidentialVM."
        )
        raise service(400, "BadRequest", message)
    if kind == "TrustedLaunch" and size is not None and size.facts.get("trusted_launch") is False:
        message = f"The VM size '{size.name}' is not supported for securityType 'TrustedLaunch'."
        raise service(400, "BadRequest", message)


def _check_domains(row: ScaleSet) -> None:
    count = row.properties["platformFaultDomainCount"]
    zonal = bool(row.body.get("zones"))
    if count not in ((1, 5) if zonal else (1, 2, 3, 4, 5)):
        allowed = "be 1 or 5 in a zone" if zonal else "fall in the range 1 to 5"
        message = f"The specified fault domain count {count} must {allowed}."
        raise bad_parameter("platformFaultDomainCount", message)


def _check_durations(row: ScaleSet) -> None:
    for path, shortest, longest in _DURATIONS:
        text = at_path(row.properties, path)
        if text is None:
            continue
        seconds, least, most = (seconds_in(each) for each in (text, shortest, longest))
        assert least is not None
        assert most is not None
        if seconds is None or not least <= seconds <= most:
            raise _invalid(path.removeprefix("virtualMachineProfile."), text, f" It lies from {shortest} to {longest}.")


def _invalid(path: str, value: object, more: str = "") -> Refusal:
    return bad_parameter(path, f"The value '{value}' of parameter '{path}' is invalid.{more}")
