"""The servers of a region's file systems must find room in its Lustre subnet."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="lustre-subnet-too-small",
    subject=Topology,
    severity=Severity.ERROR,
    why="the servers of a file system take addresses of its subnet, more for a larger one, and it can't be moved",
    link="https://learn.microsoft.com/azure/azure-managed-lustre/amlfs-prerequisites#network-size-requirements",
    remedy="choose a larger range for Lustre before the first apply",
)
def lustre_subnet_too_small(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each Lustre subnet with fewer addresses than the servers of its file systems take."""
    reserved = catalog.limits["subnet_reserved_addresses"]
    for region in topology.regions:
        subnet = region.network and region.network.lustre
        if not subnet:
            continue
        usable = max(0, IPv4Network(subnet.range).num_addresses - reserved)
        needed = sum(catalog.lustre.addresses_of(each.tier, each.size_tib) for each in region.storage)
        if needed <= usable:
            continue
        what = " and ".join(f"{each.storage} (tier {each.tier}, {each.size_tib} TiB)" for each in region.storage)
        take = "take" if len(region.storage) > 1 else "takes"
        prefix = 32 - (needed + reserved - 1).bit_length()
        yield Problem(
            at=subnet.origin,
            message=f"{what} of {region.name} {take} {needed} addresses; the subnet {subnet.range} "
            f"has {usable} to give",
            fix=f"state a /{prefix} or larger"
            if subnet.is_stated
            else f"state a /{prefix} or larger in regions.{region.name}.subnets.lustre, or a larger address_space",
        )
