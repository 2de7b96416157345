"""A file system's size comes in steps of its tier."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="lustre-size-steps",
    subject=Environment,
    severity=Severity.ERROR,
    why="Azure Managed Lustre is made of servers of one size, so a tier has a fixed step",
    link="https://learn.microsoft.com/azure/azure-managed-lustre/create-file-system-portal#throughput-configurations",
    remedy="choose a multiple of the tier's step",
)
def lustre_size_steps(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each file system whose size is no multiple of its tier's step."""
    for name, storage in environment.storage.items():
        step = catalog.lustre.steps_tib[storage.tier]
        if storage.size_tib % step:
            lower, upper = storage.size_tib // step * step, -(-storage.size_tib // step) * step
            yield Problem(
                at=("storage", name, "size_tib"),
                message=f"{name} is {storage.size_tib} TiB; tier {storage.tier} comes in steps of {step} TiB",
                fix=f"write {lower} or {upper}" if lower else f"write {upper}, the smallest",
            )
