"""What Azure shows of a resource that no template states, and of which of it a what-if keeps silent. Data.

The list of the what-if team names properties that come back without having been written, with their defaults where it
knows them (Azure/arm-template-whatif@4a97dec, noise summary of 2022-08). A property that is not in it, and is not in
the template either, shows as a deletion: that is the noise that what-if is known for. So do the subnets of a virtual
network that are resources of their own.
"""

from __future__ import annotations

from typing import Any

NO_TEMPLATE_STATES = frozenset(
    {
        "etag",
        "provisioningState",
        "resourceGuid",
        "uniqueId",
        "timeCreated",
        "systemData",
        "defaultSecurityRules",
        "peeringSyncLevel",
        "remoteVirtualNetworkAddressSpace",
        "principalId",
        "clientId",
        "tenantId",
        "health",
        "clientInfo",
        "throughputProvisionedMBps",
        "dnsName",
        "createdOn",
        "updatedOn",
        "createdBy",
        "updatedBy",
    }
)
"""Read-only properties, by name wherever they stand: a what-if never sees them, and stating them has no effect."""

_ANY = object()
"""Whatever the value is, it is not told."""

_PROFILE = "properties.virtualMachineProfile"
_NIC = f"{_PROFILE}.networkProfile.networkInterfaceConfigurations.*.properties"
_SUBNET = {
    "delegations": _ANY,
    "serviceEndpoints": _ANY,
    "privateEndpointNetworkPolicies": _ANY,
    "privateLinkServiceNetworkPolicies": _ANY,
    "ipConfigurations": _ANY,
    "networkSecurityGroup": _ANY,
    "natGateway": _ANY,
}

_RULE_LISTS = ("destinationAddressPrefixes", "destinationPortRanges", "sourceAddressPrefixes", "sourcePortRanges")

QUIET: dict[str, dict[str, Any]] = {
    "microsoft.compute/virtualmachinescalesets": {
        "identity": _ANY,
        "tags": _ANY,
        "sku.tier": _ANY,
        "properties.overprovision": True,
        "properties.doNotRunExtensionsOnOverprovisionedVMs": False,
        "properties.singlePlacementGroup": _ANY,
        "properties.platformFaultDomainCount": _ANY,
        "properties.orchestrationMode": _ANY,
        "properties.zoneBalance": _ANY,
        "properties.upgradePolicy.mode": "Automatic",
        "properties.upgradePolicy.rollingUpgradePolicy.maxBatchInstancePercent": 20,
        "properties.upgradePolicy.rollingUpgradePolicy.maxUnhealthyInstancePercent": 20,
        "properties.upgradePolicy.rollingUpgradePolicy.maxUnhealthyUpgradedInstancePercent": 20,
        "properties.upgradePolicy.automaticOSUpgradePolicy.disableAutomaticRollback": False,
        "properties.automaticRepairsPolicy.enabled": False,
        f"{_PROFILE}.evictionPolicy": "Deallocate",
        f"{_PROFILE}.extensionProfile": _ANY,
        f"{_PROFILE}.extensionProfile.extensions.*.properties.autoUpgradeMinorVersion": False,
        f"{_PROFILE}.diagnosticsProfile": _ANY,
        f"{_PROFILE}.osProfile.allowExtensionOperations": True,
        f"{_PROFILE}.osProfile.requireGuestProvisionSignal": True,
        f"{_PROFILE}.osProfile.secrets": [],
        f"{_PROFILE}.osProfile.linuxConfiguration.provisionVMAgent": True,
        f"{_PROFILE}.storageProfile.osDisk.caching": _ANY,
        f"{_PROFILE}.storageProfile.osDisk.diskSizeGB": _ANY,
        f"{_PROFILE}.storageProfile.osDisk.osType": _ANY,
        f"{_PROFILE}.storageProfile.osDisk.managedDisk.storageAccountType": _ANY,
        f"{_PROFILE}.storageProfile.dataDisks.*.caching": "None",
        f"{_NIC}.dnsSettings": _ANY,
        f"{_NIC}.primary": _ANY,
        f"{_NIC}.enableAcceleratedNetworking": _ANY,
        f"{_NIC}.enableIPForwarding": False,
        f"{_NIC}.ipConfigurations.*.properties.privateIPAddressVersion": "IPv4",
    },
    "microsoft.network/virtualnetworks": {
        "tags": {},
        "properties.enableDdosProtection": False,
        "properties.enableVmProtection": False,
        "properties.virtualNetworkPeerings": _ANY,
        **{f"properties.subnets.*.properties.{name}": value for name, value in _SUBNET.items()},
    },
    "microsoft.network/virtualnetworks/subnets": {
        f"properties.{name}": value
        for name, value in _SUBNET.items()
        if name not in ("networkSecurityGroup", "natGateway")
    },
    "microsoft.network/virtualnetworks/virtualnetworkpeerings": {
        "properties.allowForwardedTraffic": False,
        "properties.allowVirtualNetworkAccess": True,
        "properties.doNotVerifyRemoteGateways": False,
        "properties.peeringState": "Connected",
        "properties.remoteAddressSpace": _ANY,
    },
    "microsoft.network/natgateways": {"tags": {}, "properties.idleTimeoutInMinutes": 4, "properties.subnets": _ANY},
    "microsoft.network/publicipaddresses": {
        "tags": {},
        "sku.tier": _ANY,
        "properties.idleTimeoutInMinutes": 4,
        "properties.publicIPAddressVersion": "IPv4",
        "properties.publicIPAllocationMethod": "Dynamic",
        "properties.ipAddress": _ANY,
        "properties.ipConfiguration": _ANY,
        "properties.natGateway": _ANY,
    },
    "microsoft.network/networksecuritygroups": {
        "tags": {},
        "properties.securityRules": [],
        **{f"properties.securityRules.*.properties.{name}": [] for name in _RULE_LISTS},
        "properties.subnets": _ANY,
        "properties.networkInterfaces": _ANY,
    },
}
"""By type, then by path, `*` for any element of a list: the value that is not told."""


def quiet(type_: str, path: str, value: Any) -> bool:
    """Return whether a what-if keeps silent about a value that is there and not stated."""
    known = QUIET.get(type_, {}).get(path)
    return known is _ANY or (known is not None and type(known) is type(value) and known == value)
