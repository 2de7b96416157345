"""A folder of a node shows one file system: another that is mounted over it would hide it."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule

#: Where every node mounts its local NVMe disks.
_SCRATCH = "/scratch"


@rule(
    id="mount-taken",
    subject=Environment,
    severity=Severity.ERROR,
    why="what is mounted later hides what is there, and which comes later is chance at boot",
    link="https://learn.microsoft.com/azure/azure-managed-lustre/connect-clients",
    remedy="mount each file system in a folder of its own",
)
def mount_taken(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each file system that is mounted where the local disks, or another of its region, already are."""
    taken: dict[tuple[str, str], str] = {}
    for name, storage in environment.storage.items():
        other = "the local NVMe disks" if storage.mount == _SCRATCH else taken.get((storage.region, storage.mount))
        if other is not None:
            yield Problem(
                at=("storage", name, "mount"),
                message=f"{name} is mounted at {storage.mount}, which is taken by {other}",
                fix=f"mount it elsewhere, at /mnt/{name} for one",
            )
        taken.setdefault((storage.region, storage.mount), name)
