"""Requests to Resource Manager itself: groups, lists of groups and resources, and its own jobs."""

from __future__ import annotations

from provision.simulator.access import access
from provision.simulator.handlers.calls import Call
from provision.simulator.resources import groups, providers, resource_filters
from provision.simulator.state import operations
from provision.simulator.state.world import Resource
from provision.simulator.wire.messages import Json, Reply
from provision.simulator.wire.times import iso

_GROUPS = "Microsoft.Resources/subscriptions/resourceGroups"


def put_group(call: Call) -> Reply:
    status, group = groups.put(call.world, call.now, call.subscription, call.params["group"], call.body, call.text)
    return Reply(status, groups.render(group))


def patch_group(call: Call) -> Reply:
    return Reply(200, groups.render(groups.patch(call.world, call.group(), call.body, call.text)))


def get_group(call: Call) -> Reply:
    return Reply(200, groups.render(call.group()))


def head_group(call: Call) -> Reply:
    call.group()
    return Reply(204)


def delete_group(call: Call) -> Reply:
    operation = groups.delete(call.world, call.now, call.group(), call.origin)
    return call.started(202, operation)


def list_groups(call: Call) -> Reply:
    """Answer with the groups of the subscription that the caller may read."""
    here = f"/subscriptions/{call.subscription}/".lower()
    test = resource_filters.parsed(call.request.query.get("$filter", ""))
    rows = [
        row
        for row in call.world.groups.values()
        if row.key.startswith(here)
        and access.allowed(call.world, call.caller, f"{_GROUPS}/read", row.id)
        and test(groups.render(row))
    ]
    return call.page(sorted(rows, key=lambda row: row.key), groups.render)


def poll_group(call: Call) -> Reply:
    return operations.poll_group(call.world, call.request, call.params["job"], call.version)


# --- resources, whatever their type ---


def list_resources(call: Call) -> Reply:
    """Answer with top-level resources that the caller may read, of one group or of the subscription."""
    if "group" in call.params:
        rows = call.world.resources.members(call.group().key)
    else:
        here = f"/subscriptions/{call.subscription}/".lower()
        rows = sorted(
            (row for row in call.world.resources.values() if row.key.startswith(here)),
            key=lambda row: row.key,
        )
    wanted = call.request.query.get("$filter", "")
    test = resource_filters.parsed(wanted)
    rows = [row for row in rows if _listed(row) and _readable(call, row) and test(providers.generic(row))]
    expanded = {part.strip().lower() for part in call.request.query.get("$expand", "").split(",")}
    bare = resource_filters.hides_tags(wanted)
    return call.page(rows, lambda row: _shown(row, expanded, bare=bare))


def _listed(row: Resource) -> bool:
    """Return whether a list has a resource: children only where Azure tracks them, with a location of their own."""
    return row.rid.parent is None or "location" in row.body


def _readable(call: Call, row: Resource) -> bool:
    return access.allowed(call.world, call.caller, f"{row.type}/read", row.id)


def _shown(row: Resource, expanded: set[str], *, bare: bool) -> Json:
    body = providers.generic(row)
    if bare:
        body.pop("tags", None)
    if "createdtime" in expanded:
        body["createdTime"] = iso(row.made)
    if "changedtime" in expanded:
        body["changedTime"] = iso(row.changed or row.made)
    if "provisioningstate" in expanded:
        body["provisioningState"] = row.state
    return body
