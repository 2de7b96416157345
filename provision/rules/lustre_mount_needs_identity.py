"""The nodes of a region mount its storage only if Azure tells them where it is."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.findings import Problem, Severity, rule
from provision.topology import Topology


@rule(
    id="lustre-mount-needs-identity",
    subject=Topology,
    severity=Severity.WARNING,
    why="a file system's address is known only once it stands, so the nodes ask Azure for it, as an identity of theirs",
    link="https://learn.microsoft.com/azure/azure-managed-lustre/connect-clients",
    remedy="give the pool a user-assigned identity that may read the file system",
)
def lustre_mount_needs_identity(topology: Topology, catalog: Catalog) -> Iterator[Problem]:
    """Yield each pool without an identity in a region with storage: its nodes don't mount it."""
    storage = {region.name: region.storage for region in topology.regions}
    for pool in topology.pools:
        if pool.nodes and storage[pool.region] and not pool.settings.identities:
            mounts = ", ".join(each.storage for each in storage[pool.region])
            yield Problem(
                at=pool.origin,
                message=f"the nodes of pool {pool.name} in {pool.region} have no identity and won't mount {mounts}",
                fix="add `identities: [ID]`, of a user-assigned identity with Reader on the file system's group",
                on_key=True,
            )
