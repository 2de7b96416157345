"""The functions of the template language that look at the scope, or do not work out all of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from provision.simulator.language import azure as expression_azure
from provision.simulator.language.calls import applied
from provision.simulator.language.scope import (
    Lambda,
    Scope,
    Unresolved,
    Work,
    is_unresolved,
    misplaced,
    tree_text,
    written,
)
from provision.simulator.language.syntax import ExpressionError, Tree

Trees = tuple[Tree, ...]
Special = Callable[[Trees, Scope, Work], Any]


def _if(trees: Trees, scope: Scope, work: Work) -> Any:
    if len(trees) != 3:
        raise ExpressionError("The template function 'if' takes three arguments.")
    condition = work(trees[0], scope)
    if isinstance(condition, Unresolved):
        return Unresolved(written("if", [condition, *(_as_far_as_known(each, scope, work) for each in trees[1:])]))
    if not isinstance(condition, bool):
        raise ExpressionError("The template function 'if' expects its first argument to be a boolean.")
    return work(trees[1 if condition else 2], scope)


def _as_far_as_known(tree: Tree, scope: Scope, work: Work) -> Any:
    """Return what a branch gives; one that may never be taken may be one that cannot be worked out."""
    try:
        return work(tree, scope)
    except ExpressionError:
        return Unresolved(tree_text(tree))


def _and(trees: Trees, scope: Scope, work: Work) -> Any:
    return _until(trees, scope, work, "and", lambda value: value is False, True)


def _or(trees: Trees, scope: Scope, work: Work) -> Any:
    return _until(trees, scope, work, "or", lambda value: value is True, False)


def _coalesce(trees: Trees, scope: Scope, work: Work) -> Any:
    return _until(trees, scope, work, "coalesce", lambda value: value is not None, None)


def _until(trees: Trees, scope: Scope, work: Work, name: str, decides: Callable[[Any], bool], rest: Any) -> Any:
    """Return the first argument that decides, working out no further ones."""
    seen: list[Any] = []
    for tree in trees:
        value = work(tree, scope)
        if not isinstance(value, Unresolved) and decides(value):
            return value
        seen.append(value)
    return Unresolved(written(name, seen)) if any(isinstance(each, Unresolved) for each in seen) else rest


def _parameters(trees: Trees, scope: Scope, work: Work) -> Any:
    name = name_of("parameters", trees, scope, work)
    if name.lower() not in scope.parameters:
        raise ExpressionError(
            f"The template parameter '{name}' is not found. "
            "Please see https://aka.ms/arm-syntax-parameters for usage details."
        )
    return scope.parameters[name.lower()]


def _copy_index(trees: Trees, scope: Scope, work: Work) -> Any:
    arguments = [work(each, scope) for each in trees]
    loop = arguments.pop(0) if arguments and isinstance(arguments[0], str) else ""
    offset = arguments[0] if arguments else 0
    if loop.lower() not in scope.loops or not isinstance(offset, int):
        raise ExpressionError(
            "The template function 'copyIndex' is not expected at this location. The function can only be used in a "
            "resource with copy specified. Please see https://aka.ms/arm-resource-loops for usage details."
        )
    return scope.loops[loop.lower()] + offset


def _resource_info(trees: Trees, scope: Scope, work: Work) -> Any:
    name = name_of("resourceInfo", trees, scope, work)
    if name.lower() not in scope.infos:
        raise ExpressionError(f"The resource '{name}' is not defined in the template.")
    return scope.infos[name.lower()]


def _surrounding(name: str) -> Special:
    def find(trees: Trees, scope: Scope, work: Work) -> Any:
        if name.lower() not in scope.surroundings or trees:
            raise misplaced(Unresolved(name))
        return scope.surroundings[name.lower()]

    return find


def _resource_id(trees: Trees, scope: Scope, work: Work) -> Any:
    arguments = [work(each, scope) for each in trees]
    if is_unresolved(arguments):
        return Unresolved(written("resourceId", arguments))
    here = scope.surroundings
    group = here["resourcegroup"]["name"] if "resourcegroup" in here else None
    whose = [here["subscription"]["subscriptionId"], group]
    return applied("resourceId", expression_azure.resource_id, [whose, *arguments])


def _subscription_resource_id(trees: Trees, scope: Scope, work: Work) -> Any:
    arguments = [work(each, scope) for each in trees]
    if is_unresolved(arguments):
        return Unresolved(written("subscriptionResourceId", arguments))
    whose = [scope.surroundings["subscription"]["subscriptionId"], None]
    return applied("subscriptionResourceId", expression_azure.resource_id, [whose, *arguments])


def _lambda(trees: Trees, scope: Scope, work: Work) -> Lambda:
    names = [work(each, scope) for each in trees[:-1]]
    if not trees or not all(isinstance(each, str) for each in names):
        raise ExpressionError("The template function 'lambda' takes the names of its variables and an expression.")
    return Lambda(tuple(names), trees[-1], scope, work)


def _lambda_variables(trees: Trees, scope: Scope, work: Work) -> Any:
    name = name_of("lambdaVariables", trees, scope, work)
    if name.lower() not in scope.locals:
        raise ExpressionError(f"The lambda variable '{name}' is not found.")
    return scope.locals[name.lower()]


def name_of(function: str, trees: Trees, scope: Scope, work: Work) -> str:
    found = work(trees[0], scope) if len(trees) == 1 else None
    if not isinstance(found, str):
        raise ExpressionError(f"The template function '{function}' takes one name.")
    return found


_CIRCULAR = object()
SPECIAL: dict[str, Special] = {
    "if": _if,
    "and": _and,
    "or": _or,
    "coalesce": _coalesce,
    "parameters": _parameters,
    "copyindex": _copy_index,
    "resourceinfo": _resource_info,
    "resourceid": _resource_id,
    "subscriptionresourceid": _subscription_resource_id,
    "lambda": _lambda,
    "lambdavariables": _lambda_variables,
    **{
        name.lower(): _surrounding(name)
        for name in ("subscription", "resourceGroup", "deployment", "tenant", "environment", "deployer")
    },
}
