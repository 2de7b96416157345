"""What a check before the first write is made of: its subject, what it asks, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from provision.catalog import Catalog
from provision.findings import Rule
from provision.plan import Observed, Plan
from provision.render import Unit
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


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was checked of what, and how it ended. `at`: the path that is to blame or to mend.

    `numbers` are what the message counts with, for other tools; `request` is a body that asks Azure for more.
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


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a check looks at: what it asks, and what the answers mean, in the order of the questions.

    `judge` gets the answers' bodies: a list's items, one body, or None of what is absent.
    """

    subject: str
    at: Path
    questions: tuple[Question, ...]
    judge: Callable[..., Iterable[Row]]
    member: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """A check with its id and reasons, as a rule has them; `items` yields what it looks at in a run."""

    rule: Rule
    items: Callable[[tuple[Member, ...], Catalog], Iterator[Item]]


@dataclass(frozen=True, slots=True)
class Member:
    """One environment of the run: what it comes to, what there is of it, and the plan from the one to the other."""

    topology: Topology
    units: tuple[Unit, ...]
    observed: Observed
    plan: Plan
    source: Source

    def locate(self, path: Path) -> str:
        """Return where a path of the environment stands, as people read it."""
        return self.source.located(path)
