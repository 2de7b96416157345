"""Functions of the template language over arrays and objects, by lower-case name in `TABLE`.

A function that cannot take its arguments raises whatever Python raises; its caller makes ARM's refusal of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from provision.simulator.language.texts import MOST, boolean, equals, number, string, text_of


def _concat(*values: Any) -> Any:
    if values and all(isinstance(each, list) for each in values):
        return [each for value in values for each in value]
    if any(isinstance(each, list | dict) for each in values):
        raise TypeError("arrays and strings cannot be joined")
    return "".join(string(each) for each in values)


def _contains(where: Any, what: Any) -> bool:
    if isinstance(where, dict):
        return any(key.lower() == text_of(what).lower() for key in where)
    if isinstance(where, list):
        return any(equals(each, what) for each in where)
    return string(what) in text_of(where)


def _first(value: list[Any] | str, at: int = 0) -> Any:
    if not isinstance(value, list | str):
        raise TypeError("it is no array and no string")
    empty: Any = "" if isinstance(value, str) else None
    return value[at] if value else empty


def _skip(value: list[Any] | str, count: Any) -> Any:
    return value[max(0, number(count)) :]


def _take(value: list[Any] | str, count: Any) -> Any:
    return value[: max(0, number(count))]


def _index_of(value: Any, what: Any, *, last: bool = False) -> int:
    if isinstance(value, str):
        found = value.lower().rfind(text_of(what).lower()) if last else value.lower().find(text_of(what).lower())
        return found
    places = [place for place, each in enumerate(value) if equals(each, what)]
    return places[-1 if last else 0] if places else -1


def _range(start: Any, count: Any) -> list[int]:
    if not 0 <= number(count) <= MOST:
        raise ValueError(f"the count is between 0 and {MOST}")
    return list(range(number(start), start + count))


def _union(*values: Any) -> Any:
    if all(isinstance(each, dict) for each in values):
        found: Any = {}
        for each in values:
            found = _laid(found, each)
        return found
    result: list[Any] = []
    for value in values:
        result += [each for each in value if not _contains(result, each)]
    return result


def _laid(before: Any, after: Any) -> Any:
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    return {**before, **{key: _laid(before.get(key), value) for key, value in after.items()}}


def _intersection(*values: Any) -> Any:
    first, *rest = values
    if isinstance(first, dict):
        return {key: each for key, each in first.items() if all(equals(other.get(key), each) for other in rest)}
    return [each for each in first if all(_contains(other, each) for other in rest)]


def _flatten(value: list[Any]) -> list[Any]:
    return [inner for each in value for inner in (each if isinstance(each, list) else [each])]


_LISTS: dict[str, Callable[..., Any]] = {
    "array": lambda value: value if isinstance(value, list) else [value],
    "createarray": lambda *values: list(values),
    "concat": _concat,
    "contains": _contains,
    "empty": lambda value: value is None or len(value) == 0,
    "length": lambda value: len(value),
    "first": _first,
    "last": lambda value: _first(value, -1),
    "skip": _skip,
    "take": _take,
    "indexof": _index_of,
    "lastindexof": lambda value, what: _index_of(value, what, last=True),
    "range": _range,
    "union": _union,
    "intersection": _intersection,
    "flatten": _flatten,
}


# --- objects ---


def _create(*pairs: Any) -> dict[str, Any]:
    if len(pairs) % 2:
        raise ValueError("it takes pairs of a key and a value")
    return {text_of(key): value for key, value in zip(pairs[::2], pairs[1::2], strict=True)}


def _try_get(value: Any, *path: Any) -> Any:
    for part in path:
        if isinstance(value, dict):
            value = next((each for key, each in value.items() if key.lower() == text_of(part).lower()), None)
        elif isinstance(value, list):
            value = value[part] if 0 <= number(part) < len(value) else None
        else:
            return None
    return value


_OBJECTS: dict[str, Callable[..., Any]] = {
    "createobject": _create,
    "items": lambda value: [{"key": key, "value": each} for key, each in sorted(value.items())],
    "objectkeys": lambda value: sorted(value),
    "shallowmerge": lambda values: {key: each for value in values for key, each in value.items()},
    "tryget": _try_get,
}


# --- functions that take a lambda ---


def _given(function: Any, value: Any, index: int) -> Any:
    return function(value, index) if function.takes == 2 else function(value)


def _reduce(values: list[Any], start: Any, function: Any) -> Any:
    for index, each in enumerate(values):
        start = function(start, each, index) if function.takes == 3 else function(start, each)
    return start


def _sort(values: list[Any], comes_first: Any) -> list[Any]:
    def compare(first: Any, second: Any) -> int:
        return -1 if comes_first(first, second) else int(bool(comes_first(second, first)))

    return sorted(values, key=cmp_to_key(compare))


def _to_object(values: list[Any], key: Any, value: Any = None) -> dict[str, Any]:
    return {text_of(key(each)): each if value is None else value(each) for each in values}


def _group_by(values: list[Any], key: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for each in values:
        found.setdefault(text_of(key(each)), []).append(each)
    return found


_LAMBDAS: dict[str, Callable[..., Any]] = {
    "map": lambda values, function: [_given(function, each, index) for index, each in enumerate(values)],
    "filter": lambda values, function: [
        each for index, each in enumerate(values) if boolean(_given(function, each, index))
    ],
    "reduce": _reduce,
    "sort": _sort,
    "toobject": _to_object,
    "groupby": _group_by,
    "mapvalues": lambda value, function: {key: function(each) for key, each in value.items()},
}
TABLE: dict[str, Callable[..., Any]] = {**_LISTS, **_OBJECTS, **_LAMBDAS}
