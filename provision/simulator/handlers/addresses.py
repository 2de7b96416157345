"""Requests about the interfaces and addresses of instances, which are no resources of their own, and about what of
them, of subnets and of Network as a whole is in use.
"""

from __future__ import annotations

from provision.simulator.handlers.calls import Call
from provision.simulator.network import instance_addresses, instance_interfaces, private_addresses, subnets
from provision.simulator.network import usages as region
from provision.simulator.refusals import errors, network_errors
from provision.simulator.refusals.errors import compute_child_missing
from provision.simulator.resources import providers
from provision.simulator.state import instances
from provision.simulator.state.facts import location_name, regions
from provision.simulator.state.world import Resource, ScaleSet
from provision.simulator.wire.messages import Json, Reply


def list_set(call: Call) -> Reply:
    row = _set(call)
    found = [each for number in instances.live(row) for each in instance_addresses.of(row, number, call.now)]
    return call.page(found, _as_it_is)


def list_one(call: Call) -> Reply:
    return call.page(_of_configuration(call), _as_it_is)


def get_one(call: Call) -> Reply:
    for each in _of_configuration(call):
        if each["name"].lower() == call.params["address"].lower():
            return Reply(200, each, {"ETag": each["etag"]})
    raise network_errors.network_child_missing(call.request.path)


def _of_configuration(call: Call) -> list[Json]:
    row, number = _instance(call)
    place = f"/networkinterfaces/{call.params['nic']}/ipconfigurations/{call.params['ip']}/".lower()
    return [each for each in instance_addresses.of(row, number, call.now) if place in each["id"].lower()]


def list_set_interfaces(call: Call) -> Reply:
    row = _set(call)
    found = [(number, model) for number in instances.live(row) for model in instance_interfaces.models(row)]
    return call.page(found, lambda each: instance_interfaces.render(call.world, row, *each))


def list_interfaces(call: Call) -> Reply:
    row, number = _instance(call)
    models = instance_interfaces.models(row)
    return call.page(models, lambda model: instance_interfaces.render(call.world, row, number, model))


def get_interface(call: Call) -> Reply:
    shown = _interface(call)
    return Reply(200, shown, {"ETag": shown["etag"]})


def list_configurations(call: Call) -> Reply:
    return call.page(_interface(call)["properties"]["ipConfigurations"], _as_it_is)


def get_configuration(call: Call) -> Reply:
    for each in _interface(call)["properties"]["ipConfigurations"]:
        if each["name"].lower() == call.params["ip"].lower():
            return Reply(200, each, {"ETag": each["etag"]})
    raise network_errors.network_child_missing(call.request.path)


def _interface(call: Call) -> Json:
    """Return the interface that a request is about, as Network shows it."""
    row, number = _instance(call)
    for model in instance_interfaces.models(row):
        if model["name"].lower() == call.params["nic"].lower():
            return instance_interfaces.render(call.world, row, number, model)
    raise network_errors.network_child_missing(call.request.path)


def _as_it_is(body: Json) -> Json:
    return body


def _instance(call: Call) -> tuple[ScaleSet, int]:
    row = _set(call)
    number = instances.number_of(row, call.params["instance"])
    if number is None:
        raise compute_child_missing()
    return row, number


def _set(call: Call) -> ScaleSet:
    row = providers.get(call.world, call.rid("Microsoft.Compute/virtualMachineScaleSets", call.params["name"]))
    assert isinstance(row, ScaleSet)
    return row


def region_usages(call: Call) -> Reply:
    """Answer with what the subscription uses of Network in a region, of how much."""
    location = location_name(call.params["location"])
    if location not in regions():
        raise errors.unknown_location(call.params["location"], "locations/usages", sorted(regions()))
    return call.page(region.rows(call.world, call.subscription, location), _as_it_is)


def check_address(call: Call) -> Reply:
    """Answer whether a private address of a virtual network is free, and with five that are where it is not."""
    network = providers.get(call.world, call.rid("Microsoft.Network/virtualNetworks", call.params["name"]))
    return Reply(200, private_addresses.availability(call.world, network, call.request.query.get("ipaddress", "")))


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
