"""Compares the ARM template that Bicep builds with the one that we render: same resources, same values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from provision.render.arm_json import unescaped

# The only expressions in what Bicep builds of our templates: a child's name and a dependency.
_TEXT = r"'((?:[^']|'')*)'"
_NAME = re.compile(rf"\[format\('\{{0\}}/\{{1\}}', {_TEXT}, {_TEXT}\)\]")
_REFERENCE = re.compile(rf"\[resourceId\({_TEXT}((?:, {_TEXT})+)\)\]")
_ARGUMENT = re.compile(_TEXT)


def differences(rendered: Mapping[str, Any], built: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what differs, one line a difference, in the order of the rendered resources; empty when nothing does."""
    ours = {_key(resource): resource for resource in map(_plain, rendered["resources"])}
    theirs = {_key(resource): resource for resource in map(_plain, built["resources"])}
    lines = [f"only in ARM: {key}" for key in ours if key not in theirs]
    lines += [f"only in Bicep: {key}" for key in theirs if key not in ours]
    for key in ours:
        if key in theirs:
            lines += (f"{key}: {path}" for path in _paths(ours[key], theirs[key], ""))
    return tuple(lines)


def _key(resource: Mapping[str, Any]) -> str:
    return f"{resource['type']} {resource['name']}"


def _plain(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resource's values; its dependencies as a sorted list of `TYPE NAME`, which both sides have."""
    name = resource["name"]
    if found := _NAME.fullmatch(name):
        name = "/".join(part.replace("''", "'") for part in found.groups())
    needs = sorted(map(_dependency, resource.get("dependsOn", ())))
    body = {key: value for key, value in resource.items() if key not in ("name", "dependsOn")}
    return {"name": unescaped(name), "dependsOn": needs, **unescaped(body)}


def _dependency(text: str) -> str:
    if found := _REFERENCE.fullmatch(text):
        type, *names = (part.replace("''", "'") for part in _ARGUMENT.findall(found.group(0)))
        return f"{type} {'/'.join(names)}"
    namespace, *parts = text.split("/providers/", 1)[1].split("/")
    return f"{'/'.join([namespace, *parts[::2]])} {'/'.join(parts[1::2])}"


def _paths(ours: Any, theirs: Any, path: str) -> Iterator[str]:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for key in {**ours, **theirs}:
            if key not in ours or key not in theirs:
                yield f"{path}.{key} is only in {'ARM' if key in ours else 'Bicep'}".lstrip(".")
            else:
                yield from _paths(ours[key], theirs[key], f"{path}.{key}")
    elif type(ours) is not type(theirs) or ours != theirs:
        yield f"{path} differs".lstrip(".")
