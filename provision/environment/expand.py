"""Writes composed values as one YAML file again, each value with the place that it came from behind it.

What is written reads back as the same values; where text needs quotes, it gets them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from provision.environment.scalars import plain
from provision.source import Path, Source, place

_BARE = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./:+@-]*")
_ESCAPED = re.compile("[^\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


def expanded(data: Mapping[str, Any], source: Source) -> str:
    """Return the YAML text of composed values; `x-…` keys, which nothing reads, are left out."""
    shown = {key: value for key, value in data.items() if not key.startswith("x-")}
    return "".join(f"{line}\n" for line in _lines(shown, (), source))


def _lines(data: Any, path: Path, source: Source) -> Iterator[str]:
    indent = "  " * len(path)
    parts = data.items() if isinstance(data, Mapping) else enumerate(data)
    for key, value in parts:
        head = f"{indent}{_text(key)}:" if isinstance(key, str) else f"{indent}-"
        at = (*path, key)
        if isinstance(value, (Mapping, tuple)) and value:
            yield head
            yield from _lines(value, at, source)
        else:
            position = source.position(at)
            yield f"{head} {_scalar(value)}  # {_comment(place(position.file, position.line))}"


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (Mapping, tuple)):
        return "{}" if isinstance(value, Mapping) else "[]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)


def _text(text: str) -> str:
    """Return text as YAML: bare where every reader takes it for text, else in double quotes."""
    if _BARE.fullmatch(text) and not text.endswith(":") and plain(text) == text:
        return text
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _comment(text: str) -> str:
    """Return text that stays on one line of comment."""
    return _ESCAPED.sub(_escape, text.replace("\t", " "))
