"""Lays lines out for a narrow terminal: a long one is broken at its spaces, and goes on further in."""

from __future__ import annotations

import re

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_FURTHER_IN = 4
#: A terminal that says it is narrower lies, or cannot show a plan anyway.
_LEAST = 40


def fitted(text: str, columns: int) -> str:
    """Return a text whose lines are no longer than a terminal is wide; what has no space in it stays whole.

    Nothing is cut off, and colours do not count.
    """
    width = max(columns, _LEAST)
    return "\n".join(_fitted(line, width) for line in text.split("\n"))


def _fitted(line: str, width: int) -> str:
    if _length(line) <= width:
        return line
    plain = _COLOUR.sub("", line)
    indent = len(plain) - len(plain.lstrip(" "))
    further = " " * min(indent + _FURTHER_IN, width // 2)
    # The spaces that a line begins with, and those that make columns, stay where they are.
    words = re.split(r"(?<=\S)( +)(?=\S)", line)
    lines, here = [], words[0]
    for spaces, word in zip(words[1::2], words[2::2], strict=True):
        if _length(here) + len(spaces) + _length(word) > width:
            lines.append(here)
            here = further + word
        else:
            here += spaces + word
    return "\n".join([*lines, here])


def _length(text: str) -> int:
    return len(_COLOUR.sub("", text))
