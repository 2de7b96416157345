"""Decides what of an existing fleet an environment takes over, and what stands in the way.

To adopt is to put our mark on what exists, and nothing else: no request of it touches a node, a network or a template.
What follows is worked out by the planner itself, of Azure as it will be with our marks: so the next plan shows what was
foretold, and a change in it that would cost running nodes, or that Azure refuses, stands in the way of adopting.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from provision.arm import (
    GROUPS,
    PEERINGS,
    SCALE_SETS,
    STACKS,
    SUBNETS,
    VIRTUAL_NETWORKS,
    ResourceId,
    group_id,
    resource_id,
)
from provision.environment.model import Limits
from provision.plan.build import plan_of
from provision.plan.context import Context, capacity
from provision.plan.fixed import remedy_of
from provision.plan.model import Action, Change, Edit, Operation, Plan
from provision.plan.observed import Body, Observed, mark_of
from provision.plan.stated import Stated, stated_in
from provision.render import Unit
from provision.source import Path
from provision.topology import Topology
from provision.topology.names import ADOPTED, MARK

#: What the next apply must not do to what was just adopted.
BLOCKING = frozenset((Action.DEALLOCATE, Action.SCALE_IN, Action.DELETE, Action.REPLACE, Action.REFUSED))

_CHILDREN = (SUBNETS.lower(), PEERINGS.lower())
#: Parts of a scale set's model that are told apart by names: another name is another part, and not a change of it.
_NAMED_PARTS = ("networkInterfaceConfigurations[", "ipConfigurations[")


@dataclass(frozen=True, slots=True)
class Block:
    """Why a resource is not adopted, and what to do about it; `path`, `before`, `after` where it is a property."""

    reason: str
    fix: str
    path: str = ""
    before: Any = None
    after: Any = None


@dataclass(frozen=True, slots=True)
class Found:
    """Something that exists, that the environment states, and that does not carry our mark.

    `mark` is the value that it will carry. `gpus` is None where the size is not known.
    """

    id: ResourceId
    mark: str
    unit: str = ""
    region: str = ""
    pool: str | None = None
    nodes: int = 0
    gpus: int | None = 0
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Adoption:
    """What adopting comes to. `plan` puts the marks on, `after` is the plan that the next `provision plan` shows then.

    `missing`: what the file names and there is not. `unnamed`: networks and scale sets in the environment's groups that
    are nobody's and that it does not state. `given`: groups that are used as they are, without a mark.
    """

    plan: Plan
    after: Plan
    found: tuple[Found, ...]
    missing: tuple[ResourceId, ...]
    unnamed: tuple[ResourceId, ...]
    given: tuple[ResourceId, ...]

    @property
    def blocked(self) -> tuple[Found, ...]:
        """Return what can't be adopted; as long as there is any, nothing is."""
        return tuple(each for each in self.found if each.blocks)


def adoption_of(
    context: Context, topology: Topology, units: tuple[Unit, ...], limits: Limits, stated: Container[Path]
) -> Adoption:
    """Return what adopting comes to; `stated` are the paths at which the environment file states something."""
    places = [*_groups(context, topology), *_resources(context, units)]
    home = _home(context, topology) if any(not each.blocks for each in places) else None
    marked = _marked(context.observed, places, home)
    after = plan_of(replace(context, observed=marked), topology, units, limits)
    resources = {each.id.key: each for unit in units for each in stated_in(unit, context.subscription)}
    found = tuple(
        replace(each, blocks=(*each.blocks, *_blocks(context, topology, each, resources.get(each.id.key), after)))
        for each in places
    )
    return Adoption(
        plan=_plan(context, after, found, home),
        after=after,
        found=found,
        missing=tuple(_missing(context, topology, stated)),
        unnamed=tuple(_unnamed(context, topology)),
        given=tuple(group_id(context.subscription, each.group) for each in topology.regions if each.group_is_given),
    )


def _groups(context: Context, topology: Topology) -> Iterator[Found]:
    """Yield the groups of the environment's own that exist without its mark: others are given, and stay as they are."""
    own = [
        (topology.home_group, ""),
        *((each.group, each.name) for each in topology.regions if not each.group_is_given),
    ]
    for name, region in own:
        id = group_id(context.subscription, name)
        there = context.observed.groups.get(id.key)
        if there is not None and mark_of(there) != context.environment:
            blocks = (*_of_another(there), *_of_a_service(there))
            yield Found(id, context.environment, region=region, blocks=blocks)


def _resources(context: Context, units: tuple[Unit, ...]) -> Iterator[Found]:
    """Yield what is stated and exists without our mark. What takes no tags comes with what it stands in."""
    coming: set[str] = set()
    for unit in units:
        record = context.observed.recorded.get(_stack_of(context, unit).key)
        for each in stated_in(unit, context.subscription):
            there = context.found(each.id)
            if there is None or context.is_ours(each.id, unit.name, record, each.body):
                continue
            if each.id.type.lower() in _CHILDREN or ("tags" not in each.body and each.id.parent.key in coming):
                continue
            coming.add(each.id.key)
            size = context.catalog.sizes.get(str((there.get("sku") or {}).get("name", "")))
            nodes = capacity(there)
            gpus = 0 if not nodes else None if size is None or size.gpus is None else size.gpus * nodes
            blocks = (
                *_of_another(there),
                *_of_a_service(context.observed.groups.get(each.id.group_id.key, {})),
                *_of_another_stack(context, each.id),
                *_without_tags(context, each),
            )
            yield Found(each.id, context.mark(unit.name), unit.name, unit.region, unit.pool, nodes, gpus, tuple(blocks))


def _of_another(there: Body) -> Iterator[Block]:
    if (mark := mark_of(there)) is not None:
        yield Block(
            f"it carries the mark {mark}: another environment, or another unit of this one, has it",
            f"have its owner give it up, or take the tag {MARK} off if nobody has it any more",
        )


def _of_a_service(group: Body) -> Iterator[Block]:
    if owner := group.get("managedBy"):
        yield Block(f"its group is managed by {owner}, which makes and deletes what is in it", "leave it to its owner")


def _of_another_stack(context: Context, id: ResourceId) -> Iterator[Block]:
    """Yield the deployment stacks of others that manage a resource: they deploy it, delete it, or deny us writes."""
    for key, body in sorted(context.observed.stacks.items()):
        managed = {str(each.get("id", "")).lower() for each in body.get("properties", {}).get("resources") or ()}
        if key in context.observed.recorded or id.key not in managed:
            continue
        stack = ResourceId(body["id"])
        yield Block(
            f"the deployment stack {stack.name} manages it",
            f"have its owner give it up: az stack group delete --name {stack.name} --resource-group {stack.group} "
            "--action-on-unmanage detachAll",
        )


def _without_tags(context: Context, stated: Stated) -> Iterator[Block]:
    if "tags" not in stated.body:
        yield Block("its template states no tags, so it can't carry our mark", "state `tags: {{ unit.tags }}` in it")
    elif len((context.found(stated.id) or {}).get("tags") or ()) >= context.catalog.limits["resource_tags"]:
        yield Block("it has as many tags as Azure allows, and needs one more", "take one of its tags off")


def _blocks(context: Context, topology: Topology, found: Found, stated: Stated | None, after: Plan) -> Iterator[Block]:
    """Yield what the next plan would do to a resource, or to a child of it, that must not be done to it."""
    for change in after.changes:
        if change.id.key == found.id.key or (_is_child(change.id) and change.id.parent.key == found.id.key):
            yield from _blocks_of(context, topology, found, change)
    there = context.found(found.id) or {}
    zones = there.get("zones")
    if stated is not None and found.id.type == SCALE_SETS and zones and not stated.body.get("zones"):
        edit = Edit("zones", zones, None, Action.REPLACE, "new nodes go where the others are", "", "")
        yield _block(context, topology, found, edit)


def _blocks_of(context: Context, topology: Topology, found: Found, change: Change) -> Iterator[Block]:
    edits = [edit for edit in change.edits if edit.action in BLOCKING or _renames(edit)]
    yield from (_block(context, topology, found, edit) for edit in edits)
    if change.action in BLOCKING and not edits and not found.blocks:
        yield Block(change.reason or f"the next apply would {change.action.label} it", "see the plan that follows")


def _renames(edit: Edit) -> bool:
    """Return whether an edit adds or takes away a part of a model that only has another name."""
    tail = edit.path.rpartition(".")[2]
    return tail.startswith(_NAMED_PARTS) and None in (edit.before, edit.after)


def _block(context: Context, topology: Topology, found: Found, edit: Edit) -> Block:
    there = context.found(found.id) or {}
    fix = remedy_of(found.id.type, edit.path, there, found.region, found.pool, found.unit)
    return Block(edit.reason, fix, edit.path, edit.before, edit.after)


def _is_child(id: ResourceId) -> bool:
    return id.type.lower() in _CHILDREN


def _missing(context: Context, topology: Topology, stated: Container[Path]) -> Iterator[ResourceId]:
    for region in topology.regions:
        for each in region.named():
            id = resource_id(context.subscription, region.group, each.type, *each.names)
            if each.at in stated and context.found(id) is None:
                yield id


def _unnamed(context: Context, topology: Topology) -> Iterator[ResourceId]:
    named = topology.keys()
    groups = {group_id(context.subscription, region.group).key for region in topology.regions}
    for key, body in sorted(context.observed.resources.items()):
        id = ResourceId(body["id"])
        nobodys = key not in named and mark_of(body) is None and id.group_id.key in groups
        if nobodys and id.type.lower() in (SCALE_SETS.lower(), VIRTUAL_NETWORKS.lower()):
            yield id


def _home(context: Context, topology: Topology) -> Operation | None:
    """Return what makes the home group, where the lock lies; None where there is one."""
    id = group_id(context.subscription, topology.home_group)
    if id.key in context.observed.groups:
        return None
    body = {"location": topology.home_location, "tags": {**topology.tags, MARK: context.environment}}
    return Operation(f"group {id.name}", "put-group", id, "", "", (), body)


def _marked(observed: Observed, places: list[Found], home: Operation | None) -> Observed:
    """Return Azure as it will be once all that may carry our mark does, and the lock has its group."""
    marks = {each.id.key: each for each in places if not each.blocks}

    def with_marks(bodies: Mapping[str, Body]) -> dict[str, Body]:
        return {
            key: {**body, "tags": {**(body.get("tags") or {}), **_tags(marks[key])}} if key in marks else body
            for key, body in bodies.items()
        }

    groups = with_marks(observed.groups)
    if home is not None:
        groups[home.target.key] = {"id": str(home.target), **(home.body or {})}
    return replace(observed, groups=groups, resources=with_marks(observed.resources))


def _tags(found: Found) -> dict[str, str]:
    # A group that was there before us is never deleted, so it says of itself that it was.
    return {MARK: found.mark, **({ADOPTED: found.mark} if found.id.type == GROUPS else {})}


def _plan(context: Context, after: Plan, found: tuple[Found, ...], home: Operation | None) -> Plan:
    """Return the plan that puts the marks on."""
    marks = tuple(
        Operation(
            id=f"mark {each.id.key}",
            kind="mark",
            target=each.id,
            unit=each.unit,
            region=each.region,
            after=(),
            sends={"operation": "Merge", "properties": {"tags": _tags(each)}},
            mark=each.mark,
            api_version=context.observed.versions.get(each.id.key, ""),
        )
        for each in found
        if not each.blocks
    )
    return replace(
        after,
        changes=(),
        operations=(*([home] if home else []), *marks),
        kept=(),
        drift=(),
        domains=(),
        consents=(),
        breaches=(),
        read=context.observed.digests(also={each.id.key for each in found}),
    )


def _stack_of(context: Context, unit: Unit) -> ResourceId:
    return resource_id(context.subscription, unit.group, STACKS, unit.stack)
