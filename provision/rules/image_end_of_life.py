"""An image whose system gets no more updates is soon taken away."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="image-end-of-life",
    subject=Environment,
    severity=Severity.WARNING,
    why="no security update comes any more, and once the publisher withdraws the image no node can be added",
    link="https://learn.microsoft.com/azure/virtual-machines/workloads/hpc/configure",
    remedy="move to an image of a newer system, pool by pool",
)
def image_end_of_life(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose image's system had reached its end of life when the catalog was made."""
    for name, region, pool in environment.shares():
        image = catalog.image_of(pool.image)
        if image is not None and image.has_ended:
            yield Problem(
                at=environment.where(name, region, "image"),
                message=f"the image {image.name} of pool {name} reached its end of life on {image.end_of_life}",
                fix="choose an image of a newer system, such as microsoft-dsvm:ubuntu-hpc:2404",
            )
