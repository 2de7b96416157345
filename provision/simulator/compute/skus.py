"""The lists of what Compute sells: SKUs, which are sizes, disks and availability sets, and the older list of sizes."""

from __future__ import annotations

from provision.simulator.compute import reservations, restrictions
from provision.simulator.state.facts import Size, regions, sizes
from provision.simulator.state.world import World
from provision.simulator.wire.messages import Json

_NUMBERS = {
    "vCPUs": "vcpus",
    "vCPUsAvailable": "vcpus",
    "MemoryGB": "memory_gib",
    "GPUs": "gpus",
    "MaxDataDiskCount": "max_data_disks",
}
_FLAGS = {
    "PremiumIO": "premium_storage",
    "AcceleratedNetworkingEnabled": "accelerated_networking",
    "EphemeralOSDiskSupported": "ephemeral_os_disk",
    "RdmaEnabled": "rdma",
}
_OS_DISK_MB = 1047552
"""The largest OS disk, which the lists give for every size."""

_DISKS = (
    # name, tier, size, least and most GiB, IOPS, MB/s (MicrosoftDocs/azure-compute-docs disks-types.md)
    ("Premium_LRS", "Premium", "P10", 64, 128, 500, 100),
    ("Premium_LRS", "Premium", "P30", 512, 1024, 5000, 200),
    ("StandardSSD_LRS", "Standard", "E30", 512, 1024, 500, 100),
)
"""A few of the disks, so that whoever reads the list has to look at the type of a row."""


def listed(world: World, location: str) -> list[Json]:
    """Return the SKU rows of a region; without one, of all regions, one row for each region and thing."""
    places = [location] if location else sorted(regions())
    return [row for place in places for row in _of(world, place)]


def vm_sizes(location: str) -> list[Json]:
    """Return the sizes of a region in the form of the older list, which knows no restrictions."""
    return [
        {
            "name": size.name,
            "numberOfCores": size.vcpus,
            "osDiskSizeInMB": _OS_DISK_MB,
            "resourceDiskSizeInMB": int(size.facts.get("temp_disk_gib", 0) * 1024),
            "memoryInMB": int(size.facts.get("memory_gib", 0) * 1024),
            "maxDataDiskCount": size.facts.get("max_data_disks", 0),
        }
        for size in sizes().values()
        if location in size.regions
    ]


def _of(world: World, location: str) -> list[Json]:
    zones = list(regions()[location].zones)
    rows = [
        _row("availabilitySets", name, location, [], [("MaximumPlatformFaultDomainCount", "3")], {})
        for name in ("Aligned", "Classic")
    ]
    for name, tier, size, least, most, operations, megabytes in _DISKS:
        facts = {"MinSizeGiB": least, "MaxSizeGiB": most, "MaxIOps": operations, "MaxBandwidthMBps": megabytes}
        shown = [(key, str(value)) for key, value in facts.items()]
        rows.append(_row("disks", name, location, zones, shown, {"tier": tier, "size": size}))
    for each in sizes().values():
        if location in each.regions:
            top = {"tier": "Standard", "size": each.name.removeprefix("Standard_"), "family": each.family}
            row = _row("virtualMachines", each.name, location, zones, _capabilities(each), top)
            rows.append({**row, "restrictions": restrictions.shown(world, location, each.name)})
    return rows


def _row(
    kind: str, name: str, location: str, zones: list[str], capabilities: list[tuple[str, str]], more: Json
) -> Json:
    return {
        "resourceType": kind,
        "name": name,
        **more,
        "locations": [location],
        "locationInfo": [{"location": location, "zones": zones, "zoneDetails": []}],
        "capabilities": [{"name": key, "value": value} for key, value in capabilities],
        "restrictions": [],
    }


def _capabilities(size: Size) -> list[tuple[str, str]]:
    """Return what the data knows of a size, as strings; what it does not know is left out."""
    facts = size.facts
    found = [("OSVhdSizeMB", str(_OS_DISK_MB)), ("VMDeploymentTypes", "IaaS")]
    found += [(name, str(facts[key])) for name, key in _NUMBERS.items() if key in facts]
    found += [(name, str(facts[key])) for name, key in _FLAGS.items() if key in facts]
    if "temp_disk_gib" in facts:
        found.append(("MaxResourceVolumeMB", str(int(facts["temp_disk_gib"] * 1024))))
    generations = [text for text, key in (("V1", "generation_1"), ("V2", "generation_2")) if facts.get(key)]
    if generations:
        found.append(("HyperVGenerations", ",".join(generations)))
    found.append(("CpuArchitectureType", str(facts.get("architecture", "x64"))))
    found.append(("CapacityReservationSupported", str(reservations.can_be_reserved(size))))
    if facts.get("trusted_launch") is False:
        found.append(("TrustedLaunchDisabled", "True"))
    return found
