"""Requests about locks, at the scope that stands in front of them in the path."""

from __future__ import annotations

from provision.simulator import groups, locks
from provision.simulator.calls import Call
from provision.simulator.errors import Refusal, no_resource
from provision.simulator.ids import group_key, parse
from provision.simulator.messages import Reply
from provision.simulator.world import Lock


def put(call: Call) -> Reply:
    status, lock = locks.put(call.world, _scope(call), call.params["lock"], call.body, call.text)
    return Reply(status, locks.render(lock))


def get(call: Call) -> Reply:
    lock = _lock(call)
    if lock is None:
        raise Refusal(404, "LockNotFound", f"The lock '{call.params['lock']}' could not be found.")
    return Reply(200, locks.render(lock))


def delete(call: Call) -> Reply:
    lock = _lock(call)
    if lock is None:
        return Reply(204)
    call.world.locks.remove(lock.key)
    return Reply(200)


def list_scope(call: Call) -> Reply:
    return call.page(locks.at(call.world, _scope(call)), locks.render)


def _lock(call: Call) -> Lock | None:
    return locks.find(call.world, _scope(call), call.params["lock"])


def _scope(call: Call) -> str:
    """Return the id of what is locked; refuse where it does not exist."""
    segments = list(call.request.segments)
    lowered = [segment.lower() for segment in segments]
    end = len(lowered) - 1 - lowered[::-1].index("providers")
    text = "/" + "/".join(segments[:end])
    if "group" not in call.params:
        return text
    groups.find(call.world, call.subscription, call.params["group"])
    rid = parse(text)
    if rid is None:
        return call.world.groups[group_key(call.subscription, call.params["group"])].id
    row = call.world.resources.get(rid.key)
    if row is None:
        raise no_resource(rid.type, rid.name, rid.group)
    return row.id
