"""Decides what happens to the resources of one stated unit, and the body that its stack is sent with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from provision.arm import (
    BASTIONS,
    FILE_SYSTEMS,
    NAT_GATEWAYS,
    PEERINGS,
    PUBLIC_ADDRESSES,
    SCALE_SETS,
    SECURITY_GROUPS,
    STACKS,
    SUBNETS,
    VIRTUAL_NETWORKS,
    ResourceId,
    resource_id,
)
from provision.catalog.changes import TypePolicies, policies_of_own
from provision.plan.carry import carried_body
from provision.plan.context import Context, capacity, worst
from provision.plan.deletions import foreign_subnets
from provision.plan.diff import edits_of
from provision.plan.drift import drifted_from, lost
from provision.plan.ignored import ignored_for, keep, owner_of, parted
from provision.plan.instances import victims
from provision.plan.model import Action, Change, Drifted, Edit, Kept
from provision.plan.observed import Body
from provision.plan.record import PARAMETER, Record, digest_of, parameter_of
from provision.plan.stated import Stated, recordable, stated_in
from provision.render import Unit
from provision.render.arm_json import escaped
from provision.topology.names import BASTION_SUBNET, LUSTRE_SUBNET, MARK, NETWORK, NODES_SUBNET

#: Replacing one of these would cut others off, and no edit of an environment asks for it.
_NOT_REPLACED = frozenset(t.lower() for t in (SECURITY_GROUPS, NAT_GATEWAYS, PUBLIC_ADDRESSES))


@dataclass(slots=True)
class Work:
    """A unit while its plan is made: what it states, what was recorded, and what has come out so far.

    `carrying`: what each resource that exists is sent with, in plain values, by its id in lower case.
    `leaving`: resources that the unit made, that still exist, and that it no longer states.
    """

    unit: Unit
    stack: ResourceId
    body: Body | None
    record: Record | None
    stated: tuple[Stated, ...]
    changes: list[Change] = field(default_factory=list)
    carrying: dict[str, dict[str, Any]] = field(default_factory=dict)
    kept: list[Kept] = field(default_factory=list)
    drift: list[Drifted] = field(default_factory=list)
    leaving: tuple[ResourceId, ...] = ()

    @property
    def replaced(self) -> list[ResourceId]:
        """Return the resources that are deleted and made again."""
        return [change.id for change in self.changes if change.action is Action.REPLACE]

    def in_order_of_making(self, ids: Iterable[ResourceId]) -> list[ResourceId]:
        """Return ids in the order in which they were made, as far as it is recorded; then in the order given."""
        ranks = {key: rank for rank, key in enumerate(self.record.ids() if self.record else ())}
        return sorted(ids, key=lambda id: ranks.get(id.key, len(ranks)))

    @property
    def written(self) -> bool:
        """Return whether the unit's stack is sent."""
        return bool(self.changes)


def work_on(context: Context, unit: Unit) -> Work:
    """Return a unit with its changes."""
    stack = resource_id(context.subscription, unit.group, STACKS, unit.stack)
    body = context.observed.stacks.get(stack.key)
    record = context.observed.recorded.get(stack.key)
    work = Work(unit, stack, body, record, stated_in(unit, context.subscription))
    for resource in work.stated:
        _diff(context, work, resource)
    known = {resource.id.key for resource in work.stated}
    work.leaving = tuple(
        id
        for key, id in (record.ids() if record else {}).items()
        if key not in known and context.found(id) and context.is_ours(id, unit.name, record)
    )
    work.changes += [_of(context, work, id, Action.DELETE, "no longer stated") for id in work.leaving]
    if not work.changes and (reason := _why_to_record(context, work)):
        work.changes.append(_of(context, work, stack, Action.RECORD, reason))
    return work


def spread_replacements(context: Context, works: list[Work]) -> None:
    """Make what stands in a network or subnet that is replaced a replacement too: its interfaces hold it.

    So is what a unit of one's own has in a resource that is replaced, or by name in such a network.
    """
    regions: dict[str, list[Work]] = {}
    for work in works:
        regions.setdefault(work.unit.region, []).append(work)
    for network in works:
        if network.unit.name != NETWORK:
            continue
        whole = [id for id in network.replaced if id.type == VIRTUAL_NETWORKS]
        for id in whole:
            if others := foreign_subnets(context.observed, id, network.record):
                _refuse(network, id, f"Azure would have to replace it, and {others[0].name} in it is not ours")
        if whole:
            _replace_too(context, network, SUBNETS, "its virtual network is replaced")
        subnets = {context.key_of(id) for id in network.replaced if id.type == SUBNETS}
        if not subnets.isdisjoint(("bastion", BASTION_SUBNET)):
            _replace_too(context, network, BASTIONS, "its subnet is replaced")
        for work in regions[network.unit.region]:
            if NODES_SUBNET in subnets:
                _replace_too(context, work, SCALE_SETS, "its subnet is replaced")
            if LUSTRE_SUBNET in subnets:
                _replace_too(context, work, FILE_SYSTEMS, "its subnet is replaced, and its data is lost")
    is_tied = _ties(context, _moved(works))
    for work in works:
        for half in filter(is_tied, (resource.id for resource in work.stated)):
            _replace_too(context, work, PEERINGS, "a virtual network at one of its ends is replaced", only=half)
        if work.unit.own is not None:
            _spread_own(context, work, [id for other in works for id in other.replaced if other is not work])


def going_first(context: Context, works: list[Work]) -> frozenset[str]:
    """Return what units give up that has to go before a network is replaced: it stands in it, or is tied to it.

    What a unit of one's own gives up goes before all that it replaces: nobody knows what holds what.
    """
    moved = _moved(works)
    found = {id.key for work in works if work.unit.own is not None and work.replaced for id in work.leaving}
    regions = {work.unit.region for work in works if not moved.isdisjoint(id.key for id in work.replaced)}
    is_tied = _ties(context, moved)
    for work in works:
        for id in work.leaving:
            inside = id.type in (BASTIONS, FILE_SYSTEMS) and work.unit.region in regions
            if inside or is_tied(id) or (id.type == SUBNETS and id.parent.key in moved):
                found.add(id.key)
    return frozenset(found)


def _moved(works: list[Work]) -> frozenset[str]:
    return frozenset(id.key for work in works for id in work.replaced if id.type == VIRTUAL_NETWORKS)


def _ties(context: Context, networks: frozenset[str]) -> Callable[[ResourceId], bool]:
    """Return what tells whether an id is a half of a peering at one of whose ends stands one of the networks."""
    remotes = context.observed.remotes() if networks else {}

    def ties(id: ResourceId) -> bool:
        if not networks or id.type != PEERINGS:
            return False
        far = remotes.get(id.key)
        return id.parent.key in networks or (far is not None and far.key in networks)

    return ties


def stack_body(context: Context, work: Work) -> dict[str, Any]:
    """Return the body of a unit's stack, as it is sent; its run is a digest of what it sends, to be traced by."""
    resources = [
        escaped(work.carrying[each.id.key], fractions=True) if each.id.key in work.carrying else each.rendered
        for each in work.stated
    ]
    template = {**work.unit.template, "resources": resources}
    record = _record(context, work, run=digest_of(template).removeprefix("sha256:")[:12])
    return {
        "properties": {
            "actionOnUnmanage": {"resources": "detach", "resourceGroups": "detach", "managementGroups": "detach"},
            "denySettings": {"mode": "none"},
            "parameters": {PARAMETER: {"value": parameter_of(record)}},
            "template": template,
        },
        "tags": {**((work.body or {}).get("tags") or {}), MARK: context.mark(work.unit.name)},
    }


def _diff(context: Context, work: Work, resource: Stated) -> None:
    """Add a stated resource's change to the work and, if it exists, the body that it is sent with."""
    there = context.found(resource.id)
    recorded = work.record.body(resource.id) if work.record else None
    applied = work.record is not None and work.record.applied
    if there is None:
        gone = applied and recorded is not None
        why = "was there after the last apply, and is gone" if gone else "does not exist"
        work.changes.append(_of(context, work, resource.id, Action.CREATE, why))
        work.drift += [lost(resource.id)] if gone else []
        return
    if not context.is_ours(resource.id, work.unit.name, work.record, resource.body):
        reason = context.not_ours(resource.id, work.unit.name, work.record)
        work.changes.append(_of(context, work, resource.id, Action.REFUSED, reason))
        return
    own = work.unit.own
    rows = context.policies.of(resource.id.type)
    rows = rows if own is None else policies_of_own(own.in_place, rows)
    locate = context.locator(resource.id, work.unit.pool, work.unit.region, own.origin if own else None)
    edits = edits_of(resource.body, there, recorded, rows, locate, rolls=_rolls(resource), applied=applied)
    ignored = ignored_for(
        context.ignored,
        key=context.key_of(resource.id),
        region=work.unit.region,
        unit=work.unit.name,
        pool=work.unit.pool,
    )
    edits, left = parted(edits, ignored)
    edits += _torn(resource, there, rows, locate)
    # What is deleted and made anew keeps nothing that a null would have to take away.
    taken_away = edits if worst(edits) is not Action.REPLACE else ()
    body, kept = carried_body(resource.template, there, recorded, taken_away, rows)
    keep(body, left, rows)
    work.carrying[resource.id.key] = body
    work.kept += [Kept(resource.id, path, "not ours") for path in kept]
    if applied and recorded is not None:
        who = partial(owner_of, ignored=ignored)
        restated = recordable(resource, context.policies) != recorded
        work.drift += drifted_from(resource.id, recorded, there, edits, left, who, rows, restated=restated)
    if edits:
        work.changes.append(_edited(context, work, resource.id, resource.body, there, edits))


def _torn(resource: Stated, there: Body, rows: TypePolicies, locate: Callable[[str], str]) -> tuple[Edit, ...]:
    """Return the edit of a peering whose other half is gone: no property differs, and yet nothing passes."""
    state = str(there.get("properties", {}).get("peeringState", ""))
    if resource.id.type != PEERINGS or state.lower() != "disconnected":
        return ()
    path = "properties.peeringState"
    policy = rows.policy(path, state, "Connected")
    return (Edit(path, state, "Connected", Action.REPLACE, policy.why, rows.link, locate(path)),)


def _edited(context: Context, work: Work, id: ResourceId, stated: Body, there: Body, edits: tuple[Edit, ...]) -> Change:
    action, reason = worst(edits), ""
    if action is Action.REPLACE and id.type.lower() in _NOT_REPLACED:
        action, reason = Action.REFUSED, "Azure would have to replace it while others use it; take it apart by hand"
    nodes = 0
    if id.type.lower() == SCALE_SETS.lower():
        # Of a set that shrinks, those that are deleted: what else happens to the others, its edits tell.
        if action is Action.SCALE_IN or any(edit.path == "sku.capacity" for edit in edits):
            nodes = abs(capacity(stated) - capacity(there))
        if action > Action.UPDATE and action is not Action.SCALE_IN:
            nodes = capacity(there)
    change = _of(context, work, id, action, reason, nodes=nodes, edits=edits)
    if action is Action.SCALE_IN:
        change = replace(change, instances=victims(context.observed.instances.get(id.key, ()), nodes))
    return _protected(work, change)


def _protected(work: Work, change: Change) -> Change:
    """Return a change, refused if it would take away nodes of a pool that is, or was, protected."""
    protect = work.unit.protect or (work.record is not None and work.record.protect)
    if protect and change.nodes and change.action in (Action.SCALE_IN, Action.REPLACE):
        reason = f"pool {work.unit.pool} is protected, and this would {change.action.label} {change.nodes} of its nodes"
        return replace(change, action=Action.REFUSED, reason=reason)
    return change


def _replace_too(context: Context, work: Work, type: str, why: str, *, only: ResourceId | None = None) -> None:
    for resource in work.stated:
        there = context.found(resource.id)
        known = next((change for change in work.changes if change.id.key == resource.id.key), None)
        apart = only is not None and only.key != resource.id.key
        if resource.id.type != type or apart or there is None or (known and known.action >= Action.REPLACE):
            continue
        edits = known.edits if known else ()
        change = _of(context, work, resource.id, Action.REPLACE, why, nodes=capacity(there), edits=edits)
        work.changes = [other for other in work.changes if other is not known and other.action is not Action.RECORD]
        work.changes.append(_protected(work, change))


def _spread_own(context: Context, work: Work, elsewhere: list[ResourceId]) -> None:
    """Make a replacement of what stands in a resource that is replaced, and of what refers to a network that is."""
    networks = [id for id in elsewhere if id.type in (VIRTUAL_NETWORKS, SUBNETS)]
    for resource in work.stated:
        text = json.dumps(resource.body).lower()
        around = next((id for id in work.replaced if resource.id.key.startswith(f"{id.key}/")), None)
        used = next((id for id in networks if f'"{id.key}"' in text or f'"{id.key}/' in text), None)
        if around or used:
            why = f"{around.name} around it is replaced" if around else f"it uses {used.name if used else ''}"
            _replace_too(context, work, resource.id.type, why, only=resource.id)


def _refuse(work: Work, id: ResourceId, reason: str) -> None:
    work.changes = [
        replace(change, action=Action.REFUSED, reason=reason) if change.id.key == id.key else change
        for change in work.changes
    ]


def _of(
    context: Context,
    work: Work,
    id: ResourceId,
    action: Action,
    reason: str,
    nodes: int = 0,
    edits: tuple[Edit, ...] = (),
) -> Change:
    unit = work.unit
    if action is Action.CREATE and id.type.lower() == SCALE_SETS.lower():
        nodes = unit.nodes
    return context.change(
        id,
        action,
        reason,
        unit.origin,
        unit=unit.name,
        region=unit.region,
        pool=unit.pool,
        nodes=nodes,
        gpus_a_node=None if unit.gpus is None or not unit.nodes else unit.gpus // unit.nodes,
        edits=edits,
    )


def _why_to_record(context: Context, work: Work) -> str:
    """Return why a stack must be sent although none of its resources changes; empty if it need not."""
    if work.record is None:
        return "the deployment stack is missing, or has lost its record"
    if not work.record.applied:
        return "the last deployment of this unit did not succeed"
    record = _record(context, work, "")
    if dict(record.stated) != dict(work.record.stated) or record.versions != work.record.versions:
        return "what is stated has changed, and Azure is so already"
    if work.record.protect != work.unit.protect:
        return f"protect becomes {str(work.unit.protect).lower()}"
    return ""


def _record(context: Context, work: Work, run: str) -> Record:
    tags: Mapping[str, str] = next((r.body["tags"] for r in work.stated if "tags" in r.body), {})
    return Record(
        environment=context.environment,
        unit=work.unit.name,
        region=work.unit.region,
        pool=work.unit.pool,
        protect=work.unit.protect,
        run=run,
        tags={name: value for name, value in tags.items() if name != MARK},
        stated={resource.id: recordable(resource, context.policies) for resource in work.stated},
        leaving=work.leaving,
        versions=_versions(work),
    )


def _versions(work: Work) -> Mapping[str, str]:
    """Return the API versions of what a unit of one's own states, and of what it has still to delete."""
    leaving = {id.type.lower() for id in work.leaving}
    before = work.record.versions if work.record else {}
    stated = {each.type.lower(): each.api_version for each in work.unit.own.resources} if work.unit.own else {}
    return {**{type: version for type, version in before.items() if type in leaving}, **stated}


def _rolls(resource: Stated) -> bool:
    policy: Mapping[str, Any] = resource.body.get("properties", {}).get("upgradePolicy", {})
    return policy.get("mode") != "Manual"
