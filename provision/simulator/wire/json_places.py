"""Where something stands in a JSON text, as Azure's messages say it: `line 1, position 57`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

KEY, VALUE, END = "key", "value", "end"

_TOKEN = re.compile(
    r"""(?:\s|//[^\r\n]*|/\*.*?\*/)*
        (?: ("(?:[^"\\]|\\.)*")(?=(\s*:)?) | ([\[\]{}:,]) | ([^\s\[\]{}:,"]+)(?=(\s*:)?) )""",
    re.VERBOSE | re.DOTALL,
)
"""Comments and keys without quotes are read over: `az` sends them."""


def place_in(text: str, wanted: Sequence[str | int], part: str) -> tuple[int, int]:
    """Return line and position to which Azure's reader has come when it has read a part of what stands at a place.

    KEY is the key with its colon; VALUE a plain value, or the opening bracket of another; END the closing bracket.
    Keys compare without regard to case. Where the place does not exist, it is the end of the text.
    """
    lowered = tuple(_lowered(each) for each in wanted)
    found = (end for place, kind, end in _ends(text) if kind == part and place == lowered)
    end = next(found, len(text))
    return text.count("\n", 0, end) + 1, end - (text.rfind("\n", 0, end) + 1)


def _ends(text: str) -> Iterator[tuple[tuple[str | int, ...], str, int]]:
    """Yield each part of each thing, in order, and the offset at which it ends. The text is known to be JSON."""
    here: list[str | int] = []  # the key or index to which each open object or array has come
    key: str | int = ""
    at = 0
    while (found := _TOKEN.match(text, at)) is not None:
        quoted, colon, mark, word, bare = found.groups()
        at = found.end()
        if mark == ":":
            here[-1] = key
            yield tuple(here), KEY, at
        elif mark == ",":
            index = here[-1]
            here[-1] = index + 1 if isinstance(index, int) else index
        elif mark in ("]", "}"):
            here.pop()
            yield tuple(here), END, at
        elif quoted is not None and colon is not None:
            key = _lowered(str(json.loads(quoted, strict=False)))
        elif word is not None and bare is not None:
            key = _lowered(word)
        else:
            yield tuple(here), VALUE, at
            if mark is not None:
                here.append(0 if mark == "[" else "")


def _lowered(part: str | int) -> str | int:
    return part.lower() if isinstance(part, str) else part
