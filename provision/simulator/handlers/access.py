"""Requests about who may do what: role assignments at any scope, and the caller's own permissions."""

from __future__ import annotations

from provision.simulator.access import access, role_assignments
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.scopes import scope_of
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.world import RoleAssignment
from provision.simulator.wire.messages import Reply


def permissions(call: Call) -> Reply:
    return Reply(200, {"value": access.entries_at(call.world, call.caller, scope_of(call))})


def put(call: Call) -> Reply:
    status, row = role_assignments.put(
        call.world, call.now, call.caller, scope_of(call), call.params["assignment"], call.body, call.text
    )
    return Reply(status, role_assignments.render(row))


def get(call: Call) -> Reply:
    row = _row(call)
    if row is None:
        name = call.params["assignment"]
        raise Refusal(404, "RoleAssignmentNotFound", f"The role assignment '{name}' is not found.", gateway=False)
    return Reply(200, role_assignments.render(row))


def delete(call: Call) -> Reply:
    """Take an assignment away; Azure answers with what it was."""
    row = _row(call)
    if row is None:
        return Reply(204)
    call.world.role_assignments.remove(row.key)
    return Reply(200, role_assignments.render(row))


def list_scope(call: Call) -> Reply:
    rows = role_assignments.listed(call.world, scope_of(call), call.request.query.get("$filter", ""))
    return call.page(rows, role_assignments.render)


def _row(call: Call) -> RoleAssignment | None:
    key = f"{scope_of(call)}/providers/{role_assignments.TYPE}/{call.params['assignment']}".lower()
    return call.world.role_assignments.get(key)
