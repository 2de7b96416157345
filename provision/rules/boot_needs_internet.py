"""What nodes fetch at boot must be within their reach."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import PoolInRegion, Topology

#: A URL of another machine: not of Azure's own services on the node's network, which need no way out.
_URL = re.compile(r"https?://(?!169\.254\.169\.254|168\.63\.129\.16|localhost|127\.)[^\s\"'<>]+")
#: Keys of cloud-init that install packages.
_PACKAGES = re.compile(r"^(?:packages|package_update|package_upgrade|snap)\s*:", re.MULTILINE)


@rule(
    id="boot-needs-internet",
    subject=Topology,
    severity=Severity.ERROR,
    why="a first boot that can't fetch what it needs hangs or fails, and looks like a fault of the image",
    link="https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access",
    remedy="give the nodes a way out, or let them fetch nothing at boot",
)
def boot_needs_internet(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool without a way out whose extensions or cloud-init name something on the internet."""
    closed = {region.name for region in topology.regions if region.network and not region.network.nat_gateway}
    for pool in topology.pools:
        if pool.region not in closed or not pool.nodes or pool.settings.public_ip:
            continue
        for key, what in _fetched(pool):
            yield Problem(
                at=(*pool.origin, *key),
                message=f"pool {pool.name} in {pool.region} has no way out, and {what}",
                fix="set network.outbound to {nat_gateway: {addresses: 1}}, or public_ip: true in the pool",
            )


def _fetched(pool: PoolInRegion) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the key of each thing that fetches from the internet at boot, and what it fetches."""
    for name, extension in sorted(pool.settings.extensions.items()):
        if url := next(_urls(extension.settings), None):
            yield ("extensions", name), f"its extension {name} fetches {url}"
    text = "\n".join(line for line in (pool.cloud_init or "").splitlines() if not line.lstrip().startswith("#"))
    if found := _URL.search(text):
        yield ("cloud_init_file",), f"its cloud-init fetches {found.group()}"
    elif _PACKAGES.search(text):
        yield ("cloud_init_file",), "its cloud-init installs packages"


def _urls(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _URL.findall(value)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _urls(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _urls(item)
