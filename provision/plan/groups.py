"""Decides what happens to the resource groups: the home group, which holds the lock, and one a region."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from provision.arm import GROUPS, group_id
from provision.plan.carry import carried_body
from provision.plan.context import Context, worst
from provision.plan.diff import edits_of
from provision.plan.drift import drifted_from
from provision.plan.ignored import ignored_for, keep, owner_of, parted
from provision.plan.model import Action, Change, Drifted, Kept, Operation
from provision.plan.observed import is_adopted, mark_of
from provision.topology import Topology
from provision.topology.names import ADOPTED, MARK


def group_changes(
    context: Context, topology: Topology
) -> tuple[list[Change], list[Operation], list[Kept], list[Drifted]]:
    """Return what happens to the stated groups: the home group first, then one a region."""
    places = [(topology.home_group, topology.home_location, "")]
    places += [(region.group, region.name, region.name) for region in topology.regions if not region.group_is_given]
    changes: list[Change] = []
    operations: list[Operation] = []
    kept: list[Kept] = []
    drift: list[Drifted] = []
    for given in topology.regions:
        id = group_id(context.subscription, given.group)
        if given.group_is_given and id.key not in context.observed.groups:
            reason = "does not exist, and a group that is given is not made; make it, or state another"
            origin = ("regions", given.name, "resource_group")
            changes.append(context.change(id, Action.REFUSED, reason, origin, region=given.name))
    for name, location, region in places:
        change, body, paths, drifted = _group(context, topology, name, location, region)
        drift += drifted
        id = group_id(context.subscription, name)
        kept += [Kept(id, path, "not ours") for path in paths]
        if change is not None:
            changes.append(change)
            operations.append(Operation(f"group {name}", "put-group", id, "", region, (), body, origin=change.origin))
    return changes, operations, kept, drift


def _group(
    context: Context, topology: Topology, name: str, location: str, region: str
) -> tuple[Change | None, dict[str, Any], tuple[str, ...], tuple[Drifted, ...]]:
    id = group_id(context.subscription, name)
    there = context.observed.groups.get(id.key)
    body: dict[str, Any] = {"location": location, "tags": {**topology.tags, MARK: context.environment}}
    if there is None:
        reason = "does not exist" if region else "does not exist; it holds the environment's lock"
        return (
            context.change(id, Action.CREATE, reason, ("regions", *([region] if region else [])), region=region),
            body,
            (),
            (),
        )
    if mark_of(there) != context.environment:
        reason = (
            f"exists, but is not ours: it lacks the tag {MARK}: {context.environment}; provision adopt takes it over"
        )
        return context.change(id, Action.REFUSED, reason, ("name",), region=region), body, (), ()
    if not region:
        body["location"] = there.get("location")  # the home group stays where it was first made
    if is_adopted(there):
        body["tags"][ADOPTED] = context.environment
    rows = context.policies.of(GROUPS)
    recorded = next((record.tags for _, record in context.observed.records(context.environment)), {})
    before = {"tags": dict(recorded)}
    ignored = ignored_for(context.ignored, key="", region=region, unit="", pool=None)
    found = edits_of(body, there, before, rows, context.locator(id, None, region))
    edits, left = parted(found, ignored)
    body, kept = carried_body(body, there, before, edits, rows)
    keep(body, left, rows)
    who = partial(owner_of, ignored=ignored)
    restated = before["tags"] != topology.tags
    drift = tuple(drifted_from(id, before, there, edits, left, who, rows, restated=restated))
    if not edits:
        return None, body, kept, drift
    change = context.change(id, worst(edits), "", ("tags",), region=region, edits=edits)
    if change.action is Action.REPLACE:
        change = replace(change, action=Action.REFUSED, reason="a group cannot change its region")
    return change, body, kept, drift
