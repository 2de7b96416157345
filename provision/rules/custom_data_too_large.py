"""What a node does at its first boot must fit into custom data."""

from __future__ import annotations

from collections.abc import Iterator

from provision.boot.limits import PoolData, pools_with_data
from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="custom-data-too-large",
    subject=Topology,
    severity=Severity.ERROR,
    why="Azure refuses a scale set whose custom data is longer, and counts after base64",
    link="https://learn.microsoft.com/azure/virtual-machines/custom-data",
    remedy="let cloud-init fetch the large parts, from a file share or an image",
)
def custom_data_too_large(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose custom data, ours and its own together, is larger than Azure takes."""
    for pool in pools_with_data(topology, catalog):
        if pool.data.size > pool.limit:
            yield problem(pool)


def problem(pool: PoolData) -> Problem:
    """Return what there is to say about a pool's custom data that is too large, or nearly."""
    size, most = pool.data.size, pool.limit
    biggest = sorted(((size, name) for name, size in pool.data.parts.items()), reverse=True)[:3]
    return Problem(
        at=("pools", pool.name, "cloud_init_file"),
        message=f"the custom data of pool {pool.name} is {size} bytes, {_encoded(size)} after base64; "
        f"Azure takes {most}, {_encoded(most)} after base64",
        fix="shorten its largest parts: " + ", ".join(f"{name} ({part} bytes)" for part, name in biggest),
    )


def _encoded(size: int) -> int:
    return -(-size // 3) * 4
