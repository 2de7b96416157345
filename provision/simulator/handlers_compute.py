"""Requests to Compute: scale sets, their instances, usages, sizes, images."""

from __future__ import annotations

import re
from typing import Any

from provision.simulator import (
    bodies,
    errors,
    instance_actions,
    instance_views,
    instances,
    operations,
    providers,
    quota,
    restrictions,
    scale_sets,
)
from provision.simulator.calls import INSTANCE_PAGE_SIZE, Call
from provision.simulator.facts import location_name, regions
from provision.simulator.ids import ResourceId
from provision.simulator.messages import Json, Reply
from provision.simulator.world import ScaleSet

_LOCATION_FILTER = re.compile(r"location\s+eq\s+'([^']*)'", re.IGNORECASE)


def put(call: Call) -> Reply:
    rid = _rid(call)
    before = scale_sets.find(call.world, rid)
    call.check_match(None if before is None else scale_sets.etag(before))
    written = providers.put(call.world, call.now, rid, call.body, call.origin)
    assert isinstance(written.resource, ScaleSet)
    reply = call.started(written.status, written.operation, scale_sets.render(call.world, written.resource))
    charge = instances.stated(written.resource) if written.status == 201 else 0
    return _charged(_tagged(reply, written.resource), charge)


def patch(call: Call) -> Reply:
    row = _set(call)
    call.check_match(scale_sets.etag(row))
    providers.group_of(call.world, row.rid, writes=True)
    body = {**call.body, "location": row.location} if isinstance(call.body, dict) else call.body
    written = scale_sets.put(call.world, call.now, row.rid, body, call.origin, method="PATCH")
    assert isinstance(written.resource, ScaleSet)
    reply = call.started(200, written.operation, scale_sets.render(call.world, written.resource))
    return _charged(_tagged(reply, written.resource), 0)


def get(call: Call) -> Reply:
    row = _set(call)
    return _tagged(Reply(200, scale_sets.render(call.world, row)), row)


def delete(call: Call) -> Reply:
    rid = _rid(call)
    providers.group_of(call.world, rid, writes=True)
    operation = providers.delete(call.world, call.now, rid, call.origin)
    reply = Reply(204) if operation is None else call.started(202, operation, deletes=True)
    return _charged(reply, 1)


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


def view(call: Call) -> Reply:
    return Reply(200, instance_views.set_view(_set(call), call.now))


def act(call: Call) -> Reply:
    row, action = _set(call), call.params["action"]
    if action.lower() not in instance_actions.ACTIONS:
        raise errors.no_route(call.request.url)
    providers.group_of(call.world, row.rid, writes=True)
    operation = instance_actions.act(call.world, call.now, row, action, _named(call.body), call.origin)
    charge = len(operation.detail["instances"])
    return _charged(call.started(202, operation, acts=True), charge)


# --- instances ---


def list_instances(call: Call) -> Reply:
    row = _set(call)
    expand = call.request.query.get("$expand", "").lower() == "instanceview"
    size = call.world.setting("instancePageSize", INSTANCE_PAGE_SIZE)
    numbers = instances.live(row)
    reply = call.page(numbers, lambda number: instance_views.render(row, number, call.now, view=expand), size)
    return _charged(reply, 2)


def get_instance(call: Call) -> Reply:
    row, number = _instance(call)
    expand = call.request.query.get("$expand", "").lower() == "instanceview"
    return _charged(Reply(200, instance_views.render(row, number, call.now, view=expand)), 1)


def view_instance(call: Call) -> Reply:
    row, number = _instance(call)
    return _charged(Reply(200, instance_views.instance_view(row, number, call.now)), 1)


def act_on_instance(call: Call) -> Reply:
    row, number = _instance(call)
    action = call.params["action"]
    if action.lower() not in instance_actions.ACTIONS:
        raise errors.no_route(call.request.url)
    providers.group_of(call.world, row.rid, writes=True)
    operation = instance_actions.act(call.world, call.now, row, action, [str(number)], call.origin)
    return _charged(call.started(202, operation, acts=True), 1)


def delete_instance(call: Call) -> Reply:
    row = _set(call)
    providers.group_of(call.world, row.rid, writes=True)
    number = instances.number_of(row, call.params["instance"])
    if number is None:
        return _charged(Reply(204), 0)
    operation = instance_actions.act(call.world, call.now, row, "delete", [str(number)], call.origin)
    return _charged(call.started(202, operation, deletes=True), 1)


# --- the region ---


def poll(call: Call) -> Reply:
    return operations.poll_compute(call.world, call.request, call.params["operation"], call.version)


def usages(call: Call) -> Reply:
    location = location_name(call.params["location"])
    if location not in regions():
        raise errors.unknown_location(call.params["location"], "locations/usages", sorted(regions()))
    return Reply(200, quota.usages(call.world, call.subscription, location))


def skus(call: Call) -> Reply:
    found = _LOCATION_FILTER.search(call.request.query.get("$filter", ""))
    location = location_name(found[1]) if found else ""
    rows = restrictions.skus(call.world, location) if not location or location in regions() else []
    return call.page(rows, lambda row: row)


def image_versions(call: Call) -> Reply:
    """Answer with the one version that the simulator knows of any image."""
    return Reply(200, [_image(call, instance_views.LATEST_IMAGE_VERSION)])


def image_version(call: Call) -> Reply:
    properties = {"hyperVGeneration": "V2", "osDiskImage": {"operatingSystem": "Linux"}, "dataDiskImages": []}
    return Reply(200, {"properties": properties, **_image(call, call.params["version"])})


def _image(call: Call, version: str) -> Json:
    params = call.params
    path = (
        f"/Subscriptions/{call.subscription}/Providers/Microsoft.Compute/Locations/{params['location']}/Publishers/"
        f"{params['publisher']}/ArtifactTypes/VMImage/Offers/{params['offer']}/Skus/{params['sku']}/Versions/{version}"
    )
    return {"location": params["location"], "name": version, "id": path}


def _rid(call: Call) -> ResourceId:
    return call.rid("Microsoft.Compute/virtualMachineScaleSets", call.params["name"])


def _set(call: Call) -> ScaleSet:
    row = providers.get(call.world, _rid(call))
    assert isinstance(row, ScaleSet)
    return row


def _instance(call: Call) -> tuple[ScaleSet, int]:
    row = _set(call)
    number = instances.number_of(row, call.params["instance"])
    if number is None:
        raise errors.compute_child_missing()
    return row, number


def _named(body: Any) -> list[str] | None:
    if body is None:
        return None
    named = bodies.at_path(body, "instanceIds")
    if named is not None and not (isinstance(named, list) and all(isinstance(each, str) for each in named)):
        raise errors.bad_content("Error converting value of 'instanceIds' to type 'List'. Path 'instanceIds'.")
    return named


def _capitals(body: Json, row: ScaleSet) -> Json:
    """Return the body as the list of a subscription shows it, the group in capitals."""
    rid = row.rid
    upper = rid.text.replace(f"/resourceGroups/{rid.group}/", f"/resourceGroups/{rid.group.upper()}/", 1)
    return {**body, "id": upper}


def _tagged(reply: Reply, row: ScaleSet) -> Reply:
    return Reply(reply.status, reply.body, {**reply.headers, "ETag": scale_sets.etag(row)})


def _charged(reply: Reply, charge: int) -> Reply:
    """Return the reply with the units that Compute says the call cost."""
    return Reply(reply.status, reply.body, {**reply.headers, "x-ms-request-charge": str(charge)}, reply.indented)
