"""What the catalog holds. How its files are read: `read.py`; what the facts mean: the rules and topology."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Size:
    """A VM size. None: not found in public material. `nccl`: settings for NCCL on nodes of this size, by name."""

    name: str
    rdma: bool
    gpus: int | None
    vcpus: int | None
    memory_gib: int | None
    nvme_disks: int
    quota_family: str | None
    nccl: Mapping[str, str]
    unsupported: str  # the reason, or empty


@dataclass(frozen=True, slots=True)
class Catalog:
    """Azure facts and our policies.

    `sizes` and `regions` are by name as Azure writes it; `zones` by region; `slots` are the regions' permanent
    numbers, 0 to 127; `prices` are USD per VM-hour by size and region (a size without a row: not known where it is
    offered); `api_versions` by resource type; `limits` by name, in the unit that `limits.json` states.
    """

    sizes: Mapping[str, Size]
    zones: Mapping[str, tuple[str, ...]]
    slots: Mapping[str, int]
    prices: Mapping[str, Mapping[str, float]]
    limits: Mapping[str, int]
    api_versions: Mapping[str, str]

    @property
    def regions(self) -> tuple[str, ...]:
        """Return the names of all regions, sorted."""
        return tuple(sorted(self.zones))

    def offered_in(self, size: str) -> tuple[str, ...] | None:
        """Return the regions that offer a size, sorted; None when that is not known."""
        prices = self.prices.get(size)
        return None if prices is None else tuple(sorted(prices))
