"""The tags of a scope as a resource of their own, `Microsoft.Resources/tags/default`."""

from __future__ import annotations

from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.bodies.shapes import Needed
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.world import Group, Resource, SubscriptionTags, World
from provision.simulator.tables.arm import TAGS_PATCH
from provision.simulator.wire.messages import Json

TYPE = "Microsoft.Resources/tags"


def read(world: World, scope: str) -> dict[str, str]:
    found = _holder(world, scope)
    if found is None:
        own = world.subscription_tags.get(scope.lower())
        return dict(own.tags) if own is not None else {}
    if isinstance(found, Group):
        return dict(found.tags)
    return dict(found.body.get("tags") or {})


def replace(world: World, scope: str, body: Any, text: str = "") -> None:
    """Put the tags of a scope in the place of those that it has."""
    _write(world, scope, bodies.read(TYPE, body, text)["properties"].get("tags", {}))


def patch(world: World, scope: str, body: Any, text: str = "") -> None:
    """Merge, replace or delete tags; deleting takes away those whose name and value are both given."""
    asked = bodies.fit(Needed(TAGS_PATCH), body, text)
    given, operation = asked["properties"].get("tags", {}), asked["operation"]
    if operation == "Replace":
        return _write(world, scope, given)
    names = {name.lower(): value for name, value in given.items()}
    kept = {
        name: value
        for name, value in read(world, scope).items()
        if name.lower() not in names or (operation == "Delete" and names[name.lower()] != value)
    }
    return _write(world, scope, {**kept, **given} if operation == "Merge" else kept)


def clear(world: World, scope: str) -> None:
    _write(world, scope, {})


def render(world: World, scope: str) -> Json:
    return {
        "id": f"{scope}/providers/{TYPE}/default",
        "name": "default",
        "type": TYPE,
        "properties": {"tags": read(world, scope)},
    }


def _write(world: World, scope: str, tags: dict[str, str]) -> None:
    bodies.check_tags(tags)
    found = _holder(world, scope)
    if found is None:
        world.subscription_tags.put(scope.lower(), SubscriptionTags(scope, tags))
    elif isinstance(found, Group):
        found.tags = tags
        world.groups.put(found.key, found)
    else:
        if found.rid.parent is not None:
            text = f"The resource type '{found.type}' does not support tags."
            raise Refusal(400, "TagsNotSupported", text)
        found.body["tags"] = tags
        world.resources.put(found.key, found)


def _holder(world: World, scope: str) -> Group | Resource | None:
    """Return what the tags are of; None for a subscription."""
    return world.groups.get(scope.lower()) or world.resources.get(scope.lower())
