"""Decides which properties are left to others, as the environment file's `ignore` says, and how a body keeps them."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from typing import Any

from provision.catalog.changes import INDEX, TypePolicies, is_at
from provision.environment.model import Ignored
from provision.plan.carry import writable
from provision.plan.model import Edit
from provision.topology import Topology
from provision.topology.names import NETWORK, PEERING, STORAGE

_STEP = re.compile(r"([^.\[\]]+)|\[([^\]]*)\]")


def ignored_for(
    ignored: Iterable[Ignored], *, key: str, region: str, unit: str, pool: str | None
) -> tuple[Ignored, ...]:
    """Return the entries about a resource: `key` is its name in the file, `pool` None of what no pool has made."""
    names = {
        f"regions.{region}",
        f"units.{unit}" if unit not in (NETWORK, PEERING, STORAGE) and pool is None else "",
        *(() if pool is None else (f"pools.{pool}", f"regions.{region}.pools.{pool}")),
        "network" if unit in (NETWORK, PEERING) else "",
        f"storage.{key}" if unit == STORAGE else "",
    }
    return tuple(each for each in ignored if each.at in names)


def of_autoscalers(topology: Topology) -> tuple[Ignored, ...]:
    """Return what pools leave to an autoscaler: the number of their nodes, once there are any."""
    shares = [share for share in topology.pools if share.settings.capacity == "external"]
    return tuple(
        Ignored(at=f"regions.{share.region}.pools.{share.name}", property="sku.capacity", owner="an autoscaler")
        for share in shares
    )


def parted(edits: Iterable[Edit], ignored: tuple[Ignored, ...]) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    """Return the edits that are made, and those that are not because their property is left to others."""
    made: list[Edit] = []
    left: list[Edit] = []
    for edit in edits:
        (left if _entry(edit.path, ignored) else made).append(edit)
    return tuple(made), tuple(left)


def owner_of(edit: Edit, ignored: tuple[Ignored, ...]) -> str:
    """Return to whom an edit's property is left, and until when; empty where it is not."""
    entry = _entry(edit.path, ignored)
    if entry is None:
        return ""
    return f"left to {entry.owner}" + (f" until {entry.until}" if entry.until else "")


def keep(body: dict[str, Any], left: Iterable[Edit], rows: TypePolicies) -> None:
    """Make a body that is sent keep what Azure has where properties are left to others; `body` is changed.

    A value that Azure never shows is left out, which keeps it where a PUT merges.
    """
    for edit in left:
        value = None if edit.path in rows.hidden else copy.deepcopy(writable(edit.before))
        steps = [index or key for key, index in _STEP.findall(edit.path)]
        if edit.path.startswith("tags."):
            steps = ["tags", edit.path[5:]]
        _put(body, steps, value, "", rows)


def _entry(path: str, ignored: tuple[Ignored, ...]) -> Ignored | None:
    return next((each for each in ignored if is_at(path, each.property)), None)


def _put(holder: Any, steps: list[str], value: Any, path: str, rows: TypePolicies) -> None:
    """Set a value at the end of some steps, or take it away where it is None; what stands around it is copied."""
    head, rest = steps[0], steps[1:]
    if isinstance(holder, list):
        _put_element(holder, head, rest, value, path, rows)
        return
    at = f"{path}.{head}" if path else head
    if rest:
        inner = holder.get(head)
        holder[head] = list(inner) if isinstance(inner, list | tuple) else dict(inner or {})
        _put(holder[head], rest, value, at, rows)
    elif value is None:
        holder.pop(head, None)
    else:
        holder[head] = value


def _put_element(elements: list[Any], name: str, rest: list[str], value: Any, path: str, rows: TypePolicies) -> None:
    key = rows.exactly(INDEX.sub("[]", path)).key
    numbers = [
        number
        for number, element in enumerate(elements)
        if (str(element.get(key)).lower() == name.lower() if key and isinstance(element, dict) else str(number) == name)
    ]
    if rest:
        for number in numbers[:1]:
            elements[number] = dict(elements[number])
            _put(elements[number], rest, value, f"{path}[]", rows)
    else:
        elements[:] = [element for number, element in enumerate(elements) if number not in numbers]
        if value is not None:
            elements.append(value)
