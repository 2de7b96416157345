"""A cloud-init file of one's own must be one that cloud-init would read."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import BootFiles
from provision.findings import Problem, Severity, rule


@rule(
    id="cloud-init-unusable",
    subject=BootFiles,
    severity=Severity.ERROR,
    why="cloud-init skips what it can't read, so the nodes would come up without it, and nobody would be told",
    link="https://cloudinit.readthedocs.io/en/latest/explanation/format.html",
    remedy="check it with `cloud-init schema --config-file`",
)
def cloud_init_unusable(files: BootFiles, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose cloud-init file can't be read or merged. What the file holds is never shown."""
    for name, pool in files.environment.pools.items():
        if (refused := files.refused.get(pool.cloud_init_file or "")) is not None:
            message, fix = refused
            yield Problem(
                at=("pools", name, "cloud_init_file"),
                message=f"the cloud-init file {pool.cloud_init_file} of pool {name} can't be used: {message}",
                fix=fix,
            )
