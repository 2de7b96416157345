"""What a fault is matched against: the request or the operation that is just met, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass

from provision.simulator.state.facts import location_name
from provision.simulator.state.ids import cased
from provision.simulator.state.world import Resource, World
from provision.simulator.wire import relaxed
from provision.simulator.wire.messages import Request

ABSENT = "absent"
_GROUPS = "Microsoft.Resources/resourceGroups"


@dataclass(frozen=True, slots=True)
class Occasion:
    method: str
    url: str
    resource: str = ""
    """The id of the resource, group or subscription that it is about; of a list, of what holds the list."""
    type: str = ""
    region: str = ""
    state: str = ""
    """Of the resource, or, for a poll, of its operation."""
    lists: bool = False
    """Whether it lists what is of `type` in `resource`."""


def of_request(world: World, request: Request) -> Occasion:
    """Return what a client's request is about: the resource of its path, or the target of the operation it polls."""
    method, url, segments = request.method, request.url, request.segments
    operation = world.operations.get(segments[-1]) if segments else None
    if operation is not None:
        kind = _type_of(operation.target)
        return Occasion(method, url, operation.target, kind, operation.location, operation.status)
    words = [segment.lower() for segment in segments]
    if "providers" not in words:
        if words[2:] == ["resourcegroups"]:
            return Occasion(method, url, _path(segments[:2]), _GROUPS, lists=True)
        inside = words[2:3] == ["resourcegroups"]
        return of_resource(world, method, _path(segments[: 4 if inside else 2]), url, _stated_region(request))
    # The last one: what extends a resource, as a lock does, stands behind a second `providers`.
    at = len(words) - 1 - words[::-1].index("providers")
    tail = len(segments) - at - 2
    if words[at + 2 : at + 3] == ["locations"] and tail > 1:
        return Occasion(method, url, _path(segments[:at]), cased(segments[at + 1]), words[at + 3])
    if tail % 2 == 0 or tail < 0:
        return of_resource(world, method, _path(segments), url, _stated_region(request))
    above = of_resource(world, method, _path(segments[: at if tail == 1 else -1]), url)
    if method == "POST":  # an action
        return above
    return Occasion(method, url, above.resource, _type_of(_path(segments)), above.region, above.state, lists=True)


def of_resource(world: World, method: str, resource: str, url: str, region: str = "") -> Occasion:
    """Return what a request or operation on one resource is about. `region`: where it is to be, if it is new."""
    key, kind = resource.lower(), _type_of(resource)
    row = _nearest(world, key)
    if row is not None:
        # An instance has no record of its own.
        known = row.key == key or "/virtualmachines/" in key.removeprefix(row.key)
        return Occasion(method, url, resource, kind, row.location, row.state if known else ABSENT)
    group = world.groups.get("/".join(key.split("/")[:5]))
    if group is not None:
        region = region or group.location
    found = group if group is not None and group.key == key else world.stacks.get(key) or world.deployments.get(key)
    return Occasion(method, url, resource, kind, region, found.state if found is not None else ABSENT)


def _nearest(world: World, key: str) -> Resource | None:
    """Return the resource of an id, or else the nearest one above it."""
    while key.count("/") > 7:
        row = world.resources.get(key)
        if row is not None:
            return row
        key = key.rsplit("/", 2)[0]
    return None


def _type_of(path: str) -> str:
    """Return the type of a resource, or of what a list holds; a group's without a provider in the path."""
    parts = path.strip("/").split("/")
    words = [part.lower() for part in parts]
    if "providers" not in words:
        return _GROUPS if len(parts) == 4 else ""
    at = len(words) - words[::-1].index("providers")
    return "/".join(cased(part) for part in (*parts[at : at + 1], *parts[at + 1 :: 2]))


def _path(segments: tuple[str, ...]) -> str:
    return "/" + "/".join(segments)


def _stated_region(request: Request) -> str:
    """Return the region that a body states."""
    try:
        body = relaxed.loads(request.body) if request.body else None
    except ValueError:
        return ""
    stated = body.get("location") if isinstance(body, dict) else None
    return location_name(stated) if isinstance(stated, str) else ""
