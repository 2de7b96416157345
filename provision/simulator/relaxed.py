"""JSON as Resource Manager reads it, which is more than JSON: what `az` sends has comments and names without quotes."""

from __future__ import annotations

import json
import re
from typing import Any

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
        return json.loads(content)
    except ValueError as error:
        strict = _TRAILING.sub(lambda found: found[1] or "", _LOOSE.sub(_tightened, content.decode("utf-8-sig")))
        try:
            return json.loads(strict, strict=False)  # strings may hold line breaks
        except ValueError:
            raise error from None


def _tightened(found: re.Match[str]) -> str:
    if found["string"]:
        return found["string"]
    if found["single"]:
        inner = found["single"][1:-1].replace("\\'", "'").replace('"', '\\"')
        return f'"{inner}"'
    return " " if found["comment"] else f'"{found["name"]}"'
