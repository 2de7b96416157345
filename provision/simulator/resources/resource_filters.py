"""The `$filter` of lists of resources and groups: comparisons of a few properties, joined by `and` and `or`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from provision.simulator.refusals.errors import Refusal

_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|[A-Za-z_/]+|[(),])")
_FIELDS = frozenset(
    {
        "location",
        "resourcetype",
        "name",
        "resourcegroup",
        "identity",
        "identity/principalid",
        "plan",
        "tagname",
        "tagvalue",
    }
)
Row = Mapping[str, Any]
"""What is filtered: `id`, `name`, `type`, `location`, `tags` and maybe `identity`, as a list shows them."""
Test = Callable[[Row], bool]


def parsed(text: str) -> Test:
    """Return whether a row passes a filter, as a function; refuse a filter that ARM does not know."""
    if not text.strip():
        return lambda row: True
    tokens = _tokens(text)
    found = _either(tokens, text)
    if tokens:
        raise _wrong(text)
    return found


def hides_tags(text: str) -> bool:
    """Return whether a filter names a tag and its value: Azure leaves the tags out of its answer then."""
    return "tagname" in text.lower() and "tagvalue" in text.lower()


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    while text[at:].strip():
        token = _TOKEN.match(text, at)
        if token is None:
            raise _wrong(text)
        found.append(token[1])
        at = token.end()
    return found


def _either(tokens: list[str], text: str) -> Test:
    tests = [_both(tokens, text)]
    while tokens and tokens[0].lower() == "or":
        tokens.pop(0)
        tests.append(_both(tokens, text))
    return lambda row: any(test(row) for test in tests)


def _both(tokens: list[str], text: str) -> Test:
    """Return the conjunction; a tag's name and value that stand in it together are about one tag."""
    tests, tag = [], {}
    while True:
        field, operator, value = _comparison(tokens, text)
        if field in ("tagname", "tagvalue") and operator == "eq":
            tag[field] = value
        else:
            tests.append(_test(field, operator, value))
        if not tokens or tokens[0].lower() != "and":
            break
        tokens.pop(0)
    if tag:
        tests.append(lambda row: _has_tag(row, tag.get("tagname"), tag.get("tagvalue")))
    return lambda row: all(test(row) for test in tests)


def _comparison(tokens: list[str], text: str) -> tuple[str, str, str]:
    first = tokens.pop(0).lower() if tokens else ""
    if first in ("substringof", "startswith"):
        if len(tokens) < 5 or (tokens[0], tokens[2], tokens[4]) != ("(", ",", ")"):
            raise _wrong(text)
        given = (tokens[1], tokens[3]) if first == "startswith" else (tokens[3], tokens[1])
        del tokens[:5]
        return _field(given[0], text), first, _literal(given[1], text)
    if len(tokens) < 2 or tokens[0].lower() not in ("eq", "ne"):
        raise _wrong(text)
    operator, value = tokens.pop(0).lower(), tokens.pop(0)
    return _field(first, text), operator, _literal(value, text)


def _test(field: str, operator: str, value: str) -> Test:
    wanted = value.replace(" ", "").lower() if field == "location" else value.lower()

    def test(row: Row) -> bool:
        if field.startswith("tag"):
            names = [name.lower() for name in row.get("tags") or {}]
            return any(_compared(name, operator, wanted) for name in names)
        return _compared(_of(row, field), operator, wanted)

    return test


def _compared(found: str, operator: str, wanted: str) -> bool:
    if operator == "substringof":
        return wanted in found
    if operator == "startswith":
        return found.startswith(wanted)
    return (found == wanted) is (operator == "eq")


def _of(row: Row, field: str) -> str:
    if field == "resourcetype":
        return str(row.get("type", "")).lower()
    if field == "resourcegroup":
        parts = str(row.get("id", "")).split("/")
        return parts[4].lower() if len(parts) > 4 else ""
    if field == "identity/principalid":
        return str((row.get("identity") or {}).get("principalId", "")).lower()
    return str(row.get(field, "")).replace(" ", "").lower() if field == "location" else str(row.get(field, "")).lower()


def _has_tag(row: Row, name: str | None, value: str | None) -> bool:
    """Return whether a tag is there. Names of tags compare without case, values with it."""
    tags = row.get("tags") or {}
    return any((name is None or key.lower() == name.lower()) and value in (None, each) for key, each in tags.items())


def _field(text: str, whole: str) -> str:
    if text.lower() not in _FIELDS:
        raise _wrong(whole)
    return text.lower()


def _literal(text: str, whole: str) -> str:
    if not text.startswith("'"):
        raise _wrong(whole)
    return text[1:-1].replace("''", "'")


def _wrong(text: str) -> Refusal:
    return Refusal(400, "InvalidFilterInQueryString", f"Invalid $filter '{text}' specified in the query string.")
