"""What the disks of a scale set's machines are made from: `storageProfile` of their profile."""

from __future__ import annotations

from provision.simulator.bodies.shapes import READ_ONLY, REFERENCE, Fixed, Needed, Object, OneOf, Whole
from provision.simulator.tables.common import DELETE_OPTION

_MANAGED_DISK = Object(
    "ManagedDiskParameters",
    storageAccountType=Fixed(
        OneOf(
            *("Standard_LRS", "Premium_LRS", "StandardSSD_LRS", "UltraSSD_LRS"),
            *("Premium_ZRS", "StandardSSD_ZRS", "PremiumV2_LRS"),
            name="StorageAccountType",
        )
    ),
    diskEncryptionSet=Fixed(REFERENCE),
    securityProfile=Fixed(
        Object(
            "VMDiskSecurityProfile",
            securityEncryptionType=OneOf(
                "VMGuestStateOnly", "DiskWithVMGuestState", "NonPersistedTPM", name="SecurityEncryptionType"
            ),
            diskEncryptionSet=REFERENCE,
        )
    ),
)
"""Of the OS disk all of it is for good; data disks come and go as wholes."""

_DISK = Object(
    "Disk",
    name=str,
    caching=OneOf("None", "ReadOnly", "ReadWrite", name="CachingTypes"),
    writeAcceleratorEnabled=bool,
    createOption=Needed(OneOf("FromImage", "Empty", "Attach", "Copy", "Restore", name="DiskCreateOptionTypes")),
    diskSizeGB=Whole(1, 32767),
    storageFaultDomainAlignment=OneOf("Aligned", "BestEffortAligned", name="StorageFaultDomainAlignment"),
    managedDisk=_MANAGED_DISK,
    deleteOption=DELETE_OPTION,
)

STORAGE_PROFILE = Object(
    "StorageProfile",
    imageReference=Object(
        "ImageReference",
        id=str,
        publisher=Fixed(str),
        offer=Fixed(str),
        sku=str,
        version=str,
        exactVersion=READ_ONLY,
        sharedGalleryImageId=str,
        communityGalleryImageId=str,
    ),
    osDisk=_DISK.having(
        "OSDisk",
        diffDiskSettings=Fixed(
            Object(
                "DiffDiskSettings",
                option=OneOf("Local", name="DiffDiskOptions"),
                placement=OneOf("CacheDisk", "ResourceDisk", "NvmeDisk", name="DiffDiskPlacement"),
                enableFullCaching=bool,
            )
        ),
        osType=OneOf("Windows", "Linux", name="OperatingSystemTypes"),
        image=Object("VirtualHardDisk", uri=str),
        vhdContainers=[str],
    ),
    dataDisks=[_DISK.having("DataDisk", lun=Needed(int), diskIOPSReadWrite=int, diskMBpsReadWrite=int)],
    diskControllerType=OneOf("SCSI", "NVMe", name="DiskControllerTypes"),
)
