"""What an expression may speak of, and values that nobody knows yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from provision.simulator.language.syntax import ExpressionError, Tree

Work = Callable[[Tree, "Scope"], Any]
"""What works out a tree in a scope."""


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A value that only a deployment that runs can know, by its source text."""

    text: str


Lookup = Callable[[str, list[Any]], Any]


@dataclass(frozen=True)
class Scope:
    """What an expression may speak of."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Values by lower-case name."""
    variables: Mapping[str, Any] = field(default_factory=dict)
    """As the template has them, by lower-case name."""
    surroundings: Mapping[str, Any] = field(default_factory=dict)
    """What `subscription()`, `resourceGroup()`, `deployment()` and the like are, by lower-case name."""
    loops: Mapping[str, int] = field(default_factory=dict)
    """Where each loop stands, by lower-case name; the one around has the empty name."""
    locals: Mapping[str, Any] = field(default_factory=dict)
    """The variables of the lambdas around."""
    infos: Mapping[str, Any] = field(default_factory=dict)
    """`{id, name, type, apiVersion}` of the template's resources by lower-case symbolic name."""
    lookup: Lookup | None = None
    """Reads the world for `reference` and `list…`, in a deployment that runs."""
    referred: list[str] = field(default_factory=list)
    """Filled with what `reference` was asked for: a resource waits for these."""
    defaults: bool = False
    """Whether this is the default of a parameter, the one place for `utcNow` and `newGuid`."""
    memo: dict[str, Any] = field(default_factory=dict)

    def inside(self, loop: str, index: int) -> Scope:
        """Return the scope of one turn of a loop."""
        return replace(self, loops={**self.loops, "": index, loop.lower(): index})


def is_unresolved(value: Any) -> bool:
    """Return whether something in the value is not known yet."""
    if isinstance(value, Unresolved):
        return True
    if isinstance(value, dict):
        return any(is_unresolved(inner) for inner in value.values())
    return isinstance(value, list) and any(is_unresolved(inner) for inner in value)


def shown(value: Any) -> Any:
    """Return the value with what is not known yet as its source, in brackets."""
    if isinstance(value, Unresolved):
        return f"[{value.text}]"
    if isinstance(value, dict):
        return {key: shown(inner) for key, inner in value.items()}
    return [shown(inner) for inner in value] if isinstance(value, list) else value


def misplaced(value: Unresolved) -> ExpressionError:
    """Return the refusal of a function that is asked before it can answer."""
    name = re.match(r"\w+", value.text)
    return ExpressionError(
        f"The template function '{name[0] if name else value.text}' is not expected at this location. "
        "Please see https://aka.ms/arm-functions for usage details."
    )


@dataclass(frozen=True)
class Lambda:
    """A function of a template: the names that it binds, and its expression."""

    names: tuple[str, ...]
    tree: Tree
    scope: Scope
    work: Work

    @property
    def takes(self) -> int:
        return len(self.names)

    def __call__(self, *values: Any) -> Any:
        bound = {name.lower(): value for name, value in zip(self.names, values, strict=False)}
        result = self.work(self.tree, replace(self.scope, locals={**self.scope.locals, **bound}))
        if isinstance(result, Unresolved):
            raise misplaced(result)
        return result

    @property
    def text(self) -> str:
        return written("lambda", [*self.names, Unresolved(tree_text(self.tree))])


def source(value: Any) -> str:
    """Return a value as an expression writes it."""
    if isinstance(value, Unresolved | Lambda):
        return value.text
    if isinstance(value, bool):
        return "true()" if value else "false()"
    if value is None:
        return "null()"
    if isinstance(value, str):
        escaped = value.replace("'", "''")
        return f"'{escaped}'"
    if isinstance(value, list):
        return f"createArray({', '.join(source(each) for each in value)})"
    if isinstance(value, dict):
        pairs = (f"{source(key)}, {source(each)}" for key, each in value.items())
        return f"createObject({', '.join(pairs)})"
    return str(value)


def written(name: str, arguments: list[Any]) -> str:
    """Return a call as an expression writes it."""
    return f"{name}({', '.join(source(each) for each in arguments)})"


def tree_text(tree: Tree) -> str:
    if tree[0] == "value":
        return source(tree[1])
    if tree[0] == "member":
        return f"{tree_text(tree[1])}[{tree_text(tree[2])}]"
    return f"{tree[1]}({', '.join(tree_text(each) for each in tree[2])})"
