"""ARM JSON: how values are written, how a rendered text is read, and how a template's values are read back.

ARM takes a string that begins with `[` and ends with `]` for an expression, in keys as in values; one more `[` in
front makes it text again. No other string is touched, or ARM would deploy the extra bracket.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from sys import intern
from typing import Any, NoReturn

from provision.render.bicep import Identifier
from provision.render.language import Language, TextProblem

#: Not `json.dumps`, which makes an encoder at each call.
_ENCODER = json.JSONEncoder(ensure_ascii=False)

_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|"')


def literal(value: Any) -> str:
    """Return a value as JSON in which no string is an expression. Raises TypeError on what JSON or ARM lacks."""
    text = _ENCODER.encode(escaped(value))
    if not text.isascii():
        text.encode()  # half a surrogate pair is no text: ValueError
    return text


def parsed(text: str) -> dict[str, Any]:
    """Return the template that a text is. Raises ValueError on what is no JSON object or has a key twice."""
    template = json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_no_number)
    if not isinstance(template, dict):
        raise ValueError("the template is no JSON object")
    return template


def text_of(template: Mapping[str, Any]) -> str:
    """Return a template as its file holds it: two spaces a level, keys in their order, one final newline."""
    return json.dumps(template, ensure_ascii=False, indent=2) + "\n"


def escaped(value: Any, *, fractions: bool = False) -> Any:
    """Return plain values as a parsed template holds them; raises TypeError on what JSON or ARM lacks.

    `fractions`: let them pass, which ARM JSON knows and Bicep does not.
    """
    if isinstance(value, str):
        if isinstance(value, Identifier):
            raise TypeError(f"{value} is a symbol of Bicep; ARM JSON takes a resource id")
        return f"[{value}" if _is_expression(value) else value
    if value is None or isinstance(value, bool | int) or (fractions and isinstance(value, float)):
        return value
    if isinstance(value, list | tuple):
        return [escaped(item, fractions=fractions) for item in value]
    if isinstance(value, Mapping):
        return {_escaped_key(key): escaped(item, fractions=fractions) for key, item in value.items()}
    raise TypeError(f"a value of type {type(value).__name__} has no literal in ARM JSON")


def unescaped(value: Any) -> Any:
    """Return the plain values of a parsed template. Raises ValueError on an expression, which has none."""
    if isinstance(value, str):
        if not _is_expression(value):
            return value
        if value.startswith("[["):
            return value[1:]
        raise ValueError(f"{value} is an expression, which only ARM can evaluate")
    if isinstance(value, Mapping):
        return {unescaped(key): unescaped(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [unescaped(item) for item in value]
    return value


def _is_expression(text: str) -> bool:
    return text.startswith("[") and text.endswith("]")


def _escaped_key(key: Any) -> Any:
    if not isinstance(key, str):
        raise TypeError(f"a key of type {type(key).__name__} has no literal in ARM JSON")
    return escaped(key)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Equal texts are one text: the templates of many units differ in a few words, and are all held at once.
    found = {intern(key): intern(value) if type(value) is str else value for key, value in pairs}
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {json.dumps(twice, ensure_ascii=False)} stands twice in one object")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


def _text_problem(text: str) -> TextProblem | None:
    for found in _STRING.finditer(text):
        if found.group() == '"':
            return TextProblem(
                found.start(), "a string is not closed before the next tag; values bring their own quotes"
            )
        inner = _plain(found.group())
        if _is_expression(inner) and not inner.startswith("[["):
            return TextProblem(
                found.start(), f"{inner} is an ARM expression; a template writes literal values and ids only"
            )
    return None


def _plain(string: str) -> str:
    """Return what a JSON string says, however it is written; of one that is none, what stands between its quotes."""
    try:
        return str(json.loads(string))
    except ValueError:
        return string[1:-1]


ARM = Language(file="arm.json.j2", literal=literal, text_problem=_text_problem)
