"""Requests about the rules that every security group has, and that nobody can write."""

from __future__ import annotations

from provision.simulator.handlers.calls import Call
from provision.simulator.network import security_groups
from provision.simulator.refusals import network_errors
from provision.simulator.resources import providers
from provision.simulator.wire.messages import Json, Reply


def list_defaults(call: Call) -> Reply:
    return call.page(_rules(call), lambda rule: rule)


def get_default(call: Call) -> Reply:
    for rule in _rules(call):
        if rule["name"].lower() == call.params["rule"].lower():
            return Reply(200, rule)
    group = call.rid("Microsoft.Network/networkSecurityGroups", call.params["name"])
    raise network_errors.network_child_missing(f"{group.text}/defaultSecurityRules/{call.params['rule']}")


def _rules(call: Call) -> list[Json]:
    row = providers.get(call.world, call.rid("Microsoft.Network/networkSecurityGroups", call.params["name"]))
    return security_groups.default_rules(row.id, row.etag)
