"""A line of a file with a caret under what it is about, and the terminal's colours: for findings and file errors."""

from __future__ import annotations

import re
from dataclasses import dataclass

from provision.errors import FileError, ProvisionError
from provision.source import place

_WIDEST = 120
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: The word that a caret points at: a quoted text, a variable, or plain text up to a comment, colon, comma or bracket.
_TOKEN = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\$\{[^{}]*\}"""
    r"""|[^\s,:{}\[\]"'](?:(?!\s+#|\s*:(?:\s|$)|,(?:\s|$)|[\]}]).)*|\S"""
)


@dataclass(frozen=True, slots=True)
class Paint:
    """Puts text in colour by ANSI codes, or leaves it as it is."""

    on: bool

    def __call__(self, text: str, code: str) -> str:
        """Return `text` in the colour of an ANSI code."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text


def printable(text: str) -> str:
    """Return text without what would steer a terminal: control characters are written as escapes."""
    return _UNPRINTABLE.sub(lambda found: found.group().encode("unicode_escape", "surrogatepass").decode("ascii"), text)


def excerpt(line: int, column: int, source_line: str, paint: Paint) -> str:
    """Return the line with its number and a caret under the word at `column`; nothing when there is no such line."""
    if not source_line.strip():
        return ""
    source_line = _UNPRINTABLE.sub(" ", source_line)
    token = _TOKEN.match(source_line, column - 1, column - 1 + _WIDEST)
    length = max(1, len(token.group().rstrip()) if token else 1)
    cut = max(0, min(column - 1 - 40, len(source_line) - _WIDEST)) if len(source_line) > _WIDEST else 0
    shown = ("…" if cut else "") + source_line[cut : cut + _WIDEST] + ("…" if cut + _WIDEST < len(source_line) else "")
    at = column - 1 - cut + (1 if cut else 0)
    caret = " " * at + paint("^" * min(length, len(shown) - at if at < len(shown) else 1), "31;1")
    return f"{line:5} | {shown}\n      | {caret}\n"


def error_as_text(error: ProvisionError, colour: bool = False) -> str:
    """Return what ended a run, with its place where it has one, and how to go on."""
    paint = Paint(colour)
    where = shown = ""
    if isinstance(error, FileError):
        where = paint(printable(place(error.file, error.line, error.column)), "1") + ": "
        shown = excerpt(error.line, error.column, error.source_line, paint)
    fix = f"  {paint('fix', '1')}: {printable(error.fix)}\n" if error.fix else ""
    return f"{where}{paint('error', '31;1')}: {printable(error.message)}\n{shown}{fix}"
