"""Requests about proximity placement groups, and about capacity reservations and their groups."""

from __future__ import annotations

from provision.simulator.bodies import bodies
from provision.simulator.bodies.shapes import Needed
from provision.simulator.compute import proximity, reservation_writes
from provision.simulator.compute.reservations import GROUP_TYPE, TYPE
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.compute_calls import expands_view
from provision.simulator.handlers.plain import deleted
from provision.simulator.refusals import errors
from provision.simulator.resources import providers
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Resource
from provision.simulator.wire.messages import Json, Reply


def put(call: Call) -> Reply:
    rid = _rid(call)
    written = providers.put(call.world, call.now, rid, call.body, call.origin)
    return call.started(written.status, written.operation, providers.render(call.world, written.resource))


def patch(call: Call) -> Reply:
    """Change tags, and of a reservation how much is reserved."""
    row = providers.get(call.world, _rid(call))
    body = bodies.fit(Needed(dict), call.body, call.origin.text)
    taken = ("tags", "sku", "properties", "zones") if row.type.lower() == TYPE else ("tags", "properties")
    if unknown := set(body) - set(taken):
        raise errors.unknown_member(min(unknown), row.type)
    before = {"location": row.location, **{key: value for key, value in row.body.items() if key != "tags"}}
    tags = row.body["tags"] if body.get("tags") is None else body["tags"]
    whole = bodies.merged(before, {**body, "tags": tags})
    written = providers.put(call.world, call.now, row.rid, whole, call.origin)
    return call.started(200, written.operation, providers.render(call.world, written.resource))


def get(call: Call) -> Reply:
    return Reply(200, _shown(call, providers.get(call.world, _rid(call))))


def delete(call: Call) -> Reply:
    return deleted(call, _rid(call))


def list_group(call: Call) -> Reply:
    return call.page(call.world.resources.members(call.group().key, _type(call)), lambda row: _shown(call, row))


def list_subscription(call: Call) -> Reply:
    here = f"/subscriptions/{call.subscription}/".lower()
    rows = [row for row in call.world.resources.of_type(_type(call)) if row.key.startswith(here)]
    return call.page(rows, lambda row: _shown(call, row))


def list_inside(call: Call) -> Reply:
    """Answer with the reservations of a group."""
    parent = call.rid(GROUP_TYPE, call.params["parent"])
    providers.get(call.world, parent)
    rows = [row for row in call.world.resources.children(parent.key) if row.type.lower() == TYPE]
    return call.page(rows, lambda row: _shown(call, row))


def _shown(call: Call, row: Resource) -> Json:
    if row.type.lower() == proximity.TYPE:
        colocation = call.request.query.get("includecolocationstatus", "").lower() == "true"
        return proximity.render(call.world, row, colocation=colocation)
    return reservation_writes.render(call.world, row, view=expands_view(call))


def _rid(call: Call) -> ResourceId:
    if "parent" in call.params:
        return call.rid(TYPE, call.params["parent"], call.params["name"])
    return call.rid(_type(call), call.params["name"])


def _type(call: Call) -> str:
    is_proximity = "proximityplacementgroups" in (segment.lower() for segment in call.request.segments)
    return proximity.TYPE if is_proximity else GROUP_TYPE
