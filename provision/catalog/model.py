"""What the catalog holds. How its files are read: `read.py`; what the facts mean: the rules and topology."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Node:
    """What nodes of a size are set up with at boot.

    `nvidia`: persistence mode is switched on and the GPUs are counted; `services` are started, `modules` loaded;
    `nccl`: settings for NCCL, by name.
    """

    nvidia: bool
    services: tuple[str, ...]
    modules: tuple[str, ...]
    infiniband_ports: int
    nccl: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Size:
    """A VM size. None, and no generations: not found in public material. `node` is None where no set-up is known."""

    name: str
    rdma: bool
    gpus: int | None = None
    vcpus: int | None = None
    memory_gib: int | None = None
    nvme_disks: int = 0
    max_data_disks: int | None = None
    ephemeral_os_disk: bool | None = None
    generations: tuple[int, ...] = ()
    architecture: str = "x64"
    quota_family: str | None = None
    node: Node | None = field(default=None, hash=False)
    unsupported: str = ""  # the reason, or empty


@dataclass(frozen=True, slots=True)
class Image:
    """A marketplace image, `publisher:offer:sku`.

    `gpu_sizes`: the sizes whose GPU drivers are inside, None: not known. `infiniband`: its drivers are inside.
    `end_of_life` is an ISO date, None: not known. `read_on` is the date on which the row was true.
    """

    name: str
    generations: tuple[int, ...]
    architecture: str
    infiniband: bool
    gpu_sizes: tuple[str, ...] | None
    end_of_life: str | None
    read_on: str


@dataclass(frozen=True, slots=True)
class Lustre:
    """What Azure Managed Lustre comes in.

    `steps_tib`: the step of the sizes, by tier. `addresses`: (steps at most, free addresses that so large a file system
    takes of its subnet), by size.
    """

    steps_tib: Mapping[int, int]
    addresses: tuple[tuple[int, int], ...]

    def addresses_of(self, tier: int, size_tib: int) -> int:
        """Return how many free addresses of its subnet a file system takes."""
        steps = -(-size_tib // self.steps_tib[tier])
        return next((needed for most, needed in self.addresses if steps <= most), self.addresses[-1][1])


@dataclass(frozen=True, slots=True)
class Durations:
    """How long things take, in seconds, by name: orders of time, which Azure promises nowhere."""

    seconds: Mapping[str, float]

    def of(self, name: str, type: str = "") -> float:
        """Return how long something takes; with a resource type, its own where there is one."""
        own = self.seconds.get(f"{name} {type.lower()}") if type else None
        return self.seconds[name] if own is None else own


@dataclass(frozen=True, slots=True)
class Catalog:
    """Azure facts and our policies.

    `sizes` and `regions` are by name as Azure writes it; `zones` by region; `slots` are the regions' permanent
    numbers, 0 to 127; `images` are by their name in small letters; `prices` are USD per VM-hour by size and region (a
    size without a row: not known where it is offered); `api_versions` by resource type; `limits` by name, in the unit
    that `limits.json` states. `today` is an ISO date; empty: that on which each row was true.
    """

    sizes: Mapping[str, Size]
    zones: Mapping[str, tuple[str, ...]]
    slots: Mapping[str, int]
    images: Mapping[str, Image]
    prices: Mapping[str, Mapping[str, float]]
    limits: Mapping[str, int]
    lustre: Lustre
    durations: Durations
    api_versions: Mapping[str, str]
    today: str = ""

    def has_ended(self, image: Image) -> bool:
        """Return whether an image's system has reached its end of life."""
        return image.end_of_life is not None and image.end_of_life <= (self.today or image.read_on)

    @property
    def regions(self) -> tuple[str, ...]:
        """Return the names of all regions, sorted."""
        return tuple(sorted(self.zones))

    def image_of(self, text: str) -> Image | None:
        """Return what is known of an image, `publisher:offer:sku:version`; None of another, or of a gallery's."""
        return self.images.get(text.rpartition(":")[0].lower())

    def offered_in(self, size: str) -> tuple[str, ...] | None:
        """Return the regions that offer a size, sorted; None when that is not known."""
        prices = self.prices.get(size)
        return None if prices is None else tuple(sorted(prices))
