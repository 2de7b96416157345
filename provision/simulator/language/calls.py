"""How a plain function of the template language is called, and what it may not do."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from provision.simulator.language.syntax import ExpressionError

_MOST = 4 * 1024 * 1024
"""Characters or elements that a function may give: no template may become larger."""


def applied(name: str, function: Callable[..., Any], arguments: list[Any]) -> Any:
    """Return what a function gives; refuse arguments that it does not take."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError as error:
        raise ExpressionError(
            f"Unable to evaluate template language function '{name}': the number of arguments is wrong ({error}). "
            f"Please see https://aka.ms/arm-functions for usage details."
        ) from error
    try:
        result = function(*arguments)
        if isinstance(result, str | list) and len(result) > _MOST:
            raise ValueError(f"the result is longer than {_MOST}")
        return result
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ExpressionError(
            f"Unable to evaluate template language function '{name}': it cannot take these arguments ({error}). "
            f"Please see https://aka.ms/arm-functions for usage details."
        ) from error
