"""What a plan is made of. How it is worked out: `diff.py` (a resource), `build.py` (an environment)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from provision.arm import ResourceId


class Action(IntEnum):
    """What a change does to what runs, in Azure's terms; the greater, the worse.

    `SCALE_IN` deletes nodes of a set that stays; it stands beside the design's list because neither `update`
    (running nodes untouched) nor `delete` (the set goes) tells the truth about it.
    """

    RECORD = 0  # only the stack's record of what is stated
    CREATE = 1
    UPDATE = 2
    UPDATE_MODEL = 3
    ROLL = 4
    REIMAGE = 5
    DEALLOCATE = 6
    SCALE_IN = 7
    DELETE = 8
    REPLACE = 9
    REFUSED = 10

    @property
    def label(self) -> str:
        """Return the action as plans write it."""
        return self.name.lower().replace("_", "-")


#: The consent (`--allow`) that an action needs.
CONSENT = {
    Action.DEALLOCATE: "deallocate",
    Action.SCALE_IN: "delete",
    Action.DELETE: "delete",
    Action.REPLACE: "replace",
}


@dataclass(frozen=True, slots=True)
class Edit:
    """A property that changes. `origin` is the path in the environment file that caused it, dotted.

    `drift`: Azure's value was changed by somebody else, and applying reverts it.
    """

    path: str
    before: Any
    after: Any
    action: Action
    reason: str
    link: str
    origin: str
    drift: bool = False


class Drift(IntEnum):
    """How bad it is that somebody else changed something; the greater, the worse."""

    BENIGN = 0
    OWNED_ELSEWHERE = 1
    RISKY = 2
    DANGEROUS = 3

    @property
    def label(self) -> str:
        """Return the class as plans write it."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True)
class Drifted:
    """What somebody else changed since the last apply; `path` is empty where the whole resource is gone.

    `effect`: what applying does to it, and why.
    """

    id: ResourceId
    path: str
    recorded: Any
    observed: Any
    kind: Drift
    effect: str


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one resource. `nodes` are those that it touches: makes, upgrades, deletes.

    `instances`: the ids, in their set, of the nodes that a set gives up when it shrinks.
    """

    id: ResourceId
    action: Action
    unit: str
    region: str
    pool: str | None
    nodes: int
    gpus: int | None
    reason: str
    origin: str
    edits: tuple[Edit, ...] = ()
    instances: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """Something in our groups or on our resources that is not ours, and stays."""

    id: ResourceId
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One request to ARM, or one wait, that carries out changes.

    `kind`: put-group, put-stack, delete, delete-instances, await-empty (a subnet without interfaces), delete-stack,
    delete-group.
    `after`: the ids of the operations that must have succeeded before. `mark`: the value of our tag without which
    a resource is not deleted; empty of one that takes no tags. `api_version`: of a resource of a user's own type.
    `sends`: the body, or what makes it, which makes no difference.
    """

    id: str
    kind: str
    target: ResourceId
    unit: str
    region: str
    after: tuple[str, ...]
    sends: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = field(default=None, compare=False)
    mark: str = ""
    origin: str = ""
    api_version: str = ""

    @property
    def body(self) -> Mapping[str, Any] | None:
        """Return the body that is sent. A stack's is made anew, and the same, at each call.

        Those of a large plan would fill the memory, and to show a plan needs none.
        """
        return self.sends() if callable(self.sends) else self.sends


@dataclass(frozen=True, slots=True)
class Domain:
    """The proof for one InfiniBand domain: it is one scale set, one placement group, within its limit and one zone.

    `subnet_addresses` is None of an existing subnet, which others own.
    """

    scale_set: str
    region: str
    pool: str
    nodes: int
    limit: int
    zone: str | None
    single_placement_group: bool
    subnet_addresses: int | None
    subnet_needed: int

    @property
    def holds(self) -> bool:
        """Return whether jobs on these nodes can use InfiniBand throughout."""
        fits = self.subnet_addresses is None or self.subnet_needed <= self.subnet_addresses
        return self.single_placement_group and self.nodes <= self.limit and fits


@dataclass(frozen=True, slots=True)
class PoolCost:
    """A pool in a region before and after; `price` tells whose prices these are: `contract`, `list` or `unknown`.

    Money is in USD an hour, None where the price of a size is not known.
    """

    region: str
    pool: str
    nodes_before: int
    nodes_after: int
    usd_per_hour_before: float | None
    usd_per_hour_after: float | None
    price: str


@dataclass(frozen=True, slots=True)
class Interruption:
    """Jobs that a change of a scale set stops: the nodes that it touches, and those that wait for them.

    `jobs`: the most that can be hit. `gpu_hours`: work lost and time away of all GPUs of these jobs; None where the
    GPUs are not known. `assumed_job_size`: the pool states none, so a job is taken to span its whole domain.
    """

    id: ResourceId
    nodes: int
    jobs: int
    stalled_nodes: int
    gpu_hours: float | None
    assumed_job_size: bool
    may_not_come_back: bool


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long a plan takes, in seconds, if durations are as the catalog has them and nothing is scarce.

    `waves`: how many operations can run side by side, wave after wave. `critical_path`: the ids of the operations that
    follow one another and take longest.
    """

    seconds: float
    waves: tuple[int, ...]
    critical_path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a plan costs and puts at risk. Money is None where a price is not known.

    `known_…` is the cost of the nodes that have a price, `unpriced` are the sizes that have none. `pools` are those in
    which nodes or money change, by region and pool.
    """

    usd_per_hour_before: float | None
    usd_per_hour_after: float | None
    known_usd_per_hour_before: float
    known_usd_per_hour_after: float
    unpriced: tuple[str, ...]
    nodes_before: int
    nodes_after: int
    gpus_after: int
    nodes_deleted: int
    pools: tuple[PoolCost, ...]
    interruptions: tuple[Interruption, ...]
    estimate: Estimate

    @property
    def jobs_interrupted(self) -> int:
        """Return the most jobs that can be hit."""
        return sum(each.jobs for each in self.interruptions)

    @property
    def gpu_hours_at_risk(self) -> float | None:
        """Return the GPU-hours at risk; None where the GPUs of some nodes are not known."""
        known = [each.gpu_hours for each in self.interruptions if each.gpu_hours is not None]
        return round(sum(known), 1) if len(known) == len(self.interruptions) else None


@dataclass(frozen=True, slots=True)
class Plan:
    """The ordered whole. `read` gives a digest of each thing in Azure that the plan rests on, by id.

    `consents` are the dangerous classes it needs; `breaches` the environment's limits that it would break;
    `settings` the `--set` that it was made with; `accepted` the findings that the file accepts, and why.
    `own`: what units of a user's own state or have made, with the API versions by which it is read again.
    `simulated`: it is not about the real Azure, so it must never be applied there.
    """

    environment: str
    subscription: str
    home: ResourceId
    home_location: str
    changes: tuple[Change, ...]
    operations: tuple[Operation, ...]
    kept: tuple[Kept, ...]
    drift: tuple[Drifted, ...]
    domains: tuple[Domain, ...]
    assessment: Assessment
    consents: tuple[str, ...]
    breaches: tuple[str, ...]
    read: Mapping[str, str]
    destroys: bool = False
    settings: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    own: Mapping[ResourceId, str] = field(default_factory=dict)
    simulated: bool = False

    @property
    def empty(self) -> bool:
        """Return whether there is nothing to do."""
        return not self.changes

    @property
    def unread(self) -> tuple[ResourceId, ...]:
        """Return the sets that shrink while it is not known which of their nodes go: until then no plan is whole."""
        shrinking = (change for change in self.changes if change.action is Action.SCALE_IN)
        return tuple(change.id for change in shrinking if len(change.instances) < change.nodes)

    @property
    def refused(self) -> tuple[Change, ...]:
        """Return the changes that cannot be made."""
        return tuple(change for change in self.changes if change.action is Action.REFUSED)
