"""What the machines of a scale set are made from: `properties.virtualMachineProfile` of its body."""

from __future__ import annotations

from provision.simulator.bodies.shapes import READ_ONLY, REFERENCE, Fixed, Needed, Object, OneOf, Reference, Since, Text
from provision.simulator.tables.common import ENVELOPE
from provision.simulator.tables.compute_disks import STORAGE_PROFILE
from provision.simulator.tables.compute_interfaces import NETWORK_PROFILE

_REBOOT = OneOf("Unknown", "IfRequired", "Never", "Always", name="RebootSetting")
_ASSESSMENT = OneOf("ImageDefault", "AutomaticByPlatform", name="AssessmentMode")
_PATCHED_BY_PLATFORM = Object(
    "AutomaticByPlatformSettings", rebootSetting=_REBOOT, bypassPlatformSafetyChecksOnUserSchedule=bool
)


_LINUX = Object(
    "LinuxConfiguration",
    disablePasswordAuthentication=bool,
    ssh=Object("SshConfiguration", publicKeys=[Object("SshPublicKey", path=str, keyData=str)]),
    provisionVMAgent=Fixed(bool),
    enableVMAgentPlatformUpdates=bool,
    patchSettings=Object(
        "LinuxPatchSettings",
        patchMode=OneOf("ImageDefault", "AutomaticByPlatform", name="LinuxVMGuestPatchMode"),
        assessmentMode=_ASSESSMENT,
        automaticByPlatformSettings=_PATCHED_BY_PLATFORM,
    ),
)

_WINDOWS = Object(
    "WindowsConfiguration",
    provisionVMAgent=bool,
    enableAutomaticUpdates=bool,
    enableVMAgentPlatformUpdates=READ_ONLY,
    timeZone=str,
    additionalUnattendContent=[
        Object(
            "AdditionalUnattendContent",
            passName=OneOf("OobeSystem", name="PassNames"),
            componentName=OneOf("Microsoft-Windows-Shell-Setup", name="ComponentNames"),
            settingName=OneOf("AutoLogon", "FirstLogonCommands", name="SettingNames"),
            content=str,
        )
    ],
    patchSettings=Object(
        "PatchSettings",
        patchMode=OneOf("Manual", "AutomaticByOS", "AutomaticByPlatform", name="WindowsVMGuestPatchMode"),
        enableHotpatching=bool,
        assessmentMode=_ASSESSMENT,
        automaticByPlatformSettings=_PATCHED_BY_PLATFORM,
    ),
    winRM=Object(
        "WinRMConfiguration",
        listeners=[
            Object("WinRMListener", protocol=OneOf("Http", "Https", name="ProtocolTypes"), certificateUrl=str),
        ],
    ),
)

_OS_PROFILE = Object(
    "OSProfile",
    computerNamePrefix=Fixed(str),
    adminUsername=Text(shortest=1, longest=64),
    adminPassword=str,
    customData=str,
    windowsConfiguration=_WINDOWS,
    linuxConfiguration=_LINUX,
    secrets=[
        Object(
            "VaultSecretGroup",
            sourceVault=REFERENCE,
            vaultCertificates=[Object("VaultCertificate", certificateUrl=str, certificateStore=str)],
        )
    ],
    allowExtensionOperations=Fixed(bool),
    requireGuestProvisionSignal=bool,
)

_EXTENSION_PROPERTIES = Object(
    "ExtensionProperties",
    publisher=str,
    type=str,
    typeHandlerVersion=str,
    autoUpgradeMinorVersion=bool,
    enableAutomaticUpgrade=bool,
    settings=object,
    protectedSettings=object,
    protectedSettingsFromKeyVault=Object(
        "KeyVaultSecretReference", secretUrl=Needed(str), sourceVault=Needed(REFERENCE)
    ),
    provisionAfterExtensions=[str],
    forceUpdateTag=str,
    suppressFailures=bool,
    provisioningState=READ_ONLY,
)
_EXTENSION = Object(
    "Extension", id=READ_ONLY, type=READ_ONLY, name=Needed(str), properties=Needed(_EXTENSION_PROPERTIES)
)

EXTENSION_RESOURCE = Object("VirtualMachineScaleSetExtension", **ENVELOPE, properties=Needed(_EXTENSION_PROPERTIES))
"""An extension written by itself, as a child of its scale set."""

_HOST_ENDPOINT = Object(
    "HostEndpointSettings",
    mode=OneOf("Audit", "Enforce", "Disabled", name="Modes"),
    inVMAccessControlProfileReferenceId=str,
)

_SECURITY_PROFILE = Object(
    "SecurityProfile",
    securityType=Fixed(OneOf("Standard", "TrustedLaunch", "ConfidentialVM", name="SecurityTypes")),
    uefiSettings=Fixed(Object("UefiSettings", secureBootEnabled=bool, vTpmEnabled=bool)),
    encryptionAtHost=bool,
    encryptionIdentity=Object("EncryptionIdentity", userAssignedIdentityResourceId=str),
    proxyAgentSettings=Object(
        "ProxyAgentSettings",
        enabled=bool,
        mode=OneOf("Audit", "Enforce", name="Mode"),
        keyIncarnationId=int,
        wireServer=_HOST_ENDPOINT,
        imds=_HOST_ENDPOINT,
        addProxyAgentExtension=bool,
    ),
)

_GALLERY_APPLICATION = Object(
    "VMGalleryApplication",
    packageReferenceId=Needed(str),
    configurationReference=str,
    order=int,
    tags=str,
    treatFailureAsDeploymentFailure=bool,
    enableAutomaticUpgrade=bool,
)

_NOTICE = Object("NotificationProfile", notBeforeTimeout=str, enable=bool)

PROFILE = Object(
    "VirtualMachineProfile",
    osProfile=_OS_PROFILE,
    storageProfile=STORAGE_PROFILE,
    networkProfile=NETWORK_PROFILE,
    extensionProfile=Object("ExtensionProfile", extensions=[_EXTENSION], extensionsTimeBudget=str),
    securityProfile=_SECURITY_PROFILE,
    diagnosticsProfile=Object(
        "DiagnosticsProfile", bootDiagnostics=Object("BootDiagnostics", enabled=bool, storageUri=str)
    ),
    priority=Fixed(OneOf("Regular", "Low", "Spot", name="VirtualMachinePriorityTypes")),
    evictionPolicy=Fixed(OneOf("Deallocate", "Delete", name="VirtualMachineEvictionPolicyTypes")),
    billingProfile=Object("BillingProfile", maxPrice=float),
    capacityReservation=Fixed(
        Object(
            "CapacityReservationProfile",
            capacityReservationGroup=REFERENCE,
            disableCapacityReservationAssignment=Since("2026-04-01", bool),
        )
    ),
    scheduledEventsProfile=Object(
        "ScheduledEventsProfile", terminateNotificationProfile=_NOTICE, osImageNotificationProfile=_NOTICE
    ),
    hardwareProfile=Object(
        "HardwareProfile", vmSizeProperties=Object("VMSizeProperties", vCPUsAvailable=int, vCPUsPerCore=int)
    ),
    applicationProfile=Object("ApplicationProfile", galleryApplications=[_GALLERY_APPLICATION]),
    serviceArtifactReference=Reference(),
    securityPostureReference=Object(
        "SecurityPostureReference", id=Needed(str), excludeExtensions=[str], isOverridable=bool
    ),
    interconnectBlockProfile=Since("2026-03-01", Object("InterconnectBlockProfile", interconnectBlock=REFERENCE)),
    licenseType=str,
    userData=str,
    timeCreated=READ_ONLY,
)
