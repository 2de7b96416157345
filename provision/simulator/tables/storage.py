"""The bodies of Managed Lustre file systems and of user-assigned identities."""

from __future__ import annotations

from provision.simulator.bodies.shapes import READ_ONLY, Fixed, Needed, Object, OneOf, Whole
from provision.simulator.tables.common import TRACKED, identity

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

FILE_SYSTEM = Object(
    "AmlFilesystem",
    **TRACKED,
    sku=Needed(Object("SkuName", name=Needed(Fixed(str)))),
    zones=Fixed([str]),
    identity=identity("UserAssigned", "None"),
    properties=Needed(
        Object(
            "AmlFilesystemProperties",
            storageCapacityTiB=Needed(Fixed(float)),
            filesystemSubnet=Needed(Fixed(str)),
            maintenanceWindow=Needed(
                Object("MaintenanceWindow", dayOfWeek=OneOf(*_DAYS, name="MaintenanceDayOfWeekType"), timeOfDayUTC=str)
            ),
            encryptionSettings=Object(
                "AmlFilesystemEncryptionSettings",
                keyEncryptionKey=Object(
                    "KeyVaultKeyReference", keyUrl=Needed(str), sourceVault=Needed(Object("SourceVault", id=str))
                ),
            ),
            hsm=Object(
                "AmlFilesystemHsm",
                settings=Fixed(
                    Object(
                        "AmlFilesystemHsmSettings",
                        container=Needed(str),
                        loggingContainer=Needed(str),
                        importPrefix=str,
                        importPrefixesInitial=[str],
                    )
                ),
                archiveStatus=READ_ONLY,
            ),
            rootSquashSettings=Object(
                "AmlFilesystemRootSquashSettings",
                mode=OneOf("None", "RootOnly", "All", name="AmlFilesystemSquashMode"),
                noSquashNidLists=str,
                squashUID=Whole(0),
                squashGID=Whole(0),
                status=READ_ONLY,
            ),
            health=READ_ONLY,
            clientInfo=READ_ONLY,
            throughputProvisionedMBps=READ_ONLY,
            provisioningState=READ_ONLY,
        )
    ),
)

SUBNET_INFO = Object(
    "AmlFilesystemSubnetInfo",
    filesystemSubnet=str,
    storageCapacityTiB=Needed(float),
    sku=Needed(Object("SkuName", name=Needed(str))),
    location=str,
)

IDENTITY = Object(
    "UserAssignedIdentity",
    **TRACKED,
    properties=Object(
        "UserAssignedIdentityProperties",
        isolationScope=OneOf("None", "Regional", name="IsolationScope"),
        tenantId=READ_ONLY,
        principalId=READ_ONLY,
        clientId=READ_ONLY,
    ),
)
