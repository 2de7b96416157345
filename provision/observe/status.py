"""Reads how the nodes of an environment are. What counts as running and healthy: `plan/instances.py`."""

from __future__ import annotations

from dataclasses import dataclass

from provision.arm import SCALE_SETS, Arm, ArmError, ResourceId, resource_id
from provision.observe.read import side_by_side
from provision.plan.instances import is_healthy, runs, view_of
from provision.topology import PoolInRegion, Topology


@dataclass(frozen=True, slots=True)
class ScaleSetStatus:
    """One scale set. `placement_groups`: the ids that its nodes report; one is what InfiniBand needs.

    `state`: `present`, or `missing` where there is no such set. `zones`: those in which its nodes stand; none where it
    is in no zone. `limit`: the most nodes that one placement group takes.
    """

    name: str
    state: str
    nodes: int
    running: int
    healthy: int
    behind_model: int
    placement_groups: tuple[str, ...]
    zones: tuple[str, ...] = ()
    limit: int = 100

    @property
    def one_domain(self) -> bool:
        """Return whether jobs on these nodes can use InfiniBand throughout."""
        return len(self.placement_groups) <= 1 and len(self.zones) <= 1 and self.nodes <= self.limit


@dataclass(frozen=True, slots=True)
class PoolStatus:
    """A pool in a region: what is stated beside what runs. `needed`: the fewest nodes that count as working."""

    pool: str
    region: str
    stated: int
    infiniband: bool
    scale_sets: tuple[ScaleSetStatus, ...]
    needed: int

    @property
    def running(self) -> int:
        """Return the nodes that run."""
        return sum(s.running for s in self.scale_sets)

    @property
    def healthy(self) -> int:
        """Return the nodes that run and that nothing reports as unhealthy."""
        return sum(s.healthy for s in self.scale_sets)

    @property
    def behind_model(self) -> int:
        """Return the nodes that do not have the model of their set yet."""
        return sum(s.behind_model for s in self.scale_sets)

    @property
    def complete(self) -> bool:
        """Return whether all that is needed runs healthily, each set in one InfiniBand domain; more is no lack."""
        together = not self.infiniband or all(s.one_domain for s in self.scale_sets)
        return self.healthy >= self.needed and together


def read_status(arm: Arm, topology: Topology) -> tuple[PoolStatus, ...]:
    """Return the status of each pool in each region, by pool, then region. Raises ArmError."""
    groups = {region.name: region.group for region in topology.regions}
    shares = [share for share in sorted(topology.pools, key=lambda share: (share.name, share.region)) if share.nodes]

    def ids_of(share: PoolInRegion) -> list[ResourceId]:
        group = groups[share.region]
        return [resource_id(topology.subscription, group, SCALE_SETS, each.name) for each in share.scale_sets]

    ids = [id for share in shares for id in ids_of(share)]
    limits = {id: share.placement_group_limit for share in shares for id in ids_of(share)}
    found = dict(zip(ids, side_by_side(lambda id: _scale_set(arm, id, limits[id]), ids), strict=True))
    return tuple(
        PoolStatus(
            pool=share.name,
            region=share.region,
            stated=share.nodes,
            infiniband=share.infiniband,
            scale_sets=tuple(found[id] for id in ids_of(share)),
            needed=share.nodes if share.settings.min_nodes is None else share.settings.min_nodes,
        )
        for share in shares
    )


def _scale_set(arm: Arm, id: ResourceId, limit: int) -> ScaleSetStatus:
    try:
        instances = arm.instances(id)
    except ArmError as error:
        if error.status != 404:
            raise
        return ScaleSetStatus(id.name, "missing", 0, 0, 0, 0, ())
    running = [instance for instance in instances if runs(instance)]
    views = [view_of(instance) for instance in instances]
    return ScaleSetStatus(
        name=id.name,
        state="present",
        nodes=len(instances),
        running=len(running),
        healthy=sum(is_healthy(instance) for instance in running),
        behind_model=sum(instance["properties"].get("latestModelApplied") is False for instance in instances),
        placement_groups=tuple(sorted({str(v["placementGroupId"]) for v in views if v.get("placementGroupId")})),
        zones=tuple(sorted({str(zone) for instance in instances for zone in instance.get("zones") or ()})),
        limit=limit,
    )
