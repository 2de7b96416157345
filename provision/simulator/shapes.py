"""What kind of JSON stands where in the bodies that the simulator reads, so that handlers can rely on it.

A shape is a type, a list of one shape (of each element), a map of keys to shapes, or `Needed` of any of these. A map
says nothing of keys that it does not name. Null counts as absent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Shape = Any  # a type, a list of one shape, a dict of shapes, Needed or Free: recursive, which types cannot say plainly


@dataclass(frozen=True, slots=True)
class Needed:
    """A value that has to be there."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Each:
    """A map whose keys are free, and whose values are all of one shape."""

    shape: Shape


REFERENCE = {"id": Needed(str)}
TAGS = Each(str)
ANY: Shape = {"tags": TAGS, "properties": dict}
"""A resource of a type of which nothing more is known."""

_RULE = {
    "name": Needed(str),
    "properties": Needed({"protocol": str, "access": str, "direction": str, "priority": int}),
}
_SUBNET_PROPERTIES = {
    "addressPrefix": str,
    "addressPrefixes": [str],
    "networkSecurityGroup": REFERENCE,
    "natGateway": REFERENCE,
    "routeTable": REFERENCE,
    "delegations": [dict],
}
_PUBLIC = {
    "name": Needed(str),
    "sku": {"name": str, "tier": str},
    "properties": {"idleTimeoutInMinutes": int, "publicIPAddressVersion": str, "ipTags": list, "dnsSettings": dict},
}
_ADDRESS = {
    "name": Needed(str),
    "properties": Needed({"subnet": REFERENCE, "publicIPAddressConfiguration": _PUBLIC}),
}
_EXTENSION = {
    "name": Needed(str),
    "properties": Needed({"publisher": str, "type": str, "typeHandlerVersion": str, "provisionAfterExtensions": [str]}),
}
_INTERFACE = {
    "name": Needed(str),
    "properties": Needed(
        {"ipConfigurations": Needed([_ADDRESS]), "dnsSettings": dict, "networkSecurityGroup": REFERENCE}
    ),
}
_PROFILE = {
    "osProfile": {
        "computerNamePrefix": Needed(str),
        "adminPassword": str,
        "customData": str,
        "linuxConfiguration": {"patchSettings": dict},
    },
    "storageProfile": {
        "imageReference": {"version": str, "id": str},
        "osDisk": {"managedDisk": dict, "diffDiskSettings": dict},
        "dataDisks": [
            {
                "lun": Needed(int),
                "createOption": str,
                "diskSizeGB": int,
                "caching": str,
                "managedDisk": {"storageAccountType": str},
            }
        ],
    },
    "networkProfile": {"networkInterfaceConfigurations": [_INTERFACE]},
    "extensionProfile": {"extensions": [_EXTENSION]},
    "securityProfile": {"securityType": str, "uefiSettings": dict},
    "priority": str,
    "userData": str,
}
_SET_PROPERTIES = {
    "singlePlacementGroup": bool,
    "overprovision": bool,
    "platformFaultDomainCount": int,
    "orchestrationMode": str,
    "upgradePolicy": {"mode": str, "rollingUpgradePolicy": dict},
    "automaticRepairsPolicy": {"enabled": bool},
    "scaleInPolicy": {"rules": [str]},
    "additionalCapabilities": dict,
    "virtualMachineProfile": _PROFILE,
}
_PEERING = {
    "remoteVirtualNetwork": Needed(REFERENCE),
    "remoteAddressSpace": {"addressPrefixes": [str]},
    "peeringState": str,
}
_IDENTITY = {"type": str, "userAssignedIdentities": Each(dict)}
_SKU = {"name": str, "tier": str}
_TRACKED = {"location": str, "tags": TAGS}

SHAPES: dict[str, Shape] = {
    "microsoft.compute/virtualmachinescalesets": {
        **_TRACKED,
        "sku": _SKU,
        "zones": [str],
        "identity": _IDENTITY,
        "plan": dict,
        "extendedLocation": dict,
        "placement": dict,
        "properties": _SET_PROPERTIES,
    },
    "microsoft.network/networksecuritygroups": {**_TRACKED, "properties": {"securityRules": [_RULE]}},
    "microsoft.network/publicipaddresses": {
        **_TRACKED,
        "sku": _SKU,
        "zones": [str],
        "extendedLocation": dict,
        "properties": {"publicIPAllocationMethod": str, "publicIPAddressVersion": str},
    },
    "microsoft.network/natgateways": {
        **_TRACKED,
        "sku": _SKU,
        "zones": [str],
        "properties": {"publicIpAddresses": [REFERENCE], "publicIpPrefixes": [REFERENCE]},
    },
    "microsoft.network/virtualnetworks": {
        **_TRACKED,
        "extendedLocation": dict,
        "properties": {
            "addressSpace": {"addressPrefixes": [str]},
            "subnets": [{"name": Needed(str), "properties": _SUBNET_PROPERTIES}],
            "virtualNetworkPeerings": [{"name": Needed(str), "properties": Needed(_PEERING)}],
        },
    },
    "microsoft.network/virtualnetworks/subnets": {"properties": _SUBNET_PROPERTIES},
    "microsoft.network/virtualnetworks/virtualnetworkpeerings": {"properties": _PEERING},
    "microsoft.network/bastionhosts": {
        **_TRACKED,
        "sku": _SKU,
        "zones": [str],
        "properties": {
            "scaleUnits": int,
            "ipConfigurations": [
                {
                    "name": Needed(str),
                    "properties": Needed({"subnet": REFERENCE, "publicIPAddress": REFERENCE}),
                }
            ],
        },
    },
    "microsoft.storagecache/amlfilesystems": {
        **_TRACKED,
        "sku": Needed({"name": Needed(str)}),
        "zones": [str],
        "identity": _IDENTITY,
        "properties": {
            "filesystemSubnet": Needed(str),
            "storageCapacityTiB": Needed(float),
            "maintenanceWindow": Needed({"dayOfWeek": str, "timeOfDayUTC": str}),
            "encryptionSettings": dict,
            "rootSquashSettings": dict,
            "hsm": {"settings": dict},
        },
    },
    "microsoft.managedidentity/userassignedidentities": {**_TRACKED, "properties": {"isolationScope": str}},
}
"""By resource type: what can be written of it, all the way down as far as it is read."""

_LIMITS = dict.fromkeys(("minLength", "maxLength", "minValue", "maxValue"), int)
TEMPLATE: Shape = {
    "parameters": Each(Needed({"type": Needed(str), "allowedValues": list, **_LIMITS})),
    "outputs": Each(Needed({"type": str})),
}
DEPLOYMENT: Shape = {
    "tags": TAGS,
    "properties": Needed({"template": TEMPLATE, "parameters": Each(Needed(dict)), "mode": str}),
}
STACK: Shape = {
    "tags": TAGS,
    "properties": Needed(
        {
            "template": TEMPLATE,
            "parameters": Each(Needed(dict)),
            "actionOnUnmanage": Each(str),
            "denySettings": {"mode": Needed(str)},
        }
    ),
}
SHOWN_STACK: Shape = {
    "id": Needed(str),
    "tags": TAGS,
    "properties": {
        "resources": [REFERENCE],
        "parameters": Each(Needed({"type": Needed(str)})),
        "actionOnUnmanage": Each(str),
        "denySettings": dict,
        "provisioningState": str,
        "deploymentId": str,
        "correlationId": str,
        "error": dict,
        "outputs": dict,
    },
}
LOCK: Shape = {"properties": Needed({"level": Needed(str), "notes": str})}
SHOWN: Shape = {"id": Needed(str), "name": str, **_TRACKED, "properties": dict}


def misfit(shape: Shape, value: Any, path: str = "", *, partial: bool = False) -> str | None:
    """Return the path of the first place where a body is not of its shape, and what it should be there; else None.

    `partial`: the body is laid onto another, so that what is needed may be left out, but for elements of lists.
    """
    if isinstance(shape, Needed):
        if value is None:
            return None if partial else f"{path}: it is needed"
        return misfit(shape.shape, value, path, partial=partial)
    if value is None:
        return None
    if isinstance(shape, Each | dict):
        if not isinstance(value, dict):
            return f"{path}: it is an object"
        inner = shape.items() if isinstance(shape, dict) else ((key, shape.shape) for key in value)
        return _first((misfit(each, value.get(key), f"{path}.{key}", partial=partial) for key, each in inner))
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{path}: it is an array"
        return _first((misfit(Needed(shape[0]), each, f"{path}[{index}]") for index, each in enumerate(value)))
    # A whole number is a number; a truth value is none.
    number = shape is float and isinstance(value, int)
    right = (isinstance(value, shape) or number) and not (shape in (int, float) and isinstance(value, bool))
    return None if right else f"{path}: it is of type '{shape.__name__}'"


def _first(found: Iterable[str | None]) -> str | None:
    return next((each for each in found if each is not None), None)
