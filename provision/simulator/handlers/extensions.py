"""Requests about the extensions of a scale set."""

from __future__ import annotations

from provision.simulator.compute import scale_set_extensions
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.compute_calls import charged, set_of
from provision.simulator.refusals import errors
from provision.simulator.resources import providers
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import ScaleSet
from provision.simulator.wire.messages import Reply


def put(call: Call) -> Reply:
    return _written(call, "PUT")


def patch(call: Call) -> Reply:
    set_of(call, writes=True)
    return _written(call, "PATCH")


def get(call: Call) -> Reply:
    row = set_of(call)
    found = scale_set_extensions.find(row, call.params["extension"])
    if found is None:
        raise errors.compute_child_missing()
    return charged(Reply(200, scale_set_extensions.render(row, found)), 0)


def delete(call: Call) -> Reply:
    set_of(call, writes=True)
    operation = scale_set_extensions.delete(call.world, call.now, _rid(call), call.origin)
    return charged(Reply(204) if operation is None else call.started(202, operation, deletes=True), 0)


def list_set(call: Call) -> Reply:
    row = set_of(call)
    return charged(call.page(scale_set_extensions.all_of(row), lambda each: scale_set_extensions.render(row, each)), 0)


def _written(call: Call, method: str) -> Reply:
    rid = _rid(call)
    providers.group_of(call.world, rid, writes=True)
    written = scale_set_extensions.put(call.world, call.now, rid, call.body, call.origin, method=method)
    assert isinstance(written.resource, ScaleSet)
    found = scale_set_extensions.find(written.resource, rid.name)
    assert found is not None
    body = scale_set_extensions.render(written.resource, found)
    return charged(call.started(written.status, written.operation, body), 0)


def _rid(call: Call) -> ResourceId:
    return call.rid(scale_set_extensions.TYPE, call.params["name"], call.params["extension"])
