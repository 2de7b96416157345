"""The words for what may stand where in the bodies that the simulator takes; `reading` reads bodies by them.

A shape is a Python type, a list of one shape (of each element), a map of keys to shapes, which says nothing of other
keys, or one of the classes here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Shape = Any  # a type, a list, a map, or a class below: recursive, which types cannot say plainly


class Object:
    """A map whose keys are known, under the name that Azure's messages give to it."""

    def __init__(self, name: str, /, **fields: Shape) -> None:
        self.name = name
        self.fields = fields
        self.spelled = {key.lower(): key for key in fields}

    def having(self, name: str = "", /, **fields: Shape) -> Object:
        """Return the same with other or more fields."""
        return Object(name or self.name, **{**self.fields, **fields})

    def add(self, **fields: Shape) -> None:
        """Add fields whose shapes hold this one."""
        self.fields |= fields
        self.spelled |= {key.lower(): key for key in fields}


@dataclass(frozen=True, slots=True)
class Each:
    """A map whose keys are free, and whose values are all of one shape."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Needed:
    """A value that has to be there."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Demanded:
    """A value that has to be there, as its provider says itself and better than the reader of JSON."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that stays what it was when its resource was made; stating one that was left out then is a change."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Since:
    """A property that api-versions before `version` do not know."""

    version: str
    shape: Shape


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """A value that only Azure sets: what a client sends is not looked at."""


@dataclass(frozen=True, slots=True)
class Echoed:
    """A value that only Azure sets, and that a client may send back as it was read. Its provider compares it."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Ignored:
    """A value that a client may send, of a shape, and that Azure takes no notice of."""

    shape: Shape


class OneOf:
    """A text of a closed set. Azure's types often call such sets open, and refuse what is not in them all the same."""

    def __init__(self, *values: str, name: str = "") -> None:
        self.values = values
        self.name = name
        self.spelled = {value.lower(): value for value in values}


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number between two others, where there are any."""

    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A text with a rule for its length or its form."""

    shortest: int = 0
    longest: int | None = None
    pattern: re.Pattern[str] | None = field(default=None)


@dataclass(frozen=True, slots=True)
class Reference:
    """An object that refers to another resource by its id. `kind` is the type without its namespace; empty for any.

    What else Azure's types let it hold has the shape `rest`, and means nothing.
    """

    kind: str = ""
    rest: Object | None = None
    needed: bool = True


READ_ONLY = ReadOnly()
TAGS = Each(str)
REFERENCE = Reference()


def fixed_in(shape: Shape, place: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the dotted paths of what stays for good, in the table's order."""
    while isinstance(shape, Since | Needed | Demanded):
        shape = shape.shape
    if isinstance(shape, Fixed):
        yield ".".join(place)
    elif isinstance(shape, Object):
        for key, inner in shape.fields.items():
            yield from fixed_in(inner, (*place, key))
