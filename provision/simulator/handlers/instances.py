"""Requests about instances of scale sets."""

from __future__ import annotations

from provision.simulator.compute import (
    action_rules,
    capacity,
    eviction,
    instance_actions,
    instance_filters,
    instance_views,
    protection,
)
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.compute_calls import (
    charged,
    expands_view,
    instance_of,
    set_of,
)
from provision.simulator.refusals import compute_errors
from provision.simulator.resources import providers
from provision.simulator.state import instances
from provision.simulator.wire.messages import Reply


def list_instances(call: Call) -> Reply:
    row = set_of(call)
    query = call.request.query
    expand = instance_filters.wants_view(query.get("$expand", ""), query.get("$select", ""))
    numbers = instance_filters.matching(row, instances.live(row), query.get("$filter", ""), call.now)
    reply = call.page(
        numbers, lambda number: instance_views.render(row, number, call.now, view=expand), "instancePageSize"
    )
    return charged(reply, 2)


def get_instance(call: Call) -> Reply:
    row, number = instance_of(call)
    expand = expands_view(call)
    return charged(Reply(200, instance_views.render(row, number, call.now, view=expand)), 1)


def view_instance(call: Call) -> Reply:
    row, number = instance_of(call)
    return charged(Reply(200, instance_views.instance_view(row, number, call.now)), 1)


def act_on_instance(call: Call) -> Reply:
    row, number = instance_of(call)
    action = call.params["action"]
    action_rules.check_simulated(action, instance_actions.ACTIONS, call.request.url)
    providers.group_of(call.world, row.rid, writes=True)
    action_rules.named(call.body)
    operation = instance_actions.act(call.world, call.now, row, action, [str(number)], call.origin, alone=True)
    return charged(call.started(202, operation, acts=True), 1)


def simulate_eviction(call: Call) -> Reply:
    """Give a Spot instance notice; there is no operation to wait for."""
    row, number = instance_of(call, writes=True)
    if not capacity.is_spot(row):
        raise compute_errors.spot_only("simulateEviction")
    eviction.begin(call.world, call.now, row, [number])
    return charged(Reply(204), 1)


def put_instance(call: Call) -> Reply:
    """Set an instance's protection, which is all that can be written of one."""
    row, number = instance_of(call, writes=True)
    policy = protection.stated(row, number, call.body, call.now)
    operation = instance_actions.act(
        call.world,
        call.now,
        row,
        "update",
        [str(number)],
        call.origin,
        alone=True,
        method="PUT",
        detail={"protection": policy},
    )
    body = instance_views.render(row, number, call.now)
    return charged(call.started(200, operation, body), 1)


def delete_instance(call: Call) -> Reply:
    row = set_of(call)
    providers.group_of(call.world, row.rid, writes=True)
    number = instances.number_of(row, call.params["instance"])
    if number is None:
        return charged(Reply(204), 0)
    operation = instance_actions.act(call.world, call.now, row, "delete", [str(number)], call.origin, alone=True)
    return charged(call.started(202, operation, deletes=True), 1)
