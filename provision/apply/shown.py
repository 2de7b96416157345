"""Decides when what a run did is seen: lists lag behind writes, and whoever plans next reads lists.

One operation of our own a group, when all that the run does there is over: it looks at the lists of the group's
resources, of its stacks, and of networks whose children went, until they show what was made or marked, and no more
what was deleted. It never fails: what is done is done.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from provision.arm import PEERINGS, STACKS, SUBNETS, VIRTUAL_NETWORKS, ResourceId, stacks_of
from provision.plan.model import Action, Change, Operation
from provision.plan.observed import mark_of, split_children
from provision.plan.record import PARAMETER

KIND = "await-shown"

_TAKES_AWAY = ("delete", "delete-stack")
_CHILDREN = (SUBNETS.lower(), PEERINGS.lower())


def looks(operations: Iterable[Operation], changes: Iterable[Change]) -> tuple[Operation, ...]:
    """Return the look at each group in which something is deployed, marked or deleted. `changes`: what comes of it."""
    inside: dict[str, list[Operation]] = {}
    for operation in operations:
        if operation.kind in ("put-stack", "delete-group", "mark", *_TAKES_AWAY):
            inside.setdefault(operation.target.group_id.key, []).append(operation)
    made = [each for each in changes if each.action in (Action.CREATE, Action.REPLACE) and _is_listed(each.id)]
    return tuple(_look(key, done, made) for key, done in sorted(inside.items()))


def _look(group: str, inside: list[Operation], made: list[Change]) -> Operation:
    place = inside[0].target.group_id
    body = {
        "operations": tuple(inside),
        "made": [change for change in made if change.id.group_id.key == group],
        "failed": frozenset[str](),
    }
    return Operation(f"see {group}", KIND, place, "", "", tuple(op.id for op in inside), body)


def of_what_was_done(look: Operation, done: Container[str]) -> Operation:
    """Return a look that expects to see only what the operations of these ids did."""
    failed = frozenset(id for id in look.after if id not in done)
    return replace(look, sends={**(look.body or {}), "failed": failed})


def places(look: Operation) -> tuple[ResourceId, ...]:
    """Return what a look lists: the group's resources, its stacks, and its networks where children of some went."""
    networks = any(op.target.type.lower() in _CHILDREN for op in _done(look) if op.kind in _TAKES_AWAY)
    listed = (look.target, stacks_of(look.target))
    return (*listed, ResourceId(f"{look.target}/providers/{VIRTUAL_NETWORKS}")) if networks else listed


def expects_nothing(look: Operation) -> bool:
    """Return whether a look expects that there is no such group any more."""
    return any(op.kind == "delete-group" for op in _done(look))


def is_shown(look: Operation, place: ResourceId, listed: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether the list at a place shows what the run did; of what failed, that nothing is at work any more."""
    found = {id.key: each for whole in listed for id, each in split_children(whole)}
    deployed = {(op.unit, op.region) for op in _done(look) if op.kind == "put-stack"}
    present = {each.id.key for each in (look.body or {})["made"] if (each.unit, each.region) in deployed}
    absent = {op.target.key for op in _done(look) if op.kind in _TAKES_AWAY} - present
    if absent & set(found):
        return False
    if place.type.lower() == STACKS.lower():
        return all(_shows(look, op, found.get(op.target.key)) for op in _all(look) if op.kind == "put-stack")
    if place.key != look.target.key:
        return True
    marks = [op for op in _done(look) if op.kind == "mark" and _is_listed(op.target)]
    if any(mark_of(found.get(op.target.key) or {}) != op.mark for op in marks):
        return False
    # A group that should be gone was kept if something is in it; with nothing in it, it will be gone.
    return bool(found) if expects_nothing(look) else present <= set(found)


def _shows(look: Operation, sent: Operation, stack: Mapping[str, Any] | None) -> bool:
    state = str((stack or {}).get("properties", {}).get("provisioningState", "")).lower()
    if sent.id in (look.body or {})["failed"]:
        return state in ("", "succeeded", "failed", "canceled")
    return state == "succeeded" and _recorded(stack or {}) == _recorded(sent.body or {})


def _all(look: Operation) -> tuple[Operation, ...]:
    found: tuple[Operation, ...] = (look.body or {})["operations"]
    return found


def _done(look: Operation) -> list[Operation]:
    return [op for op in _all(look) if op.id not in (look.body or {})["failed"]]


def _recorded(stack: Mapping[str, Any]) -> Any:
    return ((stack.get("properties", {}).get("parameters") or {}).get(PARAMETER) or {}).get("value")


def _is_listed(id: ResourceId) -> bool:
    """Return whether a group's list of resources shows one: children it does not, nor the group itself."""
    return id.key != id.group_id.key and "/" not in id.full_name
