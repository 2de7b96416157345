"""Somebody else at work in the same subscription: reads a resource, changes it, and writes it back, all in no time."""

from __future__ import annotations

from typing import Any

from provision.simulator.handlers import routes
from provision.simulator.handlers.calls import Call
from provision.simulator.refusals.errors import Refusal
from provision.simulator.settle import settle
from provision.simulator.state import instances, operations, versions
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import Operation, ScaleSet, World, guid_of
from provision.simulator.wire.messages import Json, Request, encoded

_HOST = "https://management.azure.com"
_SOMEBODY = Caller(guid_of("principal", "somebody else"), guid_of("application", "somebody else"))
_SETS = "/providers/microsoft.compute/virtualmachinescalesets/"


def able(world: World, target: str) -> bool:
    """Return whether there is something to change that nobody is writing just now."""
    key = target.lower()
    row = world.resources.get(key) or world.stacks.get(key)
    return key in world.groups if row is None else operations.running(world, row.operation) is None


def edit(world: World, now: float, target: str, patch: Json | None) -> str:
    """Lay a merge patch onto a resource, or with None delete it; return the code of a refusal, or nothing.

    Its provider checks it as it checks every write, but no lock, policy or role is in somebody's way; it meets no
    fault, and what it starts ends at once.
    """
    asleep, world.faults = world.faults, []
    mark = world.counter
    try:
        if patch is None:
            _ask(world, now, "DELETE", target)
        else:
            present = _ask(world, now, "GET", target)
            _ask(world, now, "PUT", target, _edited(target, present, patch))
    except Refusal as refusal:
        return refusal.code
    finally:
        world.faults = asleep
    while running := _running(world, mark):
        for operation in running:
            _hurry(world, operation, now)
        settle(world, now)
    return ""


def _running(world: World, mark: int) -> list[Operation]:
    """Return the operations begun since the counter stood at `mark` that wait for nothing but time."""
    return [
        row
        for row in world.operations.values()
        if row.number > mark and not row.hidden and row.status == "InProgress" and row.due is not None
    ]


def _hurry(world: World, operation: Operation, now: float) -> None:
    """Let an operation take its next step now, and the nodes that it brings come up."""
    row = world.resources.get(operation.target.lower())
    if isinstance(row, ScaleSet) and "arriving" in operation.detail:
        instances.delay(row, operation.detail["arriving"], now, 0.0)
        world.resources.put(row.key, row)
    world.schedule(operation, now)


def _ask(world: World, now: float, method: str, target: str, body: Any = None) -> Any:
    request = Request.of(method, f"{_HOST}{target}", {}, encoded(body, indented=False))
    route, params = routes.find(world, request)
    guid = world.guid()
    version = versions.TAKEN[route.versions][-1]
    return route.handler(Call(world, request, now, guid, guid, version, params, _SOMEBODY)).body


def _edited(target: str, present: Json, patch: Json) -> Json:
    if _SETS not in target.lower():
        laid: Json = _laid(present, patch)
        return laid
    # A PUT onto a scale set merges, so that only what changes is said, nulls included; but of tags it takes all.
    tags = {"tags": _laid(present.get("tags", {}), patch["tags"])} if "tags" in patch else {}
    return {"location": present["location"], **patch, **tags}


def _laid(present: Any, patch: Any) -> Any:
    """Return the value with a merge patch (RFC 7396) laid onto it."""
    if not isinstance(patch, dict):
        return patch
    base = present if isinstance(present, dict) else {}
    merged = {key: _laid(base.get(key), value) for key, value in patch.items() if value is not None}
    return {**{key: value for key, value in base.items() if key not in patch}, **merged}
