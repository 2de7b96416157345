"""Which keys each level of an environment file has, told from the model; for messages about keys."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from provision.environment.model import Environment
from provision.environment.scalars import plain
from provision.source import Path

#: Keys that the format is to have and this version does not read.
LATER = frozenset(("boot_diagnostics", "variables"))


@cache
def levels() -> tuple[tuple[Path, type[BaseModel]], ...]:
    """Return each level's path, with `*` for a name that the user chooses, and its model; the outermost first."""
    return tuple(_below((), Environment))


def keys_at(path: Path) -> tuple[str, ...]:
    """Return the keys that the map at a path may have; none where the user chooses them."""
    for level, model in levels():
        if len(level) == len(path) and all(a in ("*", b) for a, b in zip(level, path, strict=True)):
            return tuple(model.model_fields)
    return ()


def levels_with(key: str) -> tuple[str, ...]:
    """Return where a key belongs, `pools.NAME` or `the top`, in the file's order."""
    return tuple(
        ".".join("NAME" if part == "*" else str(part) for part in level) or "the top of the file"
        for level, model in levels()
        if key in model.model_fields
    )


def _below(path: Path, model: type[BaseModel]) -> Iterator[tuple[Path, type[BaseModel]]]:
    yield path, model
    for name, field in model.model_fields.items():
        for star, part in _models_in(field.annotation):
            yield from _below((*path, name, *star), part)


def _models_in(annotation: Any) -> Iterator[tuple[Path, type[BaseModel]]]:
    """Yield the models inside a type; those that are a map's values with a `*` before them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield (), annotation
        return
    inside = get_args(annotation)
    star: Path = ("*",) if get_origin(annotation) is dict else ()
    for part in inside[1:] if star else inside:
        for deeper, model in _models_in(part):
            yield (*star, *deeper), model


def example_of(path: Path) -> str:
    """Return an example of the value at a path, as written in a file; empty when the model gives none."""
    for level, model in levels():
        if len(level) == len(path) - 1 and all(a in ("*", b) for a, b in zip(level, path, strict=False)):
            field = model.model_fields.get(str(path[-1]))
            return written(field.examples[-1]) if field and field.examples else ""
    return ""


def written(value: Any) -> str:
    """Return a value as it is written in a file, on one line; text only quoted where it must be."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {written(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(written(part) for part in value) + "]"
    return f'"{value}"' if isinstance(value, str) and plain(value) != value else str(value)
