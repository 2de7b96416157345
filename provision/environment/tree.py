"""Plain values, nested maps and tuples, changed at many paths in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from provision.source import Path


def fractions_in(at: Path, value: Any) -> Iterator[tuple[Path, float]]:
    """Yield each number with a fraction in a value that stands at a path, with its own path."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from fractions_in((*at, key), item)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from fractions_in((*at, index), item)
    elif isinstance(value, float):
        yield at, value


class _Cut:
    """What stands for a value that goes."""


CUT = _Cut()


def at(data: Any, path: Path) -> Any:
    """Return the value at a path that data has."""
    for part in path:
        data = data[part]
    return data


def edited(data: Any, edits: Mapping[Path, Any]) -> Any:
    """Return data with other values at some paths; `CUT` takes a value out. Paths that data lacks change nothing."""
    if () in edits:
        return edits[()]
    inner: dict[str | int, dict[Path, Any]] = {}
    for path, value in edits.items():
        inner.setdefault(path[0], {})[path[1:]] = value

    if isinstance(data, Mapping):
        items = ((key, edited(item, inner[key]) if key in inner else item) for key, item in data.items())
        return {key: item for key, item in items if item is not CUT}
    if isinstance(data, tuple):
        parts = (edited(item, inner[n]) if n in inner else item for n, item in enumerate(data))
        return tuple(item for item in parts if item is not CUT)
    return data
