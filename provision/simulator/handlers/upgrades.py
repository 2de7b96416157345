"""Requests about upgrades of scale sets that go in batches."""

from __future__ import annotations

from collections.abc import Callable

from provision.simulator.compute import rolling_upgrades, rolling_views
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.compute_calls import charged, set_of
from provision.simulator.refusals import errors
from provision.simulator.wire.messages import Reply


def start(brings: str) -> Callable[[Call], Reply]:
    def handle(call: Call) -> Reply:
        row = set_of(call, writes=True)
        operation = rolling_upgrades.start(call.world, call.now, row, brings, call.origin)
        return charged(call.started(202, operation, acts=True), 0)

    return handle


def cancel(call: Call) -> Reply:
    row = set_of(call, writes=True)
    operation = rolling_upgrades.cancel(call.world, call.now, row, call.origin)
    return charged(call.started(202, operation, acts=True), 0)


def latest(call: Call) -> Reply:
    found = rolling_views.latest(set_of(call))
    if found is None:
        raise errors.compute_child_missing()
    return charged(Reply(200, found), 0)


def history(call: Call) -> Reply:
    return charged(call.page(rolling_views.history(set_of(call)), lambda each: each), 0)
