"""What can be placed, and how, hangs on the VM size, so only sizes of the catalog can be deployed."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule
from provision.near import distance, nearest

#: Letters that a slip of the pen changes.
_SLIP = 2


@rule(
    id="size-unknown",
    subject=Environment,
    severity=Severity.ERROR,
    why="placement, quota and InfiniBand are told from the size; of one that is not in the catalog they are not known",
    link="https://learn.microsoft.com/azure/virtual-machines/sizes/overview",
    remedy="write a size of the catalog, as Azure spells it",
    suppressible=False,
)
def size_unknown(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose size the catalog lacks, or lists as not supported yet."""
    supported = [size.name for size in catalog.sizes.values() if not size.unsupported]
    choice = ", ".join(name for name in supported if catalog.sizes[name].rdma)
    for name, pool in environment.pools.items():
        at = ("pools", name, "size")
        size = catalog.sizes.get(pool.size)
        if size is None:
            near = _meant(pool.size, supported)
            yield Problem(
                at,
                f"the catalog has no size {pool.size}" + (f"; did you mean {near}?" if near else ""),
                f"write {near}" if near else f"choose one of {choice}, or a D or E size",
            )
        elif size.unsupported:
            yield Problem(at, f"{pool.size} is not supported yet: {size.unsupported}", f"choose one of {choice}")


def _meant(written: str, sizes: list[str]) -> str | None:
    """Return the size that is a slip of the pen away; what is further off is other hardware."""
    full = written if written.lower().startswith("standard_") else f"Standard_{written}"
    near = nearest(full, sizes)
    return near if near is not None and distance(near.casefold(), full.casefold()) <= _SLIP else None
