"""Reads what an environment's groups hold. Decides only what to ask for; what it means is the plan's business."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from provision.arm import (
    BASTIONS,
    FILE_SYSTEMS,
    NAT_GATEWAYS,
    PUBLIC_ADDRESSES,
    SCALE_SETS,
    SECURITY_GROUPS,
    STACKS,
    VIRTUAL_NETWORKS,
    Arm,
    ArmError,
    ResourceId,
)
from provision.plan.observed import Observed, is_marked, mark_of, split_children
from provision.plan.record import is_of_own_unit, record_in

#: The types that are read whole. Others are known only by id: we never make them.
WHOLE = (SECURITY_GROUPS, PUBLIC_ADDRESSES, NAT_GATEWAYS, VIRTUAL_NETWORKS, BASTIONS, FILE_SYSTEMS, SCALE_SETS)
_PARALLEL = 16

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def observe(
    arm: Arm,
    subscription: str,
    environment: str,
    stated_groups: Iterable[ResourceId],
    own: Mapping[ResourceId, str] | None = None,
) -> Observed:
    """Return what is there: of each group that is marked as the environment's, or that it would use.

    Two requests list the groups and what is marked; then a few a group: its resources, its stacks, each type in it. One
    more for each resource of the units of a user's own: `own` gives those that are stated, in the order of making, with
    their API versions; stacks tell of the others. Raises ArmError.
    """
    names = {id.key for id in stated_groups}
    # A group that was given carries no mark, so what stands in it has to say that it is ours.
    names |= {ResourceId(body["id"]).group_id.key for body in arm.marked(subscription) if is_marked(body, environment)}
    groups = {
        id.key: body
        for body in arm.groups(subscription)
        if (id := ResourceId(body["id"])).key in names or mark_of(body) == environment
    }
    ids = [ResourceId(body["id"]) for body in groups.values()]
    wanted = [(id, type) for id in ids for type in ("", STACKS)]
    answers = dict(zip(wanted, side_by_side(lambda pair: _listed(arm, *pair), wanted), strict=True))
    types = {type.lower(): type for type in WHOLE}
    occurring = [
        (id, types[type])
        for id in ids
        for type in sorted({str(body["type"]).lower() for body in answers[(id, "")]})
        if type in types
    ]
    resources: dict[str, Mapping[str, Any]] = {}
    for bodies in side_by_side(lambda pair: _listed(arm, *pair), occurring):
        for body in bodies:
            resources.update((id.key, part) for id, part in split_children(body))
    stacks = {ResourceId(body["id"]).key: body for id in ids for body in answers[(id, STACKS)]}
    wanted_own = {
        id: version for id, version in _own(own or {}, stacks, environment).items() if id.group_id.key in groups
    }
    bodies_of_own = side_by_side(lambda pair: arm.found(*pair), [*wanted_own.items()])
    found = {id: body for id, body in zip(wanted_own, bodies_of_own, strict=True) if body is not None}
    resources |= {id.key: body for id, body in found.items()}
    rest = [
        body
        for id in ids
        for body in answers[(id, "")]
        if str(body["type"]).lower() not in types and ResourceId(body["id"]).key not in resources
    ]
    return Observed(
        groups=groups,
        resources=resources,
        stacks=stacks,
        others=tuple(ResourceId(body["id"]) for body in rest if not is_marked(body, environment)),
        versions={id.key: wanted_own[id] for id in found},
        lost=tuple(ResourceId(body["id"]) for body in rest if is_marked(body, environment)),
    )


def with_instances(arm: Arm, observed: Observed, scale_sets: Iterable[ResourceId]) -> Observed:
    """Return what is there with the nodes of some scale sets, one list each. Raises ArmError."""
    ids = list(scale_sets)
    found = zip(ids, side_by_side(arm.instances, ids), strict=True)
    return replace(observed, instances={**observed.instances, **{id.key: tuple(nodes) for id, nodes in found}})


def _own(
    stated: Mapping[ResourceId, str], stacks: Mapping[str, Mapping[str, Any]], environment: str
) -> dict[ResourceId, str]:
    """Return what is read by its id, with its API version: what is stated, then what stacks recorded besides."""
    found = dict(stated)
    known = {id.key for id in found}
    for _, stack in sorted(stacks.items()):
        record = record_in(stack) if is_of_own_unit(stack) else None
        if record is not None and record.environment == environment:
            found.update((id, version) for id, version in record.own().items() if id.key not in known)
    return found


def _listed(arm: Arm, group: ResourceId, type: str) -> list[dict[str, Any]]:
    try:
        return arm.listed(group, type)
    except ArmError as error:
        if error.status == 404:
            return []  # the group went away since it was listed
        raise


def side_by_side(call: Callable[[_In], _Out], items: list[_In]) -> list[_Out]:
    """Return the results in the order of the items; the requests run in parallel."""
    if len(items) < 2:
        return [call(item) for item in items]
    with ThreadPoolExecutor(min(_PARALLEL, len(items))) as pool:
        return list(pool.map(call, items))
