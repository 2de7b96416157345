"""What stands in a path in front of something that is laid onto it: a subscription, a group, a resource."""

from __future__ import annotations

from provision.simulator.handlers.calls import Call
from provision.simulator.refusals.errors import no_resource
from provision.simulator.resources import groups
from provision.simulator.state.ids import group_key, parse


def scope_of(call: Call) -> str:
    """Return the id of what is extended; refuse where it does not exist."""
    segments = list(call.request.segments)
    lowered = [segment.lower() for segment in segments]
    end = len(lowered) - 1 - lowered[::-1].index("providers")
    text = "/" + "/".join(segments[:end])
    if "group" not in call.params:
        return text
    groups.find(call.world, call.subscription, call.params["group"])
    rid = parse(text)
    if rid is None:
        return call.world.groups[group_key(call.subscription, call.params["group"])].id
    row = call.world.resources.get(rid.key)
    if row is None:
        raise no_resource(rid.type, rid.name, rid.group)
    return row.id
