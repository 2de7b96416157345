"""Requests that run scripts on instances: the action, the managed resources, and what a region knows of them."""

from __future__ import annotations

from provision.simulator.compute import commands, managed_commands
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.compute_calls import charged, expands_view, instance_of
from provision.simulator.refusals import errors
from provision.simulator.wire.messages import Reply


def run(call: Call) -> Reply:
    row, number = instance_of(call, writes=True)
    operation = commands.run(call.world, call.now, row, number, call.body, call.origin)
    return charged(call.started(202, operation, acts=True), 1)


def put(call: Call) -> Reply:
    return _written(call, "PUT")


def patch(call: Call) -> Reply:
    return _written(call, "PATCH")


def get(call: Call) -> Reply:
    row, number = instance_of(call)
    record = managed_commands.find(row, number, call.params["command"])
    if record is None:
        raise errors.compute_child_missing()
    return charged(Reply(200, managed_commands.render(row, number, record, call.now, view=expands_view(call))), 1)


def delete(call: Call) -> Reply:
    row, number = instance_of(call, writes=True)
    operation = managed_commands.delete(call.world, call.now, row, number, call.params["command"], call.origin)
    return charged(Reply(204) if operation is None else call.started(202, operation, deletes=True), 1)


def list_instance(call: Call) -> Reply:
    row, number = instance_of(call)
    view = expands_view(call)
    records = [managed_commands.find(row, number, name) for name in managed_commands.names(row, number)]
    found = [record for record in records if record is not None]
    return charged(
        call.page(found, lambda record: managed_commands.render(row, number, record, call.now, view=view)), 1
    )


def list_region(call: Call) -> Reply:
    return call.page(list(commands.COMMANDS), commands.document)


def get_region(call: Call) -> Reply:
    wanted = call.params["command"].lower()
    name = next((name for name in commands.COMMANDS if name.lower() == wanted), None)
    if name is None:
        raise errors.compute_child_missing()
    return Reply(200, {**commands.document(name), "script": [], "parameters": []})


def _written(call: Call, method: str) -> Reply:
    row, number = instance_of(call, writes=True)
    status, record, operation = managed_commands.put(
        call.world, call.now, row, number, call.params["command"], call.body, call.origin, method=method
    )
    return charged(call.started(status, operation, managed_commands.render(row, number, record, call.now)), 1)
