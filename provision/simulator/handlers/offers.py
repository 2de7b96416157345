"""Requests about what Compute offers in a region: usages, sizes, images."""

from __future__ import annotations

import re

from provision.simulator.compute import quota
from provision.simulator.compute import skus as size_list
from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import errors
from provision.simulator.state.facts import location_name, regions
from provision.simulator.wire.messages import Reply

_LOCATION_FILTER = re.compile(r"location\s+eq\s+'([^']*)'", re.IGNORECASE)


def usages(call: Call) -> Reply:
    return Reply(200, quota.usages(call.world, call.subscription, _location(call, "locations/usages")))


def vm_sizes(call: Call) -> Reply:
    return Reply(200, {"value": size_list.vm_sizes(_location(call, "locations/vmSizes"))})


def skus(call: Call) -> Reply:
    found = _LOCATION_FILTER.search(call.request.query.get("$filter", ""))
    location = location_name(found[1]) if found else ""
    rows = size_list.listed(call.world, location) if not location or location in regions() else []
    return call.page(rows, lambda row: row)


def _location(call: Call, type_: str) -> str:
    location = location_name(call.params["location"])
    if location not in regions():
        raise errors.unknown_location(call.params["location"], type_, sorted(regions()))
    return location
