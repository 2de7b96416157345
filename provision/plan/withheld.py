"""Decides what of a body no plan file shows, and how it comes back when a saved plan is applied.

A user's cloud-init can hold anything, and Azure itself never shows it again. So a plan file has its hash, as a stack's
record has, and who applies the plan has to have the file that it came from.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from provision.errors import Refused
from provision.plan.model import Operation, Plan
from provision.plan.record import hashed

_HASH = "sha256:"


def without_withheld(operation: Operation) -> Mapping[str, Any] | None:
    """Return the body of an operation as a plan file holds it: hashes where it withholds something."""
    body = operation.body
    if body is None or not operation.withheld:
        return body
    shown = copy.deepcopy(dict(body))
    for holder, key in _places(shown, operation.withheld):
        if not str(holder[key]).startswith(_HASH):
            holder[key] = hashed(holder[key])
    return shown


def lacks(plan: Plan) -> bool:
    """Return whether a plan came from a file that withholds something, so that it can't be sent as it is."""
    return any(True for operation in plan.operations for _ in _hashes(operation))


def values_in(templates: Iterable[Mapping[str, Any]], paths: Iterable[str]) -> dict[str, Any]:
    """Return the values at some paths in the resources of templates, by their hashes."""
    wanted = tuple(paths)
    bodies = ({"properties": {"template": template}} for template in templates)
    found = (holder[key] for body in bodies for holder, key in _places(body, wanted))
    return {hashed(value): value for value in found}


def completed(plan: Plan, values: Mapping[str, Any]) -> Plan:
    """Return a plan from a file with what the file withholds; `values` are by their hashes. Raises Refused."""
    return replace(plan, operations=tuple(_completed(operation, values) for operation in plan.operations))


def _completed(operation: Operation, values: Mapping[str, Any]) -> Operation:
    hashes = dict.fromkeys(_hashes(operation))
    if not hashes:
        return operation
    if not all(each in values for each in hashes):
        raise Refused(
            f"the plan file withholds what the nodes of {operation.unit} in {operation.region} boot with, and the files"
            " that it was made from have changed",
            fix="apply it where the files are as they were when it was made, or make the plan again",
        )
    body = copy.deepcopy(dict(operation.body or {}))
    for holder, key in _places(body, operation.withheld):
        holder[key] = values.get(holder[key], holder[key])
    return replace(operation, sends=body)


def _hashes(operation: Operation) -> Iterator[str]:
    """Yield the hashes that stand in an operation's body; customData is base64, which has no colon."""
    for holder, key in _places(operation.body or {}, operation.withheld) if operation.withheld else ():
        if str(holder[key]).startswith(_HASH):
            yield holder[key]


def _places(body: Mapping[str, Any], paths: Iterable[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield (the map, the key in it) of each value that stands at one of some paths in a resource of a stack's body."""
    for resource in body["properties"]["template"]["resources"]:
        for path in paths:
            *way, last = path.split(".")
            here: Any = resource
            for key in way:
                here = here.get(key) if isinstance(here, dict) else None
            if isinstance(here, dict) and isinstance(here.get(last), str):
                yield here, last
