"""The expression language of templates: `[format('{0}-nsg', parameters('name'))]` worked out in its scope.

What cannot be known yet is `Unresolved`: it travels through the functions around it and is shown as its source text,
as ARM's what-if shows it. When a resource is about to be written, everything is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from provision.simulator.language import azure as expression_azure
from provision.simulator.language import lists as expression_lists
from provision.simulator.language import texts as expression_texts
from provision.simulator.language.calls import applied
from provision.simulator.language.scope import Lambda, Scope, Unresolved, is_unresolved, misplaced, source, written
from provision.simulator.language.special import SPECIAL, name_of
from provision.simulator.language.syntax import ExpressionError, Tree, is_expression, parsed
from provision.simulator.wire.messages import Json

_CIRCULAR = object()


def evaluated(value: Any, scope: Scope) -> Any:
    """Return the value with its expressions worked out, property loops unrolled and escapes undone."""
    if isinstance(value, dict):
        return _object(value, scope)
    if isinstance(value, list):
        return [evaluated(inner, scope) for inner in value]
    return _text(value, scope) if isinstance(value, str) else value


def _text(text: str, scope: Scope) -> Any:
    if text.startswith("[[") and text.endswith("]"):
        return text[1:]
    if not is_expression(text):
        return text
    found = _value(parsed(text[1:-1]), scope)
    if isinstance(found, Lambda):
        raise ExpressionError("The template function 'lambda' is not expected at this location.")
    return found


def _object(value: Json, scope: Scope) -> Json:
    found: Json = {}
    for key, inner in value.items():
        if key == "copy" and isinstance(inner, list):
            found |= _property_loops(inner, scope)
            continue
        name = _text(key, scope)
        if not isinstance(name, str):
            raise ExpressionError(f"The template language expression '{key}' is a property name and must be a string.")
        found[name] = evaluated(inner, scope)
    return found


def _property_loops(loops: list[Any], scope: Scope) -> Json:
    """Return the arrays that `copy` inside an object stands for."""
    found: Json = {}
    for loop in loops:
        if not isinstance(loop, dict) or not isinstance(loop.get("name"), str) or "input" not in loop:
            raise ExpressionError("The 'copy' of a property must have a name, a count and an input.")
        times = count_of(loop, scope)
        found[loop["name"]] = [evaluated(loop["input"], scope.inside(loop["name"], index)) for index in range(times)]
    return found


def count_of(loop: Json, scope: Scope) -> int:
    """Return how often a loop turns; it must be known from the start."""
    count = evaluated(loop.get("count"), scope)
    if isinstance(count, Unresolved):
        raise misplaced(count)
    most = 800
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= most:
        raise ExpressionError(f"The template copy definition has an invalid copy count; it is between 0 and {most}.")
    return count


# --- working out ---


def _value(tree: Tree, scope: Scope) -> Any:
    kind = tree[0]
    if kind == "value":
        return tree[1]
    if kind == "member":
        return _member(_value(tree[1], scope), _value(tree[2], scope))
    name, arguments = tree[1], tree[2]
    if name.lower() == "variables":
        return _variable(name_of(name, arguments, scope, _value), scope)
    special = SPECIAL.get(name.lower())
    return special(arguments, scope, _value) if special is not None else _call(name, arguments, scope)


def _variable(name: str, scope: Scope) -> Any:
    key = name.lower()
    if key not in scope.variables:
        raise ExpressionError(
            f"The template variable '{name}' is not found. "
            "Please see https://aka.ms/arm-syntax-variables for usage details."
        )
    if key not in scope.memo:
        scope.memo[key] = _CIRCULAR
        # A variable has no loop around it, however deep in one it is asked for.
        bare = replace(scope, loops={}, locals={}, referred=[])
        scope.memo[key] = evaluated(scope.variables[key], bare)
        if bare.referred:
            raise misplaced(Unresolved("reference"))
    if scope.memo[key] is _CIRCULAR:
        raise ExpressionError(f"The template variable '{name}' is circular.")
    return scope.memo[key]


def _member(target: Any, name: Any) -> Any:
    if isinstance(target, Unresolved) or isinstance(name, Unresolved):
        simple = isinstance(name, str) and re.fullmatch(r"[A-Za-z_]\w*", name)
        return Unresolved(f"{source(target)}.{name}" if simple else f"{source(target)}[{source(name)}]")
    if isinstance(target, dict) and isinstance(name, str):
        found = next((key for key in target if key.lower() == name.lower()), None)
        if found is None:
            keys = ", ".join(target)
            raise ExpressionError(
                f"The language expression property '{name}' doesn't exist, available properties are '{keys}'."
            )
        return target[found]
    if isinstance(target, list) and isinstance(name, int) and not isinstance(name, bool):
        if not 0 <= name < len(target):
            raise ExpressionError(f"The language expression property array index '{name}' is out of bounds.")
        return target[name]
    raise ExpressionError(f"The language expression property '{source(name)}' can't be evaluated.")


def _call(name: str, trees: tuple[Tree, ...], scope: Scope) -> Any:
    arguments, key = [_value(each, scope) for each in trees], name.lower()
    if key in ("utcnow", "newguid"):
        return _once(name, arguments, scope)
    if key == "reference" and arguments and isinstance(arguments[0], str):
        scope.referred.append(arguments[0])
    if key == "reference" or key.startswith("list"):
        if scope.defaults:
            raise misplaced(Unresolved(name))
        if scope.lookup is None or is_unresolved(arguments):
            return Unresolved(written(name, arguments))
        return scope.lookup(key, arguments)
    function = _functions().get(key)
    if function is None:
        raise ExpressionError(
            f"The template function '{name}' is not valid. Please see https://aka.ms/arm-functions for usage details."
        )
    if is_unresolved(arguments):
        return Unresolved(written(name, arguments))
    return applied(name, function, arguments)


def _once(name: str, arguments: list[Any], scope: Scope) -> Any:
    """Return the moment or a new id, in the one place where they may be asked for."""
    if not scope.defaults:
        raise misplaced(Unresolved(name))
    given = scope.surroundings.get(name.lower())
    if given is None:
        return Unresolved(written(name, arguments))
    return applied(name, given, arguments)


@cache
def _functions() -> dict[str, Callable[..., Any]]:
    return {**expression_texts.TABLE, **expression_lists.TABLE, **expression_azure.TABLE}
