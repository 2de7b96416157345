"""What-if: what a template would change, as Resource Manager foresees it, noise included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from provision.simulator.deployments import any_resource, deployment_plans, nested, template, what_if_diff
from provision.simulator.deployments.step_types import described
from provision.simulator.deployments.template_scope import Place
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state import operations
from provision.simulator.state.durations import WHAT_IF_S
from provision.simulator.state.operations import GROUP, Origin
from provision.simulator.state.world import Operation, World
from provision.simulator.wire.messages import Json

FULL, IDS = "FullResourcePayloads", "ResourceIdOnly"


def start(
    world: World, at: float, place: Place, name: str, properties: Json, wanted: str, correlation: str, request_id: str
) -> Operation:
    """Start the job of a what-if. A template that is refused makes the job fail, not the request."""
    try:
        changes = list(_changes(world, at, place, name, properties, ids_only=wanted.lower() == IDS.lower()))
        body: Json = {"status": "Succeeded", "properties": {"correlationId": correlation, "changes": changes}}
    except Refusal as refusal:
        body = {"status": "Failed", "error": refusal.error}
    return operations.start(
        world,
        at,
        operations.Target(
            f"{place.id}/providers/Microsoft.Resources/deployments/{name}", place.subscription, place.location
        ),
        kind="what-if",
        dialect=GROUP,
        seconds=WHAT_IF_S,
        origin=Origin(operations.what_if_job(place.group, name, request_id, place.location)),
        method="POST",
        action="/whatIf",
        detail={"status": 200, "body": body},
    )


def _changes(world: World, at: float, place: Place, name: str, properties: Json, *, ids_only: bool) -> Iterator[Json]:
    body = template.checked(properties.get("template"))
    made = deployment_plans.planned(world, body, properties.get("parameters"), place, name, None, lenient=True)
    stated = list(nested.leaves(made.laid.steps))
    for step in stated:
        yield _change(world, at, step, ids_only=ids_only)
    for each in made.unsupported:
        text = each.get("id", place.id)
        yield {"resourceId": text, "changeType": "Unsupported", "unsupportedReason": f"{each['name']}: {each['why']}"}
    complete = str(properties.get("mode", "Incremental")) == "Complete"
    yield from _others(world, at, place, stated, complete=complete, ids_only=ids_only)


def _change(world: World, at: float, step: Json, *, ids_only: bool) -> Json:
    exists = any_resource.exists(world, step["id"])
    if ids_only:
        return {"resourceId": step["id"], "changeType": "Deploy" if exists else "Create"}
    after = _stated(step)
    if not exists:
        return {"resourceId": step["id"], "changeType": "Create", "after": what_if_diff.ordered(after)}
    before = _observed(any_resource.shown(world, at, step["id"]), step["api_version"])
    delta, merged = what_if_diff.compared(step["type"], before, after)
    changes = any(each["propertyChangeType"] != "NoEffect" for each in delta)
    return {
        "resourceId": step["id"],
        "changeType": "Modify" if changes else "NoChange",
        "before": what_if_diff.ordered(before),
        "after": what_if_diff.ordered(merged),
        "delta": delta,
    }


def _stated(step: Json) -> Json:
    type_, name = described(step["id"])
    return {
        "apiVersion": step["api_version"],
        "id": step["id"],
        "name": name.rpartition("/")[2],
        "type": type_,
        **step["body"],
    }


def _observed(shown: Json, version: str) -> Json:
    """Return a resource as a what-if knows it: without what no template could state."""
    kept: Json = {"apiVersion": version, **what_if_diff.without_read_only(shown)}
    return {key: value for key, value in kept.items() if value not in ({}, [], None)}


def _others(
    world: World, at: float, place: Place, stated: list[Json], *, complete: bool, ids_only: bool
) -> Iterator[Json]:
    """Yield what its groups hold beside the template: it is left alone, or, in Complete mode, deleted."""
    groups = {place.id.lower()} if place.group else set()
    groups |= {"/".join(step["id"].lower().split("/")[:5]) for step in stated if "/providers/" in step["id"]}
    known = {step["id"].lower() for step in stated}
    for group in sorted(groups):
        for row in world.resources.members(group):
            if row.key in known or row.rid.parent is not None:
                continue
            deleted = complete and group == place.id.lower()
            change: Json = {"resourceId": row.id, "changeType": "Delete" if deleted else "Ignore"}
            if not ids_only and deleted:
                shown = any_resource.shown(world, at, row.id)
                change["before"] = what_if_diff.ordered(what_if_diff.without_read_only(shown))
            elif not ids_only:
                short: Any = {"id": row.id, "location": row.location, "name": row.rid.name, "type": row.type}
                change |= {"before": short, "after": short}
            yield change
