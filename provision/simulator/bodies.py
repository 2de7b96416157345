"""Request bodies of resources: what any of them must look like, how one is merged onto another, what is kept of it."""

from __future__ import annotations

import copy
from typing import Any

from provision.simulator import shapes
from provision.simulator.errors import Refusal, bad_content, no_location, unknown_location, unknown_member
from provision.simulator.facts import limit, location_name, regions
from provision.simulator.messages import Json

READ_ONLY = frozenset({"id", "name", "type", "etag", "systemData", "apiVersion", "kind", "managedBy"})
"""Top-level keys that any resource may send back as it was read, and that mean nothing in a write."""


def writable(type_: str) -> frozenset[str]:
    return frozenset(shapes.SHAPES[type_.lower()])


def check(type_: str, body: Any, *, partial: bool = False) -> None:
    """Refuse a body that cannot be one of `type_`. `partial`: a PATCH, or a PUT that merges onto what exists."""
    if not isinstance(body, dict):
        raise bad_content("The request body must be a JSON object.")
    taken = writable(type_)
    for key in body:
        if key not in taken and key not in READ_ONLY:
            raise unknown_member(key, type_)
    fit(shapes.SHAPES[type_.lower()], body, partial=partial)
    if "location" in taken and not partial and not body.get("location"):
        raise no_location()
    if not partial and not isinstance(body.get("properties"), dict):
        raise bad_content("The 'properties' of the request body is required. Path 'properties'.")
    check_tags(body.get("tags"))


def fit(shape: shapes.Shape, body: Any, *, partial: bool = False) -> None:
    """Refuse a body that is not of its shape."""
    found = shapes.misfit(shape, body, partial=partial)
    if found is not None:
        path, _, text = found.partition(": ")
        raise bad_content(f"Error converting a value: {text}. Path '{path.lstrip('.')}'.")


def check_tags(tags: Any) -> None:
    if tags is None:
        return
    fit(shapes.TAGS, tags)
    if len(tags) > limit("resource_tags"):
        message = f"The number of tags exceeded the maximum limit of '{limit('resource_tags')}'."
        raise Refusal(400, "InvalidTagsCount", message)
    if any(len(name) > limit("tag_name_characters") for name in tags):
        raise Refusal(400, "InvalidTagName", "A tag name is longer than the allowed limit.")
    if any(len(value or "") > limit("tag_value_characters") for value in tags.values()):
        message = f"A tag value is longer than the allowed limit of '{limit('tag_value_characters')}' characters."
        raise Refusal(400, "InvalidTagValueLength", message)


def location_of(body: Json, type_: str) -> str:
    """Return the location by its short name; refuse one that Azure does not have."""
    text = body.get("location")
    if not isinstance(text, str) or not text:
        raise no_location()
    name = location_name(text)
    if name not in regions():
        raise unknown_location(text, type_, sorted(regions()))
    return name


def merged(before: Any, change: Any) -> Any:
    """Return `change` laid deeply onto `before`: lists replace as wholes, an explicit null takes away."""
    if not isinstance(before, dict) or not isinstance(change, dict):
        return without_nulls(change)
    result = dict(before)
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def without_nulls(value: Any) -> Any:
    """Return a copy without keys that hold null: in a write they mean nothing, and Azure does not show them."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    return copy.copy(value)


def at_path(value: Any, path: str) -> Any:
    """Return what stands at a dotted path, or None."""
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value
