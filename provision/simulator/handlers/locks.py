"""Requests about locks, at the scope that stands in front of them in the path."""

from __future__ import annotations

from provision.simulator.access import locks
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.scopes import scope_of
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.world import Lock
from provision.simulator.wire.messages import Reply


def put(call: Call) -> Reply:
    status, lock = locks.put(call.world, scope_of(call), call.params["lock"], call.body, call.text)
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
    return call.page(locks.at(call.world, scope_of(call)), locks.render)


def _lock(call: Call) -> Lock | None:
    return locks.find(call.world, scope_of(call), call.params["lock"])
