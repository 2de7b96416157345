"""How a what-if compares what is with what a template states, property by property."""

from __future__ import annotations

from typing import Any

from provision.simulator.deployments.what_if_noise import NO_TEMPLATE_STATES, quiet
from provision.simulator.wire.messages import Json

_INSIDE = frozenset({"id", "type", "etag"})
"""What elements of lists carry as resources of their own, and no template states."""
_TOP = frozenset({"id", "name", "type", "apiVersion"})


def compared(type_: str, before: Json, after: Json) -> tuple[list[Json], Json]:
    """Return the differences, and `after` with what Azure will keep of `before`."""
    delta: list[Json] = []
    merged = _objects(type_.lower(), before, after, "", "", delta)
    return delta, merged


def without_read_only(value: Any, *, inside: bool = False) -> Any:
    """Return what Azure shows without what no template could state."""
    if isinstance(value, list):
        return [without_read_only(each, inside=True) for each in value]
    if not isinstance(value, dict):
        return value
    hidden = NO_TEMPLATE_STATES | (_INSIDE if inside and "properties" in value else frozenset())
    return {key: without_read_only(each) for key, each in value.items() if key not in hidden}


def ordered(value: Any) -> Any:
    """Return a value with its keys in alphabetical order, as results of a what-if have them."""
    if isinstance(value, dict):
        return {key: ordered(value[key]) for key in sorted(value, key=str.lower)}
    return [ordered(each) for each in value] if isinstance(value, list) else value


def _objects(type_: str, before: Json, after: Json, path: str, rule: str, delta: list[Json]) -> Json:
    """Note how two objects differ. `rule` is the path with `*` for elements: what noise is known by."""
    merged = {}
    names = {key.lower(): key for key in before}
    for key in sorted({*before, *after}, key=str.lower):
        if key in after and key not in before and key.lower() in names:
            continue  # the same property in another casing: met below
        stated = next((each for each in after if each.lower() == key.lower()), None)
        here, pattern = f"{path}.{key}".lstrip("."), f"{rule}.{key}".lstrip(".")
        if stated is None:
            if quiet(type_, pattern, before[key]) or key in _TOP:
                merged[key] = before[key]
            else:
                delta.append({"path": here, "propertyChangeType": "Delete", "before": before[key]})
            continue
        if key not in before and after[stated] in ({}, [], None):
            continue  # nothing stated, nothing there
        merged[key] = after[stated]
        if path == "" and key in _TOP:
            continue
        if key in NO_TEMPLATE_STATES:
            delta.append({"path": here, "propertyChangeType": "NoEffect", "after": after[stated]})
        elif key not in before:
            delta.append({"path": here, "propertyChangeType": "Create", "after": after[stated]})
        else:
            merged[key] = _values(type_, before[key], after[stated], here, pattern, delta)
    return merged


def _values(type_: str, before: Any, after: Any, path: str, rule: str, delta: list[Json]) -> Any:
    if isinstance(before, dict) and isinstance(after, dict):
        return _objects(type_, before, after, path, rule, delta)
    if isinstance(before, list) and isinstance(after, list):
        return _arrays(type_, before, after, path, rule, delta)
    if not _same(before, after):
        delta.append({"path": path, "propertyChangeType": "Modify", "before": before, "after": after})
    return after


def _arrays(type_: str, before: list[Any], after: list[Any], path: str, rule: str, delta: list[Json]) -> list[Any]:
    """Note how two lists differ, element by element: Azure does not look for what has moved."""
    children: list[Json] = []
    merged = []
    for index in range(max(len(before), len(after))):
        place = str(index)
        if index >= len(after):
            children.append({"path": place, "propertyChangeType": "Delete", "before": before[index]})
        elif index >= len(before):
            merged.append(after[index])
            children.append({"path": place, "propertyChangeType": "Create", "after": after[index]})
        else:
            found: list[Json] = []
            if isinstance(before[index], dict) and isinstance(after[index], dict):
                merged.append(_objects(type_, before[index], after[index], "", f"{rule}.*", found))
                if found:
                    children.append({"path": place, "propertyChangeType": "Modify", "children": found})
            else:
                merged.append(_values(type_, before[index], after[index], place, f"{rule}.*", found))
                children += found
    if children:
        delta.append({"path": path, "propertyChangeType": "Array", "children": children})
    return merged


def _same(before: Any, after: Any) -> bool:
    if isinstance(before, str) and isinstance(after, str) and before.lower().startswith("/subscriptions/"):
        return before.lower() == after.lower()
    return type(before) is type(after) and bool(before == after)
