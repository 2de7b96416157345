"""Expressions of templates taken apart: `format('{0}-nsg', parameters('name'))` as a tree."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

_TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(-?\d+)|([A-Za-z_$][\w$]*)|([()\[\],.]))")
_DEEPEST = 60
_LONGEST = 24576
"""Characters of one expression: ARM's own limit."""

Tree = tuple[Any, ...]


class ExpressionError(Exception):
    """An expression that ARM refuses, in its words."""


def is_expression(text: str) -> bool:
    """Return whether a string is one: it stands in brackets, and the first is not doubled."""
    return text.startswith("[") and text.endswith("]") and not text.startswith("[[")


@lru_cache(maxsize=4096)
def parsed(text: str) -> Tree:
    """Return the tree of an expression: `(value, x)`, `(call, name, arguments)`, `(member, of, name or tree)`."""
    if len(text) > _LONGEST:
        raise ExpressionError(
            f"The language expression length limit exceeded. Limit: '{_LONGEST}' and actual: '{len(text)}'."
        )
    tree, rest = _Parser(text).whole()
    if rest:
        raise ExpressionError(f"Unable to parse language expression '{text}': unexpected '{rest[:20]}'.")
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self._text, self._at, self._depth = text, 0, 0

    def whole(self) -> tuple[Tree, str]:
        return self._expression(), self._text[self._at :].strip()

    def _expression(self) -> Tree:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("it is nested too deeply")
        tree = self._primary()
        while (mark := self._peek()) in (".", "["):
            self._next()
            if mark == ".":
                name = self._next()
                if not name[2]:
                    raise self._error("expected a property name")
                tree = ("member", tree, ("value", name[2]))
            else:
                tree = ("member", tree, self._expression())
                self._expect("]")
        self._depth -= 1
        return tree

    def _primary(self) -> Tree:
        text, number, name, _ = self._next()
        if text:
            return ("value", text[1:-1].replace("''", "'"))
        if number:
            return ("value", int(number))
        if not name:
            raise self._error("expected a function, a string or a number")
        full = name
        while self._peek() == ".":
            self._next()
            full = f"{full}.{self._next()[2]}"
        if self._peek() != "(":
            literals = {"true": True, "false": False, "null": None}
            if full.lower() in literals:
                return ("value", literals[full.lower()])
            raise self._error(f"expected '(' after '{full}'")
        self._next()
        arguments: list[Tree] = []
        while self._peek() != ")":
            arguments.append(self._expression())
            if self._peek() == ",":
                self._next()
            elif self._peek() != ")":
                raise self._error("expected ',' or ')'")
        self._next()
        return ("call", full, tuple(arguments))

    def _peek(self) -> str:
        found = _TOKEN.match(self._text, self._at)
        return "" if found is None else found[4] or "…"

    def _next(self) -> tuple[str, str, str, str]:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise self._error(f"unexpected '{self._text[self._at : self._at + 20]}'")
        self._at = found.end()
        return found[1] or "", found[2] or "", found[3] or "", found[4] or ""

    def _expect(self, mark: str) -> None:
        if self._next()[3] != mark:
            raise self._error(f"expected '{mark}'")

    def _error(self, why: str) -> ExpressionError:
        return ExpressionError(f"Unable to parse language expression '{self._text}': {why}.")
