"""Requests about the tags of a scope as a whole: `Microsoft.Resources/tags/default`."""

from __future__ import annotations

from provision.simulator.access import tags
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.scopes import scope_of
from provision.simulator.wire.messages import Reply


def get(call: Call) -> Reply:
    return Reply(200, tags.render(call.world, scope_of(call)))


def put(call: Call) -> Reply:
    scope = scope_of(call)
    tags.replace(call.world, scope, call.body, call.text)
    return Reply(200, tags.render(call.world, scope))


def patch(call: Call) -> Reply:
    scope = scope_of(call)
    tags.patch(call.world, scope, call.body, call.text)
    return Reply(200, tags.render(call.world, scope))


def delete(call: Call) -> Reply:
    tags.clear(call.world, scope_of(call))
    return Reply(200)
