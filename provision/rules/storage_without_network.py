"""A file system stands in a network of ours."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="storage-without-network",
    subject=Environment,
    severity=Severity.ERROR,
    why="a file system needs a subnet for its servers, and provision makes one only in networks of its own",
    link="https://learn.microsoft.com/azure/azure-managed-lustre/amlfs-prerequisites#network-prerequisites",
    remedy="put the file system into a region of this environment whose network provision makes",
)
def storage_without_network(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each file system in a region that is not stated, or whose network is not ours."""
    for name, storage in environment.storage.items():
        region = environment.regions.get(storage.region)
        if region is None:
            yield Problem(
                at=("storage", name, "region"),
                message=f"{name} stands in {storage.region}, which is no region of this environment",
                fix=f"write one of {', '.join(sorted(environment.regions))}, or add {storage.region} to regions",
            )
        elif (region.subnets.nodes or "").startswith("/"):
            yield Problem(
                at=("storage", name, "region"),
                message=f"{name} stands in {storage.region}, whose nodes have an existing subnet in a "
                f"network that is left alone",
                fix="put it into another region, or let provision make the network",
            )
