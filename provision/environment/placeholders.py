"""Decides which values were meant to be replaced before anybody uses the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from provision.findings import Problem
from provision.source import Path, dotted

_PLACEHOLDER = re.compile(
    r"<[^<>]*>|(todo|tbd|fixme|change[-_ ]?me|replace[-_ ]?me|not[-_ ]set|your[-_ ].*|x{3,})"
    r"|x{8}(-x{4}){3}-x{12}|0{8}(-0{4}){3}-0{12}",
    re.IGNORECASE,
)
_LONGEST = 200  # letters of a placeholder; what is longer is what somebody wrote


def placeholders_in(data: Any, path: Path = ()) -> Iterator[Problem]:
    """Yield each value that is a placeholder. Tags are free text, and `x-…` keys the user's own."""
    if isinstance(data, Mapping):
        for key, value in data.items():
            if path or not (key == "tags" or key.startswith("x-")):
                yield from placeholders_in(value, (*path, key))
    elif isinstance(data, tuple):
        for number, value in enumerate(data):
            yield from placeholders_in(value, (*path, number))
    elif isinstance(data, str) and _is_placeholder(data):
        yield Problem(path, f"{dotted(path)} is {data}, a placeholder", "write the real value in its place")


def _is_placeholder(text: str) -> bool:
    if len(text) <= _LONGEST and _PLACEHOLDER.fullmatch(text):
        return True
    begins = text.find("{{")
    return begins >= 0 and "}}" in text[begins:]
