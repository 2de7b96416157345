"""An image whose name is nearly that of a known one is hardly meant."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule
from provision.near import nearest


@rule(
    id="image-misspelt",
    subject=Environment,
    severity=Severity.WARNING,
    why="an image that there isn't is found out when the network stands already, and the nodes are to be made",
    link="https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage",
    remedy="write the image's name as its publisher does, or suppress the finding where it is another image",
)
def image_misspelt(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose image is not known, and is spelt nearly as a known one of the same publisher."""
    for name, region, pool in environment.shares():
        known, _, version = pool.image.rpartition(":")
        publisher = known.partition(":")[0].lower()
        if pool.image.startswith("/") or catalog.image_of(pool.image) is not None:
            continue
        names = {each.name for each in catalog.images.values() if each.name.lower().startswith(f"{publisher}:")}
        if (near := nearest(known, names)) is not None:
            yield Problem(
                at=environment.where(name, region, "image"),
                message=f"provision knows no image {known}; did you mean {near}?",
                fix=f"write {near}:{version}, with a version that it has",
            )
