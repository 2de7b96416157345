"""Requests about plain resources, those of Network, StorageCache and ManagedIdentity: one set of handlers for all."""

from __future__ import annotations

from collections.abc import Callable

from provision.simulator.bodies import bodies
from provision.simulator.handlers.calls import Call
from provision.simulator.network import network
from provision.simulator.refusals import errors
from provision.simulator.resources import providers
from provision.simulator.state import operations
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Resource
from provision.simulator.wire.messages import Json, Reply

Handler = Callable[[Call], Reply]


def put(type_: str) -> Handler:
    def handle(call: Call) -> Reply:
        rid = _rid(call, type_)
        before = call.world.resources.get(rid.key)
        call.check_match(None if before is None else before.etag)
        written = providers.put(call.world, call.now, rid, call.body, call.origin)
        return call.started(written.status, written.operation, providers.render(call.world, written.resource))

    return handle


def patch(type_: str) -> Handler:
    def handle(call: Call) -> Reply:
        row = providers.get(call.world, _rid(call, type_))
        body = call.body
        if not isinstance(body, dict) or set(body) - {"tags"}:
            raise errors.bad_content("Only tags can be updated by PATCH.")
        providers.group_of(call.world, row.rid, writes=True)
        bodies.check_tags(body.get("tags"))
        network.patch_tags(call.world, row, body.get("tags") or {})
        return Reply(200, providers.render(call.world, row))

    return handle


def get(type_: str) -> Handler:
    def handle(call: Call) -> Reply:
        row = providers.get(call.world, _rid(call, type_))
        return Reply(200, providers.render(call.world, row), {"ETag": row.etag} if row.etag else {})

    return handle


def deleted(call: Call, rid: ResourceId) -> Reply:
    """Start to delete a resource, and answer."""
    providers.group_of(call.world, rid, writes=True)
    existed = rid.key in call.world.resources
    operation = providers.delete(call.world, call.now, rid, call.origin)
    if operation is None:
        return Reply(200 if existed else 204)
    return call.started(202, operation, deletes=True)


def delete(type_: str) -> Handler:
    def handle(call: Call) -> Reply:
        return deleted(call, _rid(call, type_))

    return handle


def list_group(type_: str) -> Handler:
    def handle(call: Call) -> Reply:
        rows = call.world.resources.members(call.group().key, type_)
        return call.page(rows, _shown(call))

    return handle


def list_children(type_: str) -> Handler:
    def handle(call: Call) -> Reply:
        parent = call.rid(type_.rpartition("/")[0], call.params["parent"])
        providers.get(call.world, parent)
        rows = [row for row in call.world.resources.children(parent.key) if row.type.lower() == type_]
        return call.page(rows, _shown(call))

    return handle


def list_subscription(type_: str) -> Handler:
    def handle(call: Call) -> Reply:
        here = f"/subscriptions/{call.subscription}/".lower()
        rows = [row for row in call.world.resources.values() if row.type.lower() == type_ and row.key.startswith(here)]
        return call.page(sorted(rows, key=lambda row: row.key), _shown(call))

    return handle


def poll(call: Call) -> Reply:
    return operations.poll_network(call.world, call.request, call.params["operation"], call.version, result=False)


def poll_result(call: Call) -> Reply:
    return operations.poll_network(call.world, call.request, call.params["operation"], call.version, result=True)


def poll_storage_cache(call: Call) -> Reply:
    return operations.poll_storage_cache(call.world, call.request, call.params["operation"])


def _rid(call: Call, type_: str) -> ResourceId:
    names = (call.params["parent"], call.params["name"]) if "parent" in call.params else (call.params["name"],)
    return call.rid(type_, *names)


def _shown(call: Call) -> Callable[[Resource], Json]:
    return lambda row: providers.render(call.world, row)
