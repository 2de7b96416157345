"""Decides which values were meant to be replaced before anybody uses the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from provision.findings import Problem
from provision.source import Path, dotted

_PLACEHOLDER = re.compile(
    r"<[^<>]*>|(todo|tbd|fixme|change[-_ ]?me|replace[-_ ]?me|not[-_ ]set|your[-_ ].*|x{3,})"
    r"|x{8}(-x{4}){3}-x{12}|0{8}(-0{4}){3}-0{12}|.*\{\{.*\}\}.*",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"\$\{[^{}]*\}")


def placeholders_in(data: Any, path: Path = ()) -> Iterator[Problem]:
    """Yield each value that is a placeholder or a variable.

    In tags, which are free text, only variables count. `x-…` keys are the user's own.
    """
    if isinstance(data, Mapping):
        for key, value in data.items():
            if path or not key.startswith("x-"):
                yield from placeholders_in(value, (*path, key))
    elif isinstance(data, tuple):
        for number, value in enumerate(data):
            yield from placeholders_in(value, (*path, number))
    elif isinstance(data, str):
        if _VARIABLE.search(data):
            yield Problem(path, f"{dotted(path)} is {data}; variables are not supported yet", "write the value itself")
        elif path[:1] != ("tags",) and _PLACEHOLDER.fullmatch(data):
            yield Problem(path, f"{dotted(path)} is {data}, a placeholder", "write the real value in its place")
