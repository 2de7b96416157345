"""What a change of a property means: the rows of `changes.yaml` as a value, and which row holds for a change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

INDEX = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Policy:
    """One row: the action of a change at or beneath `path`, and how values there compare."""

    path: str
    action: str
    why: str
    source: str
    when: str | Mapping[str, Any] | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    set: bool = False
    fold: bool = False
    keep: bool = False
    default: Any = None
    hidden: bool = False
    members: bool = False
    words: bool = False
    gone: Any = None


#: What a property without a row counts as.
UNKNOWN = Policy(
    path="", action="replace", why="not in our table of changes, so the worst case is assumed", source="assumption"
)


@dataclass(frozen=True, slots=True)
class TypePolicies:
    """The rows of a resource type, by path.

    `merges`: a PUT keeps what it leaves out. `carried`: what others may have set and a PUT would drop, each path with
    the value that Azure itself gives it, which says nothing about others. `drift`: how bad it is that somebody else
    changed a path or something beneath it, where that is worse than what takes it back. `unknown`: the type is none of
    ours, so what Azure reports in another case than it was sent, or not at all, counts as it was recorded. `name`: the
    type, as Azure writes it.
    """

    link: str
    rows: Mapping[str, tuple[Policy, ...]]
    carried: Mapping[str, Any]
    merges: bool
    unknown: bool = False
    drift: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    _hidden: tuple[str, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        """Work out once what is asked of every map of every resource of a fleet."""
        hidden = tuple(path for path, rows in self.rows.items() if rows[0].hidden)
        object.__setattr__(self, "_hidden", hidden)

    def drift_at(self, path: str) -> str:
        """Return how bad a drift of a path is by the table, empty where it says nothing."""
        return next((kind for start, kind in self.drift.items() if is_at(path, start)), "")

    def covering(self, path: str) -> tuple[Policy, ...]:
        """Return the rows of the longest path that covers `path`; indices in it do not count."""
        plain = INDEX.sub("[]", path)
        while plain:
            if rows := self.rows.get(plain):
                return rows
            plain = plain[:-2] if plain.endswith("[]") else plain.rpartition(".")[0]
        return ()

    def exactly(self, path: str) -> Policy:
        """Return the first row of just this path, which tells what kind of list stands there."""
        return next(iter(self.rows.get(INDEX.sub("[]", path), ())), UNKNOWN)

    def policy(self, path: str, before: Any, after: Any, *bodies: Mapping[str, Any]) -> Policy:
        """Return the row that holds for a change of `path`, `UNKNOWN` if there is none.

        `bodies`: the resource before and after, for the rows that look at what stands beside the path.
        """
        for row in self.covering(path):
            if (row.when is None or _holds(row.when, before, after)) and _has_beside(bodies, row.beside):
                return row
        return UNKNOWN

    @property
    def hidden(self) -> tuple[str, ...]:
        """Return the paths that never come back in a GET."""
        return self._hidden


@dataclass(frozen=True, slots=True)
class Policies:
    """The rows of all resource types, by the type's name in lower case; `sources`: what the keys in them stand for."""

    types: Mapping[str, TypePolicies]
    read_on: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)

    def of(self, type: str) -> TypePolicies:
        """Return a type's rows; of a type that we do not know, none, so that each change is the worst case."""
        return self.types.get(type.lower(), TypePolicies(link="", rows={}, carried={}, merges=False))


def policies_of_own(in_place: Iterable[str], known: TypePolicies) -> TypePolicies:
    """Return the rows of a type that a unit of one's own makes: what a user knows better, then what the table says.

    Of a type that is in no table all is the worst case but tags.
    """
    said = "the environment file says so, in `in_place`"
    rows = [Policy(path, "update", f"Azure changes it in place: {said}", "environment file") for path in in_place]
    rows += (
        Policy("tags", "update", "tags are metadata", "TF"),
        Policy("location", "replace", "a resource cannot change its region", "TF", fold=True),
    )
    own = {row.path: (row,) for row in rows}
    users = {path: own[path] for path in in_place}
    return TypePolicies(link=known.link, rows={**own, **known.rows, **users}, carried={}, merges=False, unknown=True)


def policies_from(read: Callable[[str], str]) -> Policies:
    """Return the policies; `read` gives the text of `catalog/changes.yaml`."""
    data = yaml.load(read("catalog/changes.yaml"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    types: dict[str, TypePolicies] = {}
    for name, section in data.items():
        if "/" not in name:
            continue
        rows: dict[str, tuple[Policy, ...]] = {}
        for row in section["rows"]:
            rows[row["path"]] = (*rows.get(row["path"], ()), Policy(**row))
        types[name.lower()] = TypePolicies(
            link=section["link"],
            rows=rows,
            carried=section["carried"],
            merges=section.get("merges", False),
            drift=section.get("drift", {}),
            name=name,
        )
    return Policies(types, read_on=str(data["read_on"]), sources=data.get("sources", {}))


def is_at(path: str, start: str) -> bool:
    """Return whether a property's path is another one, or beneath it."""
    return path == start or (path.startswith(start) and path[len(start)] in ".[")


def words_of(value: Any) -> tuple[str, ...]:
    """Return the words of a text that lists some, `SystemAssigned, UserAssigned`; none of `None` or no text."""
    words = [word.strip() for word in value.split(",")] if isinstance(value, str) else []
    return tuple(word for word in words if word and word != "None")


def _holds(when: str | Mapping[str, Any], before: Any, after: Any) -> bool:
    if isinstance(when, Mapping):
        return all(_is(value, when[end]) for end, value in (("from", before), ("to", after)) if end in when)
    if when == "same-network":
        return _network_of(before) == _network_of(after) != ""
    if when in ("grows", "shrinks"):
        numbers = isinstance(before, int) and isinstance(after, int)
        return numbers and (after > before if when == "grows" else after < before)
    had, has = _elements(before), _elements(after)
    return had < has if when == "added" else has < had


def _elements(value: Any) -> frozenset[Any]:
    return frozenset(value) if isinstance(value, list | tuple) else frozenset(() if value is None else (value,))


def _is(value: Any, wanted: Any) -> bool:
    return value == wanted or (wanted is None and value in ([], {}, ()))


def _network_of(subnet: Any) -> str:
    """Return the id, in lower case, of the network in which a subnet is; empty of what is no id of one."""
    network, _, name = str(subnet).lower().rpartition("/subnets/")
    return network if name else ""


def _has_beside(bodies: Iterable[Mapping[str, Any]], wanted: Mapping[str, Any]) -> bool:
    """Return whether all bodies have certain values; without a body nobody knows."""
    bodies = tuple(bodies)
    return not wanted or (bool(bodies) and all(_at(b, path) == value for b in bodies for path, value in wanted.items()))


def _at(body: Mapping[str, Any], path: str) -> Any:
    value: Any = body
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
