"""What a check before the first write is made of: its subject, what it asks, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from provision.arm import Reader, ResourceId, resource_id
from provision.catalog import Catalog
from provision.environment import Suppression
from provision.findings import Rule
from provision.plan import Observed, Plan
from provision.plan.context import capacity
from provision.render import Unit
from provision.render.arm_json import unescaped
from provision.source import Path, Source
from provision.topology import Topology


class Status(StrEnum):
    """How a check ended. One that could not run says nothing about what it checks, and is never taken for passed."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    COULD_NOT_RUN = "could not run"


@dataclass(frozen=True, slots=True)
class Question:
    """A read of Azure: a GET of a path, a list's pages joined; a POST that reads where it has a body.

    `type` is the resource type whose API version is spoken. Of what may be absent, 404 is an answer: None.
    """

    path: str
    type: str
    query: str = ""
    body: Mapping[str, Any] | None = field(default=None, compare=False)
    may_be_absent: bool = False

    @property
    def subscription(self) -> str:
        """Return the subscription that is asked about."""
        return self.path.split("/")[2]

    def asked_of(self, reader: Reader) -> Any:
        """Return the answer. Raises ArmError, or Unreachable."""
        return reader.read(self.path, self.type, self.query, self.body)


@dataclass(frozen=True, slots=True)
class LoginQuestion:
    """How long tokens can be had for a subscription: what is asked of the credential, and not of Azure."""

    subscription: str
    may_be_absent: bool = False

    def asked_of(self, reader: Reader) -> Any:
        """Return the `Login`. Raises Unreachable where there is none."""
        return reader.login()


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was checked of what, and how it ended. `at`: the path that is to blame or to mend.

    `numbers` are what the message counts with, for other tools; `request` is a body that asks Azure for more;
    `accepted` is the entry of the environment file that takes it as it is.
    """

    rule: str
    subject: str
    status: Status
    message: str
    at: Path
    fix: str = ""
    member: int = 0
    numbers: Mapping[str, int] = field(default_factory=dict)
    request: Mapping[str, Any] | None = None
    accepted: Suppression | None = None

    @property
    def counting(self) -> Status:
        """Return the status as it counts for what follows: what is accepted stops nothing."""
        return Status.PASS if self.accepted else self.status


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a check looks at: what it asks, and what the answers mean, in the order of the questions.

    `judge` gets the answers' bodies: a list's items, one body, or None of what is absent. It may come to further items,
    where an answer gives rise to a question.
    """

    subject: str
    at: Path
    questions: tuple[Question | LoginQuestion, ...]
    judge: Callable[..., Iterable[Row | Item]]
    member: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """A check with its id and reasons, as a rule has them; `items` yields what it looks at in a run."""

    rule: Rule
    items: Callable[[tuple[Member, ...], Catalog], Iterator[Item]]


@dataclass(frozen=True, slots=True)
class Stated:
    """A resource that is to be deployed: its id, its plain body, and the unit that states it."""

    id: ResourceId
    body: Mapping[str, Any]
    unit: Unit


@dataclass(frozen=True, slots=True)
class WantedGroup:
    """A resource group that the environment uses. `given`: it has to be there, and is not ours."""

    name: str
    location: str
    given: bool
    at: Path


@dataclass(frozen=True, slots=True)
class Member:
    """One environment of the run: what is to be deployed, what there is of it, and the plan from the one to the other.

    `source` is None of a saved plan, which has no file to point into, and so accepts nothing of what is found.
    """

    environment: str
    subscription: str
    groups: tuple[WantedGroup, ...]
    units: tuple[Unit, ...]
    observed: Observed
    plan: Plan
    source: Source | None
    suppress: tuple[Suppression, ...] = ()

    def stated(self, type: str = "") -> Iterator[Stated]:
        """Yield the resources of a type, or all, in the units' order."""
        for unit in self.units:
            for resource in unit.template["resources"]:
                if not type or resource["type"].lower() == type.lower():
                    plain = unescaped(resource)
                    id = resource_id(self.subscription, unit.group, plain["type"], *plain["name"].split("/"))
                    yield Stated(id, plain, unit)

    def running(self, id: ResourceId) -> int:
        """Return how many nodes a scale set has now; 0 of one that there isn't."""
        return capacity(self.observed.resources.get(id.key))


def member_of(
    topology: Topology,
    units: tuple[Unit, ...],
    observed: Observed,
    plan: Plan,
    source: Source,
    suppress: tuple[Suppression, ...] = (),
) -> Member:
    """Return an environment as the checks look at it."""
    groups = [WantedGroup(topology.home_group, topology.home_location, False, ("name",))]
    for region in topology.regions:
        at: Path = ("regions", region.name, "resource_group") if region.group_is_given else ("regions", region.name)
        groups.append(WantedGroup(region.group, region.name, region.group_is_given, at))
    return Member(topology.environment, topology.subscription, tuple(groups), units, observed, plan, source, suppress)


def member_of_saved(plan: Plan, observed: Observed) -> Member:
    """Return a saved plan as the checks look at it: only what it writes, and no file to point into."""
    units = tuple(
        Unit(
            region=operation.region,
            group=operation.target.group,
            name=operation.unit,
            stack=operation.target.name,
            template=operation.body["properties"]["template"],
            after=(),
            pool=None,
            nodes=0,
            gpus=0,
            protect=False,
            origin=(),
        )
        for operation in plan.operations
        if operation.kind == "put-stack" and operation.body
    )
    return Member(plan.environment, plan.subscription, (), units, observed, plan, None)
