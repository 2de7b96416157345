"""An image's version should be stated, so that all nodes have the same one."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.environment.model import DEFAULT_IMAGE
from provision.findings import Problem, Severity, rule


@rule(
    id="image-version-latest",
    subject=Environment,
    severity=Severity.WARNING,
    why="nodes that are added later get whatever is latest then: other drivers in one job, or an image that is gone",
    link="https://learn.microsoft.com/azure/virtual-machines/linux/cli-ps-findimage",
    remedy="state the version in full, and change it when you mean to",
)
def image_version_latest(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool whose image has the version `latest`."""
    for name, region, pool in environment.shares():
        image, _, version = pool.image.rpartition(":")
        if version == "latest":
            known = image == DEFAULT_IMAGE.rpartition(":")[0]
            yield Problem(
                at=environment.where(name, region, "image"),
                message=f"pool {name} takes the latest version of {image}",
                fix=f"write {DEFAULT_IMAGE}, which this version of provision was made with"
                if known
                else f"write the version; `az vm image list --all --publisher {image.split(':')[0]}` shows them",
            )
