"""What a user's template must come to: resources that we can read, compare and delete, and no others.

Everything here is a mistake in a template, so it is told as a RenderError with the template's file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provision.arm import MADE, PEERINGS, SUBNETS
from provision.environment import Templates
from provision.render.arm_json import ARM, unescaped
from provision.render.errors import RenderError
from provision.render.layout import UnitLayout
from provision.render.unit import Unit
from provision.topology.names import MARK

_TOP = {"$schema", "contentVersion", "parameters", "resources"}
_PARAMETERS = {"provision": {"type": "object"}}
#: Keys of a resource that ARM reads for itself, and of which nothing that we compare or delete would know.
_REFUSED = ("condition", "copy", "existing", "resourceGroup", "resources", "scope", "subscriptionId")
_MADE = frozenset(type.lower() for type in MADE)
_UNTAGGED = frozenset(type.lower() for type in (SUBNETS, PEERINGS))


def checked(template: dict[str, Any], layout: UnitLayout, file: str, mark: str) -> dict[str, Any]:
    """Return what a user's template makes of a unit, its resources in the order of making. Raises RenderError.

    `mark` is the value of our tag on them.
    """
    for problem in _problems(template, layout, mark):
        raise RenderError(file, f"{problem} (for {layout.subject})")
    if layout.own is None:
        return template
    ranks = {_key(each.type, each.name): rank for rank, each in enumerate(layout.own.resources)}
    return {
        **template,
        "resources": sorted(template["resources"], key=lambda each: ranks[_key(each["type"], each["name"])]),
    }


def check_apart(units: Iterable[Unit], own: Templates) -> None:
    """Raise RenderError on a resource that two units of a region state, at least one by a user's template."""
    seen: dict[tuple[str, str], Unit] = {}
    for unit in units:
        for resource in unit.template["resources"]:
            key = (unit.group.lower(), _key(resource["type"], resource["name"]))
            other = seen.setdefault(key, unit)
            if other is not unit:
                names = [f"{_folder(each)}/{ARM.file}" for each in (unit, other)]
                name = next((name for name in names if name in own.texts), names[0])
                raise RenderError(
                    own.file_of(name),
                    f"{resource['type']} {resource['name']} is stated by unit {other.name} and by unit {unit.name}",
                )


def check_sizes(units: Iterable[Unit], own: Templates, limits: Mapping[str, int]) -> None:
    """Raise RenderError on a unit of a user's template that is more than Azure Resource Manager takes in one."""
    for unit in units:
        name = f"{_folder(unit)}/{ARM.file}"
        if name not in own.texts:
            continue  # the built-in ones come nowhere near
        size = len(json.dumps(unit.template, separators=(",", ":"), ensure_ascii=False).encode())
        for what, count, most in (
            ("bytes, as compact JSON", size, limits["template_bytes"]),
            ("resources", len(unit.template["resources"]), limits["template_resources"]),
        ):
            if count > most:
                raise RenderError(
                    own.file_of(name),
                    f"unit {unit.name} in {unit.region} comes to {count:,} {what}; Azure takes at most {most:,} in one "
                    "deployment: part it into several units",
                )


def _folder(unit: Unit) -> str:
    return unit.own.template if unit.own else "scale-set" if unit.pool else unit.name


def _problems(template: Mapping[str, Any], layout: UnitLayout, mark: str) -> Iterator[str]:
    if extra := sorted(template.keys() - _TOP):
        yield f"the template has `{extra[0]}`; it may have {', '.join(sorted(_TOP))}"
    if template.get("parameters") != _PARAMETERS:
        yield 'the template must declare `"parameters": {"provision": {"type": "object"}}`, the record of the unit'
    resources = template.get("resources")
    if not isinstance(resources, list) or not all(isinstance(each, dict) for each in resources):
        yield "`resources` is no list of resources"
        return
    seen: set[str] = set()
    for resource in resources:
        yield from _form_problems(resource)
        key = _key(resource["type"], resource["name"])
        if key in seen:
            yield f"{_told(resource)} is stated twice"
        seen.add(key)
        yield from _mark_problems(resource, layout, mark)
    if layout.own is None:
        for resource in resources:
            if resource["type"].lower() not in _MADE:
                yield f"{_told(resource)} is of a type that we do not make ourselves; state it in a unit under `units`"
    else:
        yield from _difference(resources, layout)
    ids = {_key(resource["type"], resource["name"]) for resource in resources}
    for resource in resources:
        for need in resource.get("dependsOn", ()):
            if _key_of_id(need, layout.group) not in ids:
                yield f"{_told(resource)} depends on {need}, which this unit does not state"


def _form_problems(resource: Mapping[str, Any]) -> Iterator[str]:
    for key in ("type", "apiVersion", "name"):
        if not isinstance(resource.get(key), str):
            yield f"a resource has no text as its `{key}`"
    for key in _REFUSED:
        if key in resource:
            yield f"{_told(resource)} has `{key}`, which has no place here"
    if len(resource["type"].split("/")) != len(resource["name"].split("/")) + 1:
        yield f"{_told(resource)} has not as many parts in its name as in its type"
    tags, needs = resource.get("tags"), resource.get("dependsOn", [])
    if "tags" in resource and not isinstance(tags, dict):
        yield f"the `tags` of {_told(resource)} are no map"
    if not isinstance(needs, list) or not all(isinstance(need, str) for need in needs):
        yield f"`dependsOn` of {_told(resource)} is no list of ids"
    if (fraction := next(_fractions(resource), None)) is not None:
        yield f"{_told(resource)} holds {fraction}, a number with a fraction, for which Bicep has no literal"
    try:
        unescaped(resource)
    except ValueError as error:
        yield f"{_told(resource)}: {error}"


def _mark_problems(resource: Mapping[str, Any], layout: UnitLayout, mark: str) -> Iterator[str]:
    """Yield what is wrong with the tags: without our mark a resource would be nobody's at the next plan."""
    if "tags" not in resource and (layout.own is not None or resource["type"].lower() in _UNTAGGED):
        return
    marks = [value for name, value in (resource.get("tags") or {}).items() if name.lower() == MARK]
    if marks != [mark]:
        yield f"{_told(resource)} has not our mark, the tag {MARK}: {mark}; give it the tags that the template gets"


def _difference(resources: list[dict[str, Any]], layout: UnitLayout) -> Iterator[str]:
    assert layout.own is not None
    declared = {_key(each.type, each.name): each for each in layout.own.resources}
    for resource in resources:
        known = declared.pop(_key(resource["type"], resource["name"]), None)
        if known is None:
            yield f"{_told(resource)} is none of the resources that the environment file declares"
        elif resource["apiVersion"] != known.api_version:
            yield f"{_told(resource)} has the API version {resource['apiVersion']}; {known.api_version} is declared"
    for each in declared.values():
        yield f"{each.type} {each.name} is declared in the environment file, and not stated"


def _fractions(value: Any) -> Iterator[float]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _fractions(item)
    elif isinstance(value, list):
        for item in value:
            yield from _fractions(item)
    elif isinstance(value, float):
        yield value


def _key(type: str, name: str) -> str:
    return f"{type} {name}".lower()


def _key_of_id(id: str, group: str) -> str:
    """Return the key of a resource of a group by its id; empty of any other text."""
    before, _, rest = id.partition("/providers/")
    parts = rest.split("/")
    if not before.lower().endswith(f"/resourcegroups/{group.lower()}") or len(parts) < 3:
        return ""
    return _key("/".join([parts[0], *parts[1::2]]), "/".join(parts[2::2]))


def _told(resource: Mapping[str, Any]) -> str:
    return f"{resource.get('type')} {resource.get('name')}"
