"""An image has drivers for some GPUs, and is made for one kind of processor."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog, Image, Size
from provision.environment import Environment
from provision.findings import Problem, Severity, rule

_SHOWN = 4


@rule(
    id="image-not-for-size",
    subject=Environment,
    severity=Severity.ERROR,
    why="the nodes would not boot, or boot without a driver for their GPUs",
    link="https://learn.microsoft.com/azure/virtual-machines/workloads/hpc/configure",
    remedy="choose the image that is made for the size",
)
def image_not_for_size(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose image is made for other sizes than its own."""
    for name, region, pool in environment.shares():
        image, size = catalog.image_of(pool.image), catalog.sizes.get(pool.size)
        if image is not None and size is not None and not size.unsupported and (wrong := _wrong(image, size)):
            fitting = [each.name for each in catalog.images.values() if _made_for(each, size)][:_SHOWN]
            yield Problem(
                at=environment.where(name, region, "image"),
                message=f"the image {image.name} of pool {name} {wrong}",
                fix=f"choose one of {', '.join(fitting)}" if fitting else "choose an image that is made for it",
            )


def _wrong(image: Image, size: Size) -> str | None:
    if image.architecture != size.architecture:
        return f"is for {image.architecture} processors; {size.name} has {size.architecture}"
    if size.generations and not set(image.generations) & set(size.generations):
        return f"is of generation {image.generations[0]}; {size.name} boots generation {size.generations[0]} only"
    if size.gpus and image.gpu_sizes and size.name not in image.gpu_sizes:
        return f"has no driver for the GPUs of {size.name}"
    return None


def _made_for(image: Image, size: Size) -> bool:
    if image.has_ended or _wrong(image, size):
        return False
    return size.name in (image.gpu_sizes or ()) if size.gpus else image.gpu_sizes is not None
