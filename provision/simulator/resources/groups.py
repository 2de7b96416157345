"""Resource groups: made at once, deleted as a job that takes everything in them along."""

from __future__ import annotations

import re
from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.refusals import errors
from provision.simulator.state import operations
from provision.simulator.state.durations import DELETE_S, GROUP_DELETE_S, LUSTRE_DELETE_S, SCALE_SET_DELETE_S
from provision.simulator.state.ids import group_key
from provision.simulator.state.operations import GROUP, Origin
from provision.simulator.state.world import Group, Operation, Resource, ScaleSet, World
from provision.simulator.storage import lustre
from provision.simulator.wire.messages import Json

TYPE = "Microsoft.Resources/resourceGroups"
_NAME = re.compile(r"[\w\-.()]{1,90}")


def put(world: World, at: float, subscription: str, name: str, body: Any, text: str = "") -> tuple[int, Group]:
    given = bodies.read(TYPE, body, text)
    location = bodies.location_of(given, "resourceGroups")
    key = group_key(subscription, name)
    before = world.groups.get(key)
    if before is None:
        if not _NAME.fullmatch(name) or name.endswith("."):
            message = f"The provided resource group name '{name}' has these invalid characters or ends in a period."
            raise errors.Refusal(400, "InvalidResourceGroup", message)
        resource_id = f"/subscriptions/{subscription}/resourceGroups/{name}"
        tags = given.get("tags", {})
        group = Group(resource_id, name, subscription, location, tags, given.get("managedBy"), at)
        world.groups.put(key, group)
        return 201, group
    if before.state == "Deleting":
        raise errors.group_going(before.name)
    if before.location != location:
        raise errors.group_elsewhere(before.name, before.location, location)
    before.tags = given.get("tags", {})
    world.groups.put(key, before)
    return 200, before


def patch(world: World, group: Group, body: Any, text: str = "") -> Group:
    given = bodies.read(TYPE, body, text, How(partial=True, nulls=True))
    if group.state == "Deleting":
        raise errors.group_going(group.name)
    if "tags" in given:
        group.tags = bodies.without_nulls(given["tags"] or {})
    world.groups.put(group.key, group)
    return group


def find(world: World, subscription: str, name: str) -> Group:
    group = world.groups.get(group_key(subscription, name))
    if group is None:
        raise errors.no_group(name)
    return group


def delete(world: World, at: float, group: Group, origin: Origin) -> Operation:
    name = operations.group_job(group.name, group.location)
    running = operations.running(world, name)
    if running is not None:
        return running
    operation = operations.start(
        world,
        at,
        group,
        kind="group-delete",
        dialect=GROUP,
        seconds=GROUP_DELETE_S + max((_deletion_s(row) for row in world.resources.members(group.key)), default=0.0),
        origin=Origin(name, origin.waiter),
        method="DELETE",
    )
    group.state = "Deleting"
    world.groups.put(group.key, group)
    return operation


def _deletion_s(row: Resource) -> float:
    if isinstance(row, ScaleSet):
        return SCALE_SET_DELETE_S
    return LUSTRE_DELETE_S if row.type.lower() == lustre.TYPE else DELETE_S.get(row.type.lower(), 0.0)


def render(group: Group) -> Json:
    managed = {"managedBy": group.managed_by} if group.managed_by else {}
    return {
        "id": group.id,
        "name": group.name,
        "type": TYPE,
        "location": group.location,
        **managed,
        "tags": group.tags,
        "properties": {"provisioningState": group.state},
    }
