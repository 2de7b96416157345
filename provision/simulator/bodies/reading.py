"""How a body is read by the shape that it should have.

What comes of it is what can be written, spelled as Azure spells it: keys and values of closed sets compare without
regard to case, as in Azure's own readers, and what only Azure sets is left out. Null counts as absent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from provision.simulator.bodies.shapes import (
    Demanded,
    Each,
    Echoed,
    Fixed,
    Ignored,
    Needed,
    Object,
    OneOf,
    ReadOnly,
    Reference,
    Shape,
    Since,
    Text,
    Whole,
)

Place = tuple[str | int, ...]
"""Keys and indexes from the top of a body."""


@dataclass(frozen=True, slots=True)
class How:
    """How a body is read. `version` is the api-version; where it is empty, every property is known.

    `partial`: the body is laid onto another, so that what is needed may be left out, but for elements of lists.
    `nulls`: nulls are kept, because they take away what is there.
    """

    version: str = ""
    partial: bool = False
    nulls: bool = False


UNKNOWN, MISSING, WRONG_TYPE, NOT_ONE_OF, BAD_VALUE, BAD_REFERENCE, NO_REFERENCE = (
    "unknown",
    "missing",
    "wrong type",
    "not one of",
    "bad value",
    "bad reference",
    "no reference",
)


class Misfit(Exception):  # noqa: N818 - it is a finding about a body, not an error of ours
    """The first place where a body does not fit. Each provider words it in its own way."""

    def __init__(self, kind: str, place: Place, value: Any = None, expected: str = "") -> None:
        super().__init__(f"{kind}: {path_of(place)}")
        self.kind = kind
        self.place = place
        self.value = value
        self.expected = expected
        """The name of the object, type or set of values that Azure's messages give."""

    @property
    def path(self) -> str:
        return path_of(self.place)

    @property
    def name(self) -> str:
        """The last key of the path."""
        return next((str(part) for part in reversed(self.place) if isinstance(part, str)), "")


_JOBJECT = "Newtonsoft.Json.Linq.JObject"
_NET_TYPES: dict[Any, str] = {
    str: "System.String",
    int: "System.Int32",
    float: "System.Double",
    bool: "System.Boolean",
    list: "System.Collections.Generic.List",
}


def read(shape: Shape, value: Any, how: How = How(), place: Place = ()) -> Any:
    """Return what can be written of a value, as Azure spells it; raise Misfit at the first place that does not fit."""
    if isinstance(shape, Since | Echoed | Demanded | Fixed):
        return read(shape.shape, value, how, place)
    if isinstance(shape, Needed):
        if value is None and not how.partial:
            raise Misfit(MISSING, place)
        return read(shape.shape, value, how, place)
    if value is None or isinstance(shape, ReadOnly):
        return None
    if isinstance(shape, Ignored):
        read(shape.shape, value, how, place)
        return None
    if isinstance(shape, Object):
        return _read_object(shape, value, how, place)
    if isinstance(shape, dict):
        return _read_loose(shape, value, how, place)
    if isinstance(shape, Reference):
        return _read_reference(shape, value, how, place)
    if isinstance(shape, Each):
        entries = _typed(dict, value, place, "System.Collections.Generic.Dictionary").items()
        return _kept({key: (inner, read(shape.shape, inner, how, (*place, key))) for key, inner in entries}, how)
    if isinstance(shape, list):
        return _read_list(shape[0], value, how, place)
    return _read_simple(shape, value, place)


def path_of(place: Sequence[str | int]) -> str:
    """Return a place as Azure's messages write it: `properties.subnets[0].name`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def _read_object(shape: Object, value: Any, how: How, place: Place) -> Any:
    given: dict[str, Any] = {}
    for key, inner in _typed(dict, value, place, shape.name).items():
        name = shape.spelled.get(key.lower())
        if name is None or _too_new(shape.fields[name], how):
            raise Misfit(UNKNOWN, (*place, key), expected=shape.name)
        given[name] = inner
    for name, field_shape in shape.fields.items():
        if isinstance(field_shape, Needed) and name not in given:
            read(field_shape, None, how, (*place, name))
    return _kept(
        {name: (inner, read(shape.fields[name], inner, how, (*place, name))) for name, inner in given.items()}, how
    )


def _read_loose(shape: dict[str, Shape], value: Any, how: How, place: Place) -> Any:
    entries = _typed(dict, value, place, _JOBJECT)
    known = {key: read(inner, entries.get(key), how, (*place, key)) for key, inner in shape.items()}
    return {key: known.get(key, inner) for key, inner in entries.items()}


def _kept(found: dict[str, tuple[Any, Any]], how: How) -> dict[str, Any]:
    """Return what was read, by key; of what came to nothing, only a null that was sent and that means something."""
    return {name: value for name, (sent, value) in found.items() if value is not None or (how.nulls and sent is None)}


def _read_list(shape: Shape, value: Any, how: How, place: Place) -> list[Any]:
    whole = How(how.version)
    entries = _typed(list, value, place, _NET_TYPES[list])
    return [read(Needed(shape), each, whole, (*place, index)) for index, each in enumerate(entries)]


def _read_reference(shape: Reference, value: Any, how: How, place: Place) -> Any:
    given = {key.lower(): inner for key, inner in _typed(dict, value, place, "ResourceReference").items()}
    target = given.pop("id", None)
    if shape.rest is not None:
        read(shape.rest, {key: inner for key, inner in value.items() if key.lower() != "id"}, How(how.version), place)
    elif given:
        unknown = next(key for key in value if key.lower() != "id")
        raise Misfit(UNKNOWN, (*place, unknown), expected="ResourceReference")
    if target is None:
        if shape.needed:
            raise Misfit(NO_REFERENCE, place)
        return {}
    text = _read_simple(str, target, (*place, "id"))
    if not _refers(text, shape.kind):
        raise Misfit(BAD_REFERENCE, place, text, shape.kind)
    return {"id": text}


def _refers(text: str, kind: str) -> bool:
    """Return whether a text is a resource's id, of the right type where one is asked for."""
    parts = text.split("/")
    if not kind:
        return text.lower().startswith(("/subscriptions/", "/providers/"))
    words = kind.lower().split("/")
    names = parts[-2 * len(words) :]
    return (
        text.lower().startswith("/subscriptions/")
        and "" not in parts[1:]
        and len(parts) == 7 + 2 * len(words)
        and [word.lower() for word in names[::2]] == words
    )


def _read_simple(shape: Shape, value: Any, place: Place) -> Any:
    if isinstance(shape, OneOf):
        text = _converted(str, value, place)
        if text.lower() not in shape.spelled:
            raise Misfit(NOT_ONE_OF, place, text, shape.name)
        return shape.spelled[text.lower()]
    if isinstance(shape, Whole):
        number = _converted(int, value, place)
        if (shape.least is not None and number < shape.least) or (shape.most is not None and number > shape.most):
            raise Misfit(BAD_VALUE, place, number)
        return number
    if isinstance(shape, Text):
        text = _converted(str, value, place)
        too_long = shape.longest is not None and len(text) > shape.longest
        if too_long or len(text) < shape.shortest or (shape.pattern and not shape.pattern.fullmatch(text)):
            raise Misfit(BAD_VALUE, place, text)
        return text
    if shape is object:
        return value
    if shape in (dict, list):
        return _typed(shape, value, place, _NET_TYPES.get(shape, _JOBJECT))
    return _converted(shape, value, place)


def _typed(kind: type, value: Any, place: Place, expected: str) -> Any:
    if not isinstance(value, kind):
        raise Misfit(WRONG_TYPE, place, value, expected)
    return value


def _converted(kind: type, value: Any, place: Place) -> Any:
    """Return a plain value as another kind, where Azure's reader converts it: `"64"` is a number, 64 a text."""
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind is str and isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, str):
        if kind is bool and value.lower() in ("true", "false"):
            return value.lower() == "true"
        if kind is int and re.fullmatch(r"[+-]?[0-9]{1,10}", value):
            return int(value)
    raise Misfit(WRONG_TYPE, place, value, _NET_TYPES[kind])


def _too_new(shape: Shape, how: How) -> bool:
    return isinstance(shape, Since) and bool(how.version) and how.version < shape.version
