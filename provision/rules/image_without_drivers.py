"""Plain images have no drivers for InfiniBand and GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment.model import DEFAULT_IMAGE
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="image-without-drivers",
    subject=Topology,
    severity=Severity.WARNING,
    why="a plain image has no drivers for InfiniBand or GPUs, so jobs can't use what the nodes cost",
    link="https://learn.microsoft.com/azure/virtual-machines/workloads/hpc/configure",
    remedy="use an HPC image, or install the drivers with cloud-init",
)
def image_without_drivers(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool that wants InfiniBand, or has GPUs, and whose image has no drivers for it."""
    for pool in topology.pools:
        image = catalog.image_of(pool.settings.image)
        if image is None or image.infiniband or not (pool.infiniband or pool.size.gpus):
            continue
        what = " and ".join(["InfiniBand"] * pool.infiniband + ["GPUs"] * bool(pool.size.gpus))
        yield Problem(
            at=(*pool.origin, "image"),
            message=f"the image {image.name} of pool {pool.name} has no drivers for {what}",
            fix=f"write {DEFAULT_IMAGE}, or install the drivers with cloud_init_file",
        )
