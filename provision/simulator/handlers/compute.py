"""Requests about scale sets as wholes."""

from __future__ import annotations

from dataclasses import replace

from provision.simulator.bodies import bodies
from provision.simulator.bodies.manners import compute
from provision.simulator.bodies.shapes import Object
from provision.simulator.compute import action_rules, instance_actions, instance_views, quota, scale_sets, services
from provision.simulator.handlers.calls import Call
from provision.simulator.handlers.compute_calls import charged, set_id, set_of
from provision.simulator.refusals import compute_errors, errors
from provision.simulator.resources import providers
from provision.simulator.state import instances, operations
from provision.simulator.state.facts import limit, location_name, regions, sizes
from provision.simulator.state.world import ScaleSet
from provision.simulator.wire.messages import Json, Reply

_CONVERSION = Object("VMScaleSetConvertToSinglePlacementGroupInput", activePlacementGroupId=str)


def put(call: Call) -> Reply:
    rid = set_id(call)
    before = scale_sets.find(call.world, rid)
    call.check_match(None if before is None else scale_sets.etag(before))
    written = providers.put(call.world, call.now, rid, call.body, call.origin)
    assert isinstance(written.resource, ScaleSet)
    reply = call.started(written.status, written.operation, scale_sets.render(call.world, written.resource))
    charge = instances.stated(written.resource) if written.status == 201 else 0
    return charged(_tagged(reply, written.resource), charge)


def patch(call: Call) -> Reply:
    row = set_of(call)
    call.check_match(scale_sets.etag(row))
    providers.group_of(call.world, row.rid, writes=True)
    body = {**call.body, "location": row.location} if isinstance(call.body, dict) else call.body
    written = scale_sets.put(call.world, call.now, row.rid, body, call.origin, method="PATCH")
    assert isinstance(written.resource, ScaleSet)
    reply = call.started(200, written.operation, scale_sets.render(call.world, written.resource))
    return charged(_tagged(reply, written.resource), 0)


def get(call: Call) -> Reply:
    row = set_of(call)
    return _tagged(Reply(200, scale_sets.render(call.world, row)), row)


def delete(call: Call) -> Reply:
    rid = set_id(call)
    providers.group_of(call.world, rid, writes=True)
    operation = providers.delete(call.world, call.now, rid, call.origin)
    reply = Reply(204) if operation is None else call.started(202, operation, deletes=True)
    return charged(reply, 1)


def list_group(call: Call) -> Reply:
    rows = call.world.resources.members(call.group().key, scale_sets.TYPE)
    sets = [row for row in rows if isinstance(row, ScaleSet)]
    return call.page(sets, lambda row: scale_sets.render(call.world, row))


def list_subscription(call: Call) -> Reply:
    here = f"/subscriptions/{call.subscription}/".lower()
    rows = sorted(
        (row for row in call.world.resources.scale_sets() if row.key.startswith(here)), key=lambda row: row.key
    )
    return call.page(rows, lambda row: _capitals(scale_sets.render(call.world, row), row))


def list_region(call: Call) -> Reply:
    here = f"/subscriptions/{call.subscription}/".lower()
    location = location_name(call.params["location"])
    if location not in regions():
        raise errors.unknown_location(call.params["location"], "virtualMachineScaleSets", sorted(regions()))
    rows = [row for row in call.world.resources.scale_sets(location) if row.key.startswith(here)]
    rows.sort(key=lambda row: row.key)
    return charged(call.page(rows, lambda row: scale_sets.render(call.world, row)), 2)


def skus(call: Call) -> Reply:
    """Answer with the sizes that a set could have, and how many instances of each."""
    row = set_of(call)
    single = row.properties["singlePlacementGroup"]
    most = (
        quota.placement_group_limit(call.world, call.subscription, row.location) if single else limit("scale_set_nodes")
    )
    capacity = {"minimum": 0, "maximum": most, "defaultCapacity": 1, "scaleType": "Automatic"}
    found = [
        {
            "resourceType": "Microsoft.Compute/virtualMachineScaleSets",
            "sku": {"name": size.name, "tier": "Standard"},
            "capacity": capacity,
        }
        for size in sizes().values()
        if row.location in size.regions
    ]
    return charged(call.page(found, lambda each: each), 0)


def convert(call: Call) -> Reply:
    """Make a set one of several placement groups, whatever the name of the action says.

    Its documentation says so, and that later instances go to the active group; which that is is not simulated.
    """
    row = set_of(call, writes=True)
    body = bodies.fit(_CONVERSION, {} if call.body is None else call.body, call.origin.text, manner=compute)
    active = body.get("activePlacementGroupId")
    groups = {instance_views.placement_group(row, number) for number in instances.live(row)}
    if active is not None and active not in groups:
        text = f"The value '{active}' of parameter 'activePlacementGroupId' is invalid."
        raise errors.bad_parameter("activePlacementGroupId", text)
    if row.properties["singlePlacementGroup"]:
        change = {"properties": {"singlePlacementGroup": False}}
        scale_sets.put(call.world, call.now, row.rid, change, replace(call.origin, text=""), method="POST")
    return charged(Reply(200), 0)


def set_service(call: Call) -> Reply:
    """Suspend or resume automatic repairs."""
    row = set_of(call, writes=True)
    operation = services.set_state(call.world, call.now, row, call.body, call.origin)
    return charged(call.started(202, operation, acts=True), 0)


def view(call: Call) -> Reply:
    return Reply(200, instance_views.set_view(set_of(call), call.now))


def act(call: Call) -> Reply:
    row, action = set_of(call), call.params["action"]
    action_rules.check_simulated(action, instance_actions.ACTIONS, call.request.url)
    if call.request.query.get("hibernate", "").lower() == "true":
        raise compute_errors.not_simulated("hibernation")
    providers.group_of(call.world, row.rid, writes=True)
    operation = instance_actions.act(call.world, call.now, row, action, action_rules.named(call.body), call.origin)
    charge = len(operation.detail["instances"])
    return charged(call.started(202, operation, acts=True), charge)


def poll(call: Call) -> Reply:
    return operations.poll_compute(call.world, call.request, call.params["operation"], call.version)


def _capitals(body: Json, row: ScaleSet) -> Json:
    """Return the body as the list of a subscription shows it, the group in capitals."""
    rid = row.rid
    upper = rid.text.replace(f"/resourceGroups/{rid.group}/", f"/resourceGroups/{rid.group.upper()}/", 1)
    return {**body, "id": upper}


def _tagged(reply: Reply, row: ScaleSet) -> Reply:
    return Reply(reply.status, reply.body, {**reply.headers, "ETag": scale_sets.etag(row)})
