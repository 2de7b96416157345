"""Requests about addresses that are no resources of their own: of instances, and how many of subnets are in use."""

from __future__ import annotations

from provision.simulator import instance_addresses, instances, providers, subnets
from provision.simulator.calls import Call
from provision.simulator.errors import compute_child_missing
from provision.simulator.messages import Json, Reply
from provision.simulator.world import Resource, ScaleSet


def list_set(call: Call) -> Reply:
    row = _set(call)
    found = [each for number in instances.live(row) for each in instance_addresses.of(row, number, call.now)]
    return call.page(found, _as_it_is)


def list_one(call: Call) -> Reply:
    row = _set(call)
    number = instances.number_of(row, call.params["instance"])
    if number is None:
        raise compute_child_missing()
    place = f"/networkinterfaces/{call.params['nic']}/ipconfigurations/{call.params['ip']}/".lower()
    return call.page(
        [each for each in instance_addresses.of(row, number, call.now) if place in each["id"].lower()], _as_it_is
    )


def _as_it_is(body: Json) -> Json:
    return body


def _set(call: Call) -> ScaleSet:
    row = providers.get(call.world, call.rid("Microsoft.Compute/virtualMachineScaleSets", call.params["name"]))
    assert isinstance(row, ScaleSet)
    return row


def usages(call: Call) -> Reply:
    """Answer with how many addresses of each subnet of a virtual network are in use, of how many."""
    network = providers.get(call.world, call.rid("Microsoft.Network/virtualNetworks", call.params["name"]))
    return call.page(subnets.of(call.world, network.key), lambda row: _usage(call, row))


def _usage(call: Call, row: Resource) -> Json:
    return {
        "id": row.id,
        "currentValue": float(subnets.used(call.world, row.key)),
        "limit": float(subnets.size(row)),
        "name": {"value": "SubnetSpace", "localizedValue": "Subnet size and usage"},
        "unit": "Count",
    }
