"""How a region's resources are declared: by type, name and API version. Decides no name and no number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from provision.arm import ResourceId, resource_id
from provision.catalog import Catalog
from provision.render.bicep import Identifier
from provision.topology import Region, Topology
from provision.topology.names import MARK, mark


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource as it is declared.

    `name` has its parents' names in front, as ARM JSON wants it, `own_name` has not; `declaration` is TYPE@VERSION;
    `depends_on` has the parent, `depends_on_symbols` has not: Bicep knows.
    """

    id: ResourceId
    type: str
    api_version: str
    name: str
    own_name: str
    declaration: str
    symbol: Identifier
    depends_on: tuple[ResourceId, ...]
    depends_on_symbols: tuple[Identifier, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A region of a topology: where its resources stand, and what they carry."""

    topology: Topology
    catalog: Catalog
    region: Region

    def tags(self, unit: str) -> Mapping[str, str]:
        """Return the tags of a unit's resources: the environment's, and our mark."""
        return {**self.topology.tags, MARK: mark(self.topology.environment, unit)}

    def resource(
        self,
        type: str,
        *names: str,
        symbol: str,
        parent: Resource | None = None,
        after: tuple[Resource, ...] = (),
        api_version: str = "",
    ) -> Resource:
        """Return the declaration of a resource of this region; a child takes one name for each segment of its type.

        `api_version` is that of a type which the catalog lacks.
        """
        version = api_version or self.catalog.api_versions[type]
        id = resource_id(self.topology.subscription, self.region.group, type, *names)
        return Resource(
            id=id,
            type=type,
            api_version=version,
            name="/".join(names),
            own_name=names[-1],
            declaration=f"{type}@{version}",
            symbol=Identifier(symbol),
            depends_on=tuple(other.id for other in ((parent, *after) if parent else after)),
            depends_on_symbols=tuple(other.symbol for other in after),
        )
