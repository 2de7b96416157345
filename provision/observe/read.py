"""Reads what an environment's groups hold. Decides only what to ask for; what it means is the plan's business."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
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

#: The types that are read whole. Others are known only by id: we never make them.
WHOLE = (SECURITY_GROUPS, PUBLIC_ADDRESSES, NAT_GATEWAYS, VIRTUAL_NETWORKS, BASTIONS, FILE_SYSTEMS, SCALE_SETS)
_PARALLEL = 16

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def observe(arm: Arm, subscription: str, environment: str, stated_groups: Iterable[ResourceId]) -> Observed:
    """Return what is there: of each group that is marked as the environment's, or that it would use.

    Two requests list the groups and what is marked; then a few a group: its resources, its stacks, each type in it.
    Raises ArmError.
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
    return Observed(
        groups=groups,
        resources=resources,
        stacks={ResourceId(body["id"]).key: body for id in ids for body in answers[(id, STACKS)]},
        others=tuple(
            ResourceId(body["id"]) for id in ids for body in answers[(id, "")] if str(body["type"]).lower() not in types
        ),
    )


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
