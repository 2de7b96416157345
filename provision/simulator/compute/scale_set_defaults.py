"""What Compute adds to the model of a scale set, and what of it never comes back."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from provision.simulator.wire.messages import Json

_ROLLING = {
    "maxBatchInstancePercent": 20,
    "maxUnhealthyInstancePercent": 20,
    "maxUnhealthyUpgradedInstancePercent": 20,
    "pauseTimeBetweenBatches": "PT0S",
}

IMAGE_DISK_GIB = 64
"""The size of an OS disk that the model leaves to the image."""


def fill(body: Json) -> Json:
    """Return the body with Azure's defaults; what is stated stays as it is."""
    sku = {"tier": "Standard", **body.get("sku", {})}
    ordered = {key: sku[key] for key in ("name", "tier", "capacity") if key in sku}
    properties = body.get("properties", {})
    defaults: Json = {
        "singlePlacementGroup": True,
        "orchestrationMode": "Uniform",
        "upgradePolicy": {"mode": "Automatic"},
        "overprovision": True,
        "doNotRunExtensionsOnOverprovisionedVMs": False,
        "platformFaultDomainCount": 1 if body.get("zones") else 5,
    }
    if body.get("zones"):
        defaults["zoneBalance"] = False
    filled = {**defaults, **properties}
    policy = {"mode": "Automatic", **filled["upgradePolicy"]}
    if policy["mode"] == "Rolling":
        policy["rollingUpgradePolicy"] = {**_ROLLING, **policy.get("rollingUpgradePolicy", {})}
    filled["upgradePolicy"] = policy
    repairs = filled.get("automaticRepairsPolicy")
    if repairs is not None:
        graceful = {"gracePeriod": "PT10M", "repairAction": "Replace"} if repairs.get("enabled") else {}
        filled["automaticRepairsPolicy"] = {"enabled": False, **graceful, **repairs}
    if "virtualMachineProfile" in filled:
        filled["virtualMachineProfile"] = _profile(filled["virtualMachineProfile"])
    rest = {key: value for key, value in body.items() if key not in ("sku", "properties", "location", "tags")}
    return {"tags": body.get("tags", {}), "sku": {**ordered, **sku}, **rest, "properties": filled}


def take_secrets(body: Json) -> dict[str, str]:
    """Take the write-only values out of a body and return their hashes by path."""
    found: dict[str, str] = {}
    profile = (body.get("properties") or {}).get("virtualMachineProfile") or {}
    os_profile = profile.get("osProfile") or {}
    for key in ("adminPassword", "customData"):
        if os_profile.get(key) is not None:
            found[f"osProfile.{key}"] = _hash(os_profile.pop(key))
    if profile.get("userData") is not None:
        found["userData"] = _hash(profile.pop("userData"))
    for extension in (profile.get("extensionProfile") or {}).get("extensions") or []:
        properties = extension.get("properties") or {}
        if properties.get("protectedSettings") is not None:
            found[f"extensions.{extension.get('name')}.protectedSettings"] = _hash(properties.pop("protectedSettings"))
    return found


def kept_secrets(secrets: dict[str, str], body: Json) -> dict[str, str]:
    """Return the hashes without those of extensions that the model no longer has."""
    profile = body["properties"].get("virtualMachineProfile", {})
    extensions = profile.get("extensionProfile", {}).get("extensions", [])
    names = {f"extensions.{extension['name']}.protectedSettings" for extension in extensions}
    return {path: value for path, value in secrets.items() if not path.startswith("extensions.") or path in names}


def _profile(profile: Json) -> Json:
    filled = dict(profile)
    if "osProfile" in filled:
        filled["osProfile"] = _os_profile(filled["osProfile"])
    if "storageProfile" in filled:
        filled["storageProfile"] = _storage(filled["storageProfile"])
    if "networkProfile" in filled:
        filled["networkProfile"] = _network(filled["networkProfile"])
    if "extensionProfile" in filled:
        filled["extensionProfile"] = _extensions(filled["extensionProfile"])
    if filled.get("priority") in ("Spot", "Low"):
        filled = {"evictionPolicy": "Deallocate", "billingProfile": {"maxPrice": -1.0}, **filled}
    return filled


def _os_profile(profile: Json) -> Json:
    filled = {"secrets": [], "allowExtensionOperations": True, "requireGuestProvisionSignal": True, **profile}
    if "windowsConfiguration" not in filled:
        linux = filled.get("linuxConfiguration", {})
        patch = {
            "patchMode": "ImageDefault",
            "assessmentMode": "ImageDefault",
            **linux.get("patchSettings", {}),
        }
        defaults = {"disablePasswordAuthentication": False, "provisionVMAgent": True}
        filled["linuxConfiguration"] = {**defaults, **linux, "patchSettings": patch}
    return filled


def _storage(storage: Json) -> Json:
    disk = storage.get("osDisk", {})
    kind = "Standard_LRS" if "diffDiskSettings" in disk else "Premium_LRS"
    managed = {"storageAccountType": kind, **disk.get("managedDisk", {})}
    os_disk = {
        "osType": "Linux",
        "createOption": "FromImage",
        "caching": "ReadWrite",
        "diskSizeGB": IMAGE_DISK_GIB,
        **disk,
        "managedDisk": managed,
    }
    filled: Json = {"diskControllerType": "SCSI", **storage, "osDisk": os_disk}
    if "dataDisks" in filled:
        filled["dataDisks"] = [_data_disk(data) for data in filled["dataDisks"]]
    return filled


def _data_disk(disk: Json) -> Json:
    managed = {"storageAccountType": "Standard_LRS", **disk.get("managedDisk", {})}
    return {"createOption": "Empty", "caching": "None", **disk, "managedDisk": managed}


def _network(profile: Json) -> Json:
    interfaces = profile.get("networkInterfaceConfigurations", [])
    return {
        **profile,
        "networkInterfaceConfigurations": [_interface(each, len(interfaces) == 1) for each in interfaces],
    }


def _interface(interface: Json, only: bool) -> Json:
    properties = interface.get("properties", {})
    addresses = properties.get("ipConfigurations", [])
    filled = {
        **({"primary": True} if only else {}),
        "enableAcceleratedNetworking": False,
        "disableTcpStateTracking": False,
        "enableIPForwarding": False,
        "deleteOption": "Delete",
        **properties,
        "dnsSettings": {"dnsServers": [], **properties.get("dnsSettings", {})},
        "ipConfigurations": [_address(each, len(addresses) == 1) for each in addresses],
    }
    return {**interface, "properties": filled}


def _address(address: Json, only: bool) -> Json:
    primary = {"primary": True} if only else {}
    properties = {**primary, "privateIPAddressVersion": "IPv4", **address.get("properties", {})}
    public = properties.get("publicIPAddressConfiguration")
    if public is not None:
        filled = {"idleTimeoutInMinutes": 4, "publicIPAddressVersion": "IPv4", **public.get("properties", {})}
        properties["publicIPAddressConfiguration"] = {**public, "properties": filled}
    return {**address, "properties": properties}


def _extensions(profile: Json) -> Json:
    extensions = [
        {**each, "properties": {"autoUpgradeMinorVersion": False, **each.get("properties", {})}}
        for each in profile.get("extensions", [])
    ]
    return {**profile, "extensions": extensions}


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
