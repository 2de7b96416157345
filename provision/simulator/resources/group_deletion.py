"""The end of a group's deletion: what it held goes, but for what something outside still uses; then the group stays.

Resource Manager tells so at the end only, on the poll.
"""

from __future__ import annotations

from provision.simulator.access import locks, role_assignments
from provision.simulator.compute import scale_sets
from provision.simulator.network import network, peerings, subnets
from provision.simulator.refusals import errors
from provision.simulator.refusals import network_errors as refusals
from provision.simulator.state import instances, operations
from provision.simulator.state.world import Group, Operation, Resource, ScaleSet, World, guid_of
from provision.simulator.wire.messages import Json


def ended(world: World, operation: Operation, at: float) -> None:
    group = world.groups.get(operation.target.lower())
    if group is None:
        return
    held = _held(world, group) if operation.outcome is None else {}
    if held:
        tracking = guid_of("tracking", operation.name, str(at))
        operation.outcome = errors.group_deletion_blocked(group.name, list(held.items()), tracking)
    if operation.outcome is not None:
        group.state = "Succeeded"
        world.groups.put(group.key, group)
    if held or operation.outcome is None:
        _empty(world, group, at, {text.lower() for text in held})
    if operation.outcome is None:
        world.groups.remove(group.key)


def _held(world: World, group: Group) -> dict[str, Json]:
    """Return what cannot go, by id: the refusal of each. What is held holds what it uses, and its parent."""
    held: dict[str, Json] = {}
    rows = world.resources.members(group.key)
    found = True
    while found:
        found = False
        for row in rows:
            refusal = None if row.id in held else _refusal(world, row, f"{group.key}/", held)
            if refusal is not None:
                held[row.id], found = refusal, True
    return held


def _refusal(world: World, row: Resource, here: str, held: dict[str, Json]) -> Json | None:
    """Return why a member cannot go, or None."""
    kept = {text.lower() for text in held}
    type_ = row.type.lower()
    if type_ == subnets.TYPE:
        addresses = (each for each in subnets.addresses_in(world, row.key) if not each.lower().startswith(here))
        address = next(addresses, None)
        return None if address is None else refusals.subnet_in_use(row.rid.name, address).error
    if type_ == network.VNET:
        return next((held[child.id] for child in world.resources.children(row.key) if child.key in kept), None)
    users = [each for each in world.resources.users(row.key) if each.key in kept or not each.key.startswith(here)]
    users = [each for each in users if not isinstance(each, ScaleSet) or instances.count(each)]
    if not users or type_ not in (network.NSG, network.IP, network.NAT):
        return None
    if type_ == network.NSG:
        return refusals.security_group_in_use(row.id, [each.id for each in users]).error
    if type_ == network.IP:
        return refusals.address_in_use(row.id, users[0].id).error
    return refusals.gateway_in_use(row.id, len(users)).error


def _empty(world: World, group: Group, at: float, kept: set[str]) -> None:
    """Remove all that the group holds but for what is kept, and stop what runs in it.

    Subnets of other groups see interfaces linger. Locks, stacks and deployments go with the group only.
    """
    rows = [row for row in world.resources.members(group.key) if row.key not in kept]
    for row in rows:
        operations.preempt(world, row.operation, at)
        if isinstance(row, ScaleSet):
            scale_sets.leave_behind(world, row, at)
        world.resources.remove(row.key)
    peerings.lost(world, rows)
    if kept:
        return
    locks.forget(world, group.key)
    role_assignments.forget(world, group.key)
    prefix = f"{group.key}/"
    for stack in world.stacks.values():
        if stack.key.startswith(prefix):
            operations.preempt(world, stack.operation, at)
            world.stacks.remove(stack.key)
    for deployment in world.deployments.values():
        if deployment.key.startswith(prefix):
            operations.preempt(world, deployment.operation, at)
            world.deployments.remove(deployment.key)
