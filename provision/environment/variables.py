"""Decides what `${NAME}` means: a whole value, the text of a variable. What it holds is not looked into again.

Where the format wants a number or a truth value, `load.py` takes the text for what it would be without quotes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from provision.environment.problems import INVALID_VALUE, PARTIAL_VARIABLE, UNDEFINED_VARIABLE
from provision.environment.syntax import UNPRINTABLE
from provision.findings import Problem, Rule
from provision.source import Path, dotted

_WHOLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_ANY = re.compile(r"\$\{[^{}]*\}")


def filled(data: Any, variables: Mapping[str, str]) -> tuple[Any, frozenset[Path], tuple[tuple[Rule, Problem], ...]]:
    """Return data with its variables' texts, the paths of those, and what is wrong with others, which stay.

    `x-…` keys at the top are the user's own, and left as they are.
    """
    filling = _Filling(variables)
    done = {key: value if key.startswith("x-") else filling.value(value, (key,)) for key, value in data.items()}
    return done, frozenset(filling.paths), tuple(filling.problems)


class _Filling:
    """One pass over the values."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = variables
        self.paths: list[Path] = []
        self.problems: list[tuple[Rule, Problem]] = []

    def value(self, data: Any, path: Path) -> Any:
        if isinstance(data, str):
            return self.text(data, path) if "${" in data else data
        if isinstance(data, tuple):
            return tuple(self.value(item, (*path, number)) for number, item in enumerate(data))
        if not isinstance(data, Mapping):
            return data
        for key in data:
            if "${" in key and _ANY.search(key):
                self.report(PARTIAL_VARIABLE, (*path, key), "has a variable in its key", "write the key itself", True)
        return {key: self.value(item, (*path, key)) for key, item in data.items()}

    def text(self, text: str, path: Path) -> str:
        whole = _WHOLE.fullmatch(text)
        if whole is None:
            if _ANY.search(text):
                named = _WHOLE.search(text)
                name = named.group(1) if named else "NAME"
                fix = f"let a variable hold the whole value, and write ${{{name}}} alone"
                self.report(PARTIAL_VARIABLE, path, f"is {text}; a variable stands for a whole value", fix)
            return text
        name = whole.group(1)
        value = self.variables.get(name)
        if value is None:
            fix = f"set {name} where provision runs, or give the value: --set {dotted(path)}=…"
            self.report(UNDEFINED_VARIABLE, path, f"is {text}, and there is no variable {name}", fix)
            return text
        if broken := UNPRINTABLE.search(value):
            message = f"is {text}, and the variable holds the character U+{ord(broken.group()):04X}, which no file may"
            self.report(INVALID_VALUE, path, message, f"set {name} to printable text")
            return text
        self.paths.append(path)
        return value

    def report(self, rule: Rule, path: Path, message: str, fix: str, on_key: bool = False) -> None:
        self.problems.append((rule, Problem(path, f"{dotted(path)} {message}", fix, on_key)))
