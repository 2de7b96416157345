"""Decides what is deleted, in which order, and what is left alone because others use it.

Deletions are our own, resource by resource: scale sets, then, once their interfaces have left, the subnet, its network,
the way out, the security group; then the stack; then the group, if it is ours and nothing is left in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
    group_id,
    resource_id,
)
from provision.plan.model import Kept, Operation
from provision.plan.observed import Body, Observed, is_adopted, mark_of
from provision.plan.record import Record
from provision.topology.names import NETWORK, home_group, mark
from provision.topology.names import stack as stack_name

#: What of the same unit must be gone before a resource of a type can go; in the order in which they go.
_AFTER = {
    type.lower(): tuple(t.lower() for t in before)
    for type, before in {
        SCALE_SETS: (),
        FILE_SYSTEMS: (),
        BASTIONS: (),
        PEERINGS: (),
        SUBNETS: (SCALE_SETS, BASTIONS),
        VIRTUAL_NETWORKS: (SUBNETS,),
        NAT_GATEWAYS: (SUBNETS,),
        PUBLIC_ADDRESSES: (NAT_GATEWAYS, BASTIONS),
        SECURITY_GROUPS: (SUBNETS,),
    }.items()
}
_ORDER = {type: rank for rank, type in enumerate(_AFTER)}


@dataclass(frozen=True, slots=True)
class Removed:
    """A unit that is no longer stated. `resources`: what it recorded, still exists, and nobody else uses."""

    stack: ResourceId
    record: Record
    resources: tuple[ResourceId, ...]
    kept: tuple[Kept, ...]


def removals(observed: Observed, environment: str, stated_stacks: set[str]) -> tuple[Removed, ...]:
    """Return the units that the environment made and no longer states, by stack; then those whose stack is lost."""
    found = []
    ours = {id for _, record in observed.records(environment) for id in record.ids()}
    ours |= {ResourceId(body["id"]).key for body in observed.marked(environment)}
    for stack, record in observed.records(environment):
        if stack.key in stated_stacks:
            continue
        found.append(_removed(observed, stack, record, ours))
    for record in observed.orphans(environment):
        at = next(iter(record.ids().values()))
        stack = resource_id(at.subscription, at.group, STACKS, stack_name(environment, record.unit))
        if stack.key not in stated_stacks:
            found.append(_removed(observed, stack, record, ours))
    return tuple(found)


def _removed(observed: Observed, stack: ResourceId, record: Record, ours: set[str]) -> Removed:
    there = [id for key, id in record.ids().items() if key in observed.resources]
    kept = tuple({entry.id.key: entry for entry in _used_by_others(observed, record, there, ours)}.values())
    keys = {entry.id.key for entry in kept}
    return Removed(stack, record, tuple(id for id in there if id.key not in keys), kept)


def foreign_subnets(observed: Observed, network: ResourceId, record: Record | None) -> list[ResourceId]:
    """Return the subnets of a virtual network that no record of ours holds."""
    ours = record.ids() if record else {}
    inside = network.key + "/subnets/"
    keys = sorted(key for key in observed.resources if key.startswith(inside) and key not in ours)
    return [ResourceId(observed.resources[key]["id"]) for key in keys]


def _used_by_others(observed: Observed, record: Record, there: Sequence[ResourceId], ours: set[str]) -> Iterable[Kept]:
    """Yield what must stay: what others stand in, a network with such a subnet, and what those, or what stays, use."""
    holders: list[tuple[ResourceId, Body]] = []
    for id in there:
        if id.type.lower() == SUBNETS.lower() and (guest := _guest_in(observed, id, ours)):
            yield Kept(id, "", f"{guest.name} stands in it and is not ours")
            holders.append((id, observed.resources[id.key]))
            if id.parent.key in {other.key for other in there}:
                yield Kept(id.parent, "", f"{guest.name} stands in it and is not ours")
    for id in there:
        if id.type.lower() == VIRTUAL_NETWORKS.lower() and (subnets := foreign_subnets(observed, id, record)):
            yield Kept(id, "", f"{subnets[0].name} in it is not ours")
            holders += [(subnet, observed.resources[subnet.key]) for subnet in subnets]
    candidates = [id for id in there if id.type.lower() not in (VIRTUAL_NETWORKS.lower(), SUBNETS.lower())]
    while holders:
        holder, body = holders.pop()
        # Back references of a resource name those that use it; only a subnet's and a gateway's own references count.
        references = json.dumps(body.get("properties", {})).lower()
        for id in list(candidates):
            if f'"{id.key}"' in references:
                candidates.remove(id)
                yield Kept(id, "", f"{holder.name} uses it")
                if id.type.lower() == NAT_GATEWAYS.lower():
                    holders.append((id, observed.resources[id.key]))


def _guest_in(observed: Observed, id: ResourceId, ours: set[str]) -> ResourceId | None:
    """Return something of others whose interface stands in a subnet, None if there is none.

    Of what its group no longer has, only the interface still lingers; that is waited for.
    """
    subnet = observed.resources[id.key]
    there = observed.resources.keys() | {other.key for other in (*observed.others, *observed.lost)}
    for configuration in subnet.get("properties", {}).get("ipConfigurations") or ():
        parts = str(configuration.get("id", "")).split("/")
        owner = ResourceId("/".join(parts[:9]))
        gone = owner.group_id.key in observed.groups and owner.key not in there
        if len(parts) > 8 and owner.key not in ours and not gone:
            return owner
    return None


def in_order(
    observed: Observed,
    ids: Sequence[ResourceId],
    unit: str,
    region: str,
    mark: str,
    after: tuple[str, ...],
    origin: str = "",
) -> list[Operation]:
    """Return the deletion of a unit's resources, each as soon as it can go, all after the operations `after`.

    Those of a unit of one's own go one after the other, the last that was made first: what needs what is not known.
    """
    operations: list[Operation] = []
    for id in reversed([id for id in ids if id.key in observed.versions]):
        there = mark if mark_of(observed.resources[id.key]) == mark else ""
        version = observed.versions[id.key]
        delete = Operation(
            f"delete {id.key}", "delete", id, unit, region, after, mark=there, origin=origin, api_version=version
        )
        operations.append(delete)
        after = (delete.id,)
    by_type: dict[str, tuple[str, ...]] = {}
    ours = [id for id in ids if id.key not in observed.versions]
    for id in sorted(ours, key=lambda id: (_ORDER.get(id.type.lower(), 0), id.key)):
        type = id.type.lower()
        before = tuple(need for t in _AFTER.get(type, ()) for need in by_type.get(t, ())) or after
        if type == SUBNETS.lower():
            wait = Operation(f"await {id.key}", "await-empty", id, unit, region, before, origin=origin)
            operations.append(wait)
            before = (wait.id,)
        delete = Operation(f"delete {id.key}", "delete", id, unit, region, before, mark=mark, origin=origin)
        operations.append(delete)
        by_type[type] = (*by_type.get(type, ()), delete.id)
    return operations


def operations(observed: Observed, removed: Sequence[Removed], environment: str) -> list[Operation]:
    """Return the operations that remove whole units: all that stands in a region's network before the network."""
    found: list[Operation] = []
    guests: dict[str, list[str]] = {}
    for unit in sorted(removed, key=lambda unit: unit.record.unit == NETWORK):
        record = unit.record
        after = tuple(guests.get(record.region, ())) if record.unit == NETWORK else ()
        steps = in_order(observed, unit.resources, record.unit, record.region, mark(environment, record.unit), after)
        found += steps
        if record.unit != NETWORK:
            guests.setdefault(record.region, []).extend(step.id for step in steps)
        ends = tuple(step.id for step in steps) or after
        found.append(
            Operation(f"unstack {unit.stack.key}", "delete-stack", unit.stack, record.unit, record.region, ends)
        )
    return found


def before_replacing(
    observed: Observed, replaced: Mapping[str, Sequence[tuple[str, ResourceId]]], environment: str
) -> list[Operation]:
    """Return the deletions that replacements begin with; `replaced`: by region, (unit, resource), as they were made."""
    found: list[Operation] = []
    for region, resources in replaced.items():
        units: dict[str, list[ResourceId]] = {}
        for unit, id in resources:
            units.setdefault(unit, []).append(id)
        guests: list[str] = []
        for unit, ids in sorted(units.items(), key=lambda item: item[0] == NETWORK):
            after = tuple(guests) if unit == NETWORK else ()
            steps = in_order(observed, ids, unit, region, mark(environment, unit), after)
            found += steps
            guests += [step.id for step in steps]
    return found


def emptied_groups(
    observed: Observed, environment: str, subscription: str, stated_groups: set[str], removed: Sequence[Removed]
) -> tuple[list[ResourceId], list[Kept]]:
    """Return the groups of ours that nothing states any more: those to delete, and those that others use.

    The home group goes only when nothing at all is stated.
    """
    going = {id.key for unit in removed for id in unit.resources}
    home = group_id(subscription, home_group(environment)).key
    deleted: list[ResourceId] = []
    kept: list[Kept] = []
    for key, body in sorted(observed.groups.items()):
        if mark_of(body) != environment or key in stated_groups or (key == home and stated_groups):
            continue
        if is_adopted(body):
            kept.append(Kept(ResourceId(body["id"]), "", "it was there before the environment, which adopted it"))
            continue
        left = [ResourceId(b["id"]) for k, b in observed.resources.items() if k not in going]
        left = [id for id in (*left, *observed.others, *observed.lost) if id.key.startswith(key + "/")]
        # A subnet goes with its network, so it is no reason of its own.
        left = [id for id in left if id.type.lower() != SUBNETS.lower()] or left
        if left:
            kept.append(Kept(ResourceId(body["id"]), "", f"{left[0].name} stays in it"))
        else:
            deleted.append(ResourceId(body["id"]))
    return deleted, kept


def group_operations(
    groups: Sequence[ResourceId], before: Sequence[Operation], home: ResourceId, environment: str
) -> list[Operation]:
    """Return the deletion of groups, each after all that is done in it; the home group after everything."""
    found: list[Operation] = []
    for id in sorted(groups, key=lambda id: id.key == home.key):
        inside = [op.id for op in before if op.target.key.startswith(id.key + "/")]
        after = [op.id for op in (*before, *found)] if id.key == home.key else inside
        found.append(Operation(f"delete {id.key}", "delete-group", id, "", "", tuple(after), mark=environment))
    return found
