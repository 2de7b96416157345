"""JSON as Resource Manager reads it, which is more than JSON: what `az` sends has comments and names without quotes."""

from __future__ import annotations

import json
import math
import re
from typing import Any

MOST_LEVELS = 100
"""How deep a body may go. That of Azure is not published; readers that recurse have to end somewhere."""
_TOO_DEEP = f"The reader's MaxDepth of {MOST_LEVELS} has been exceeded."

_LOOSE = re.compile(
    r"""
      (?P<string> "(?:[^"\\]|\\.)*" )
    | (?P<single> '(?:[^'\\]|\\.)*' )
    | (?P<comment> //[^\r\n]* | /\*.*?\*/ )
    | (?P<name> [A-Za-z_$][\w$]* (?=\s*:) )
    """,
    re.VERBOSE | re.DOTALL,
)
_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def loads(content: bytes) -> Any:
    """Return the value of a body; raise ValueError where Resource Manager would not read it either."""
    try:
        value = _loaded(content)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if content.count(b"{") + content.count(b"[") > MOST_LEVELS and _is_deep(value):
        raise ValueError(_TOO_DEEP)
    return value


def _loaded(content: bytes) -> Any:
    try:
        return _read(content)
    except ValueError as error:
        strict = _TRAILING.sub(lambda found: found[1] or "", _LOOSE.sub(_tightened, content.decode("utf-8-sig")))
        try:
            return _read(strict, strict=False)  # strings may hold line breaks
        except ValueError:
            raise error from None


def _read(text: str | bytes, *, strict: bool = True) -> Any:
    return json.loads(text, strict=strict, parse_constant=_finite, parse_float=_finite)


def _finite(text: str) -> float:
    """Return a number, which JSON has no infinite ones of."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"JSON has no number {text}.")
    return number


def _is_deep(value: Any) -> bool:
    """Return whether a value has more than `MOST_LEVELS` levels; not by recursion, which is what has to be kept out."""
    level = [value]
    for _ in range(MOST_LEVELS + 1):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True


def _tightened(found: re.Match[str]) -> str:
    if found["string"]:
        return found["string"]
    if found["single"]:
        inner = found["single"][1:-1].replace("\\'", "'").replace('"', '\\"')
        return f'"{inner}"'
    return " " if found["comment"] else f'"{found["name"]}"'
