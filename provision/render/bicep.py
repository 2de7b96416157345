"""Bicep: how values are written and how a rendered text is laid out.

Grammar: https://learn.microsoft.com/azure/azure-resource-manager/bicep/data-types (read 2026-11-30).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from provision.render.language import Language, TextProblem

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: Words that read as something else than a name where a key may stand.
_WORDS = frozenset({"false", "for", "if", "in", "null", "true"})
#: What would end a string or start an interpolation, and what a reader could not see: control characters, separators
#: of lines and paragraphs, and marks that change the direction or have no width.
_HIDDEN = "\\\\'\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
#: And slashes before a slash or star where the grammar that editors use (tree-sitter-bicep 1.1) may see a comment; not
#: those of `https://`.
_SPECIAL = re.compile(rf"[{_HIDDEN}]|\$(?=\{{)|(?:\A|(?<=[{_HIDDEN}$#\s]))/+(?=[/*])")
_SHORT = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "$": "\\$"}
#: Bicep's integers have 64 bits, and a negative one is the positive one with a minus in front.
_LARGEST = 2**63 - 1

_KEPT = r"'''[\s\S]*?'''(?!')|'(?:[^'\\\n]|\\.)*'|//[^\n]*(?=\n)|/\*[\s\S]*?\*/"  # strings and comments
_UNFINISHED = re.compile(rf"{_KEPT}|(?P<unfinished>'|//|/\*)")
_OPENING, _CLOSING = frozenset("{[("), frozenset("}])")
_PIECE = re.compile(rf"{_KEPT}|[^'/\[\]{{}}()\n]+|[\s\S]")


class Identifier(str):
    """The symbol of a resource, written without quotes."""

    __slots__ = ()


def literal(value: Any) -> str:
    """Return a value as Bicep writes it; objects and arrays have a line for each item and no indentation.

    Raises TypeError or ValueError on what has no literal in Bicep.
    """
    if isinstance(value, Identifier):
        if not _NAME.fullmatch(value):
            raise ValueError(f"{str(value)!r} is no symbol of Bicep")
        return value
    if isinstance(value, str):
        return _string(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if abs(value) > _LARGEST:
            raise ValueError(f"{value} does not fit into the 64 bits of Bicep's integers")
        return str(value)
    if isinstance(value, list | tuple):
        return "\n".join(["[", *map(literal, value), "]"]) if value else "[]"
    if isinstance(value, Mapping):
        items = (f"{_key(key)}: {literal(item)}" for key, item in value.items())
        return "\n".join(["{", *items, "}"]) if value else "{}"
    raise TypeError(f"a value of type {type(value).__name__} has no literal in Bicep")


def laid_out(text: str) -> str:
    """Return a text with each line indented by its depth, at most one empty line in a row, and one final newline.

    Strings over several lines stay as they are.
    """
    lines: list[str] = []
    depth = 0
    line: list[str] = []
    for piece in [*_PIECE.findall(text), "\n"]:
        if piece != "\n":
            line.append(piece)
            continue
        words = "".join(line).strip()
        if words:
            lines.append("  " * (depth - (words[0] in _CLOSING)) + words)
        elif lines and lines[-1]:
            lines.append("")
        depth += sum((part in _OPENING) - (part in _CLOSING) for part in line)
        line.clear()
    return "\n".join(lines).strip("\n") + "\n"


def _string(text: str) -> str:
    if not text.isascii():
        text.encode()  # half a surrogate pair is no text: ValueError
    return f"'{_SPECIAL.sub(_replacement, text)}'"


def _replacement(found: re.Match[str]) -> str:
    return "".join(_SHORT.get(character) or f"\\u{{{ord(character):x}}}" for character in found.group())


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key of type {type(key).__name__} has no literal in Bicep")
    return key if _NAME.fullmatch(key) and key not in _WORDS else _string(key)


def _text_problem(text: str) -> TextProblem | None:
    for found in _UNFINISHED.finditer(text):
        if found["unfinished"]:
            what = "string" if found["unfinished"] == "'" else "comment"
            return TextProblem(
                found.start(), f"a {what} is not closed before the next tag; values bring their own quotes"
            )
    return None


BICEP = Language(file="bicep.j2", literal=literal, text_problem=_text_problem)
