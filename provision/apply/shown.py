"""Decides when what a run did is seen: lists lag behind writes, and whoever plans next reads lists.

One operation of our own a group, after all that the run does there: it looks at the lists of the group's resources, of
its stacks, and of networks whose children went, until they show what was made, and no more what was deleted. It never
fails: what is done is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from provision.arm import PEERINGS, STACKS, SUBNETS, VIRTUAL_NETWORKS, ResourceId, stacks_of
from provision.plan.model import Action, Change, Operation
from provision.plan.observed import split_children
from provision.plan.record import PARAMETER

KIND = "await-shown"

_TAKES_AWAY = ("delete", "delete-stack")
_CHILDREN = (SUBNETS.lower(), PEERINGS.lower())


def looks(operations: Iterable[Operation], changes: Iterable[Change]) -> tuple[Operation, ...]:
    """Return the look at each group in which something is deployed or deleted. `changes`: what comes of it."""
    inside: dict[ResourceId, list[Operation]] = {}
    for operation in operations:
        if operation.kind in ("put-stack", "delete-group", *_TAKES_AWAY):
            inside.setdefault(ResourceId(operation.target.group_id.key), []).append(operation)
    made = [each.id for each in changes if each.action in (Action.CREATE, Action.REPLACE) and _is_listed(each.id)]
    return tuple(_look(group, done, made) for group, done in sorted(inside.items()))


def _look(group: ResourceId, done: list[Operation], made: list[ResourceId]) -> Operation:
    present = {id.key for id in made if id.group_id.key == group}
    absent = [op.target for op in done if op.kind in _TAKES_AWAY and op.target.key not in present]
    place = done[0].target.group_id
    networks = any(id.type.lower() in _CHILDREN for id in absent)
    where = (place, stacks_of(place), *([ResourceId(f"{place}/providers/{VIRTUAL_NETWORKS}")] if networks else ()))
    body = {
        "present": present,
        "absent": {id.key for id in absent},
        "stacks": {op.target.key: op for op in done if op.kind == "put-stack"},
        "gone": any(op.kind == "delete-group" for op in done),
        "places": where,
    }
    return Operation(f"see {group}", KIND, place, "", "", tuple(op.id for op in done), body)


def places(operation: Operation) -> tuple[ResourceId, ...]:
    """Return what a look lists: the group's resources, its stacks, and its networks where children of some went."""
    found: tuple[ResourceId, ...] = (operation.body or {})["places"]
    return found


def is_shown(operation: Operation, place: ResourceId, listed: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether the list at a place shows what the run did."""
    body = operation.body or {}
    found = {id.key: each for whole in listed for id, each in split_children(whole)}
    if body["absent"] & set(found):
        return False
    if place.type.lower() == STACKS.lower():
        return all(_shows(found.get(key), sent) for key, sent in body["stacks"].items())
    if place.key != operation.target.key:
        return True
    # A group that should be gone was kept if something is in it; with nothing in it, it will be gone.
    return bool(found) if body["gone"] else body["present"] <= set(found)


def _shows(stack: Mapping[str, Any] | None, sent: Operation) -> bool:
    properties = (stack or {}).get("properties", {})
    ended = str(properties.get("provisioningState", "")).lower() == "succeeded"
    return ended and _recorded(stack or {}) == _recorded(sent.body or {})


def _recorded(stack: Mapping[str, Any]) -> Any:
    return ((stack.get("properties", {}).get("parameters") or {}).get(PARAMETER) or {}).get("value")


def _is_listed(id: ResourceId) -> bool:
    """Return whether a group's list of resources shows one: children it does not, nor the group itself."""
    return id.key != id.group_id.key and "/" not in id.full_name
