"""What the plan of an environment rests on, and the questions that every part of planning asks of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from provision.arm import PEERINGS, SUBNETS, ResourceId
from provision.catalog import Catalog
from provision.catalog.changes import Policies
from provision.environment.model import Ignored
from provision.plan.model import Action, Change, Edit
from provision.plan.observed import Body, Observed, is_marked, mark_of
from provision.plan.origins import origins_of
from provision.plan.record import Record
from provision.source import Path
from provision.topology.names import MARK, mark


@dataclass(frozen=True, slots=True)
class Context:
    """What a plan rests on. `locate` tells where the first stated of some paths of the environment file stands.

    `prices` are the environment's own, in USD a node and hour, by size; they win over the catalog's. `ignored`: what
    the file leaves to others.
    """

    environment: str
    subscription: str
    observed: Observed
    policies: Policies
    catalog: Catalog
    locate: Callable[..., str]
    prices: Mapping[str, float] = field(default_factory=dict)
    ignored: tuple[Ignored, ...] = ()

    def mark(self, unit: str) -> str:
        """Return the value of our tag on the resources of a unit."""
        return mark(self.environment, unit)

    def found(self, id: ResourceId) -> Body | None:
        """Return what Azure reports of a resource."""
        return self.observed.resources.get(id.key)

    def is_ours(self, id: ResourceId, unit: str, record: Record | None, stated: Body | None = None) -> bool:
        """Return whether a resource of a name that we use is ours: it carries our mark.

        Children of a network take no tags, and what a unit of one's own makes may state none: such is ours if a stack
        recorded it, or if what it stands in is. `stated` is the resource as it is stated, if it still is.
        """
        mark = mark_of(self.found(id) or {})
        if mark == self.mark(unit):
            return True
        body = stated or (record.body(id) if record else None) or {}
        untagged = id.key in self.observed.versions and mark is None and "tags" not in body
        if not untagged and id.type.lower() not in (SUBNETS.lower(), PEERINGS.lower()):
            return False
        recorded = record is not None and id.key in record.ids()
        return recorded or is_marked(self.found(id.parent) or {}, self.environment)

    def not_ours(self, id: ResourceId, unit: str, record: Record | None) -> str:
        """Return why a resource of a name that we use is not ours, and how it could become so."""
        if record is not None and id.key in record.ids():
            return f"a stack of ours recorded it, but it has lost our mark: put its tag back, {MARK}: {self.mark(unit)}"
        return "exists, but is not ours: it has neither our mark nor a record of ours; provision adopt takes it over"

    def locator(self, id: ResourceId, pool: str | None, region: str, own: Path | None = None) -> Callable[[str], str]:
        """Return what tells where a property of a resource comes from; `own`: the unit of one's own that makes it."""
        key = self.key_of(id)
        return lambda path: self.locate(*origins_of(id.type, path, pool, region, key, own))

    def key_of(self, id: ResourceId) -> str:
        """Return the name that a resource has in the environment file; of one that has none there, its own."""
        return self.observed.named.get(id.key) or id.name.removeprefix(f"{self.environment}-")

    def change(
        self,
        id: ResourceId,
        action: Action,
        reason: str,
        origin: Path,
        *,
        unit: str = "",
        region: str = "",
        pool: str | None = None,
        nodes: int = 0,
        gpus_a_node: int | None = None,
        edits: tuple[Edit, ...] = (),
    ) -> Change:
        """Return a change; `gpus_a_node` is of the stated size, and counts where that of what runs is not known."""
        return Change(
            id=id,
            action=action,
            unit=unit,
            region=region,
            pool=pool,
            nodes=nodes,
            gpus=self._gpus(id, nodes, gpus_a_node),
            reason=reason,
            origin=self.locate(origin),
            edits=edits,
        )

    def _gpus(self, id: ResourceId, nodes: int, stated: int | None) -> int | None:
        if not nodes:
            return 0
        size = self.catalog.sizes.get(str(((self.found(id) or {}).get("sku") or {}).get("name", "")))
        each = stated if size is None or size.gpus is None else size.gpus
        return None if each is None else nodes * each


def capacity(body: Body | None) -> int:
    """Return the nodes of a scale set's body; 0 of anything else."""
    sku: Mapping[str, object] = (body or {}).get("sku") or {}
    count = sku.get("capacity")
    return count if isinstance(count, int) else 0


def worst(edits: tuple[Edit, ...]) -> Action:
    """Return the action of a change with these edits."""
    return max((edit.action for edit in edits), default=Action.RECORD)
