"""Requests about resources of types that are only stored, and their operations: paths that no table lists."""

from __future__ import annotations

from provision.simulator.bodies import bodies
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.plain import deleted
from provision.simulator.refusals import errors
from provision.simulator.resources import providers
from provision.simulator.state import operations
from provision.simulator.state.ids import ResourceId, cased, parse
from provision.simulator.state.world import Resource, World
from provision.simulator.storage import stored
from provision.simulator.wire.messages import Json, Reply, Request

_POLLS = "operationResults"


def resource_of(world: World, request: Request) -> ResourceId | None:
    """Return the resource that a path is about; None where it is about none of a stored type."""
    rid = parse("/".join(request.segments))
    return rid if rid is not None and stored.known(world, rid.type) else None


def operation_of(request: Request) -> str | None:
    """Return the operation that a path asks about, None where it asks about none."""
    match request.segments:
        case ("subscriptions", _, "providers", _, "locations", _, part, name) if part == _POLLS:
            return name
    return None


def listed_of(world: World, request: Request) -> tuple[ResourceId | None, str, str] | None:
    """Return the parent, the group's key and the type of a list of stored resources, None where a path is no list."""
    parts = request.segments
    if len(parts) < 7 or len(parts) % 2 == 0 or parts[4].lower() != "providers":
        return None
    type_ = "/".join([cased(parts[5]), *(cased(kind) for kind in parts[6::2])])
    group = "/" + "/".join(parts[:4]).lower()
    return (parse("/".join(parts[:-1])), group, type_) if stored.known(world, type_) else None


def put(call: Call) -> Reply:
    written = providers.put(call.world, call.now, _rid(call), call.body, call.origin)
    return call.started(written.status, written.operation, stored.render(written.resource))


def patch(call: Call) -> Reply:
    row = providers.get(call.world, _rid(call))
    body = call.body
    if not isinstance(body, dict) or set(body) - {"tags"}:
        raise errors.bad_content("Only tags can be updated by PATCH.")
    providers.group_of(call.world, row.rid, writes=True)
    bodies.check_tags(body.get("tags"))
    row.body["tags"] = bodies.without_nulls(body.get("tags") or {})
    call.world.resources.put(row.key, row)
    return Reply(200, stored.render(row))


def get(call: Call) -> Reply:
    return Reply(200, stored.render(providers.get(call.world, _rid(call))))


def delete(call: Call) -> Reply:
    return deleted(call, _rid(call))


def list_all(call: Call) -> Reply:
    found = listed_of(call.world, call.request)
    assert found is not None
    parent, group, type_ = found
    if parent is not None:
        providers.get(call.world, parent)
        rows = [row for row in call.world.resources.children(parent.key) if row.type.lower() == type_.lower()]
    else:
        call.group()
        rows = call.world.resources.members(group, type_)
    return call.page(rows, _shown)


def poll(call: Call) -> Reply:
    name = operation_of(call.request)
    assert name is not None
    return operations.poll_stored(call.world, call.request, name)


def _shown(row: Resource) -> Json:
    return stored.render(row)


def _rid(call: Call) -> ResourceId:
    rid = resource_of(call.world, call.request)
    assert rid is not None
    return rid
