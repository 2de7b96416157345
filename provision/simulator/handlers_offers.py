"""Requests about what Compute offers in a region: usages, sizes, images."""

from __future__ import annotations

import re

from provision.simulator import errors, quota, restrictions
from provision.simulator.calls import Call
from provision.simulator.facts import location_name, regions
from provision.simulator.messages import Reply

_LOCATION_FILTER = re.compile(r"location\s+eq\s+'([^']*)'", re.IGNORECASE)


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
