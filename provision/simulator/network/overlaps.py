"""Writes to Network that meet others: superseded, refused for now, or told to come again.

A PUT on what a PUT is still writing takes its place, and the earlier one ends as canceled. What belongs together, a
virtual network with its children and a security group with its rules, takes one write at a time. And what another
resource that refers to it is just being written with is locked for a few seconds.
"""

from __future__ import annotations

from provision.simulator.refusals.errors import Refusal
from provision.simulator.refusals.network_errors import another_operation, network
from provision.simulator.state import operations
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import Operation, Resource, World

RETRY_S = 10
_LOCKS = frozenset({"microsoft.network/virtualnetworks/subnets", "microsoft.network/natgateways"})
"""What locks the groups, gateways and addresses that it refers to while it is written."""
_NEVER_SUPERSEDED = frozenset(
    {"microsoft.network/bastionhosts", "microsoft.network/virtualnetworks/virtualnetworkpeerings"}
)
_KINDS = {
    "virtualnetworks": "VirtualNetwork",
    "subnets": "Subnet",
    "virtualnetworkpeerings": "VirtualNetworkPeering",
    "networksecuritygroups": "NetworkSecurityGroup",
    "securityrules": "SecurityRule",
    "publicipaddresses": "PublicIpAddress",
    "natgateways": "NatGateway",
    "bastionhosts": "BastionHost",
}


def check(world: World, rid: ResourceId, *, deletes: bool = False) -> Operation | None:
    """Return the running PUT whose place this write takes, if there is one; refuse a write that has to wait."""
    root = rid if rid.parent is None else rid.parent
    row = world.resources.get(root.key)
    family = [] if row is None else [row, *world.resources.children(root.key)]
    own = _running(world, world.resources.get(rid.key))
    supersedes = own is not None and not deletes and _can_be_superseded(own, rid)
    for each in family:
        running = _running(world, each)
        if running is not None and not (supersedes and running is own):
            raise another_operation(_url(running))
    here = world.resources.get(rid.key)
    for user in [] if here is None else world.resources.users(here.key):
        running = _running(world, user)
        if running is not None and user not in family and user.type.lower() in _LOCKS:
            raise _locked(world, running, rid)
    return own if supersedes else None


def supersede(world: World, earlier: Operation | None, later: Operation, at: float) -> None:
    """End the earlier operation as canceled; what it was writing belongs to the later one."""
    if earlier is None:
        return
    row = world.resources.get(later.target.lower())
    for each in [] if row is None else [row, *world.resources.children(row.key)]:
        if each.operation == earlier.name:
            each.operation = later.name
            world.resources.put(each.key, each)
    name = name_of(world, later)
    detail = f"Operation {name} ({earlier.name}) was canceled and superseded by operation {name} ({later.name})."
    earlier.outcome = {
        "code": "Canceled",
        "message": "Operation was canceled.",
        "details": [{"code": "CanceledAndSupersededDueToAnotherOperation", "message": detail}],
    }
    earlier.detail["canceled"] = True
    world.schedule(earlier, at)


def name_of(world: World, operation: Operation) -> str:
    """Return the name that Network gives to what runs, as its messages quote it."""
    row = world.resources.get(operation.target.lower())
    kind = _KINDS.get(row.type.lower().split("/")[-1], "Resource") if row is not None else "Resource"
    return f"{'Delete' if operation.kind == 'network-delete' else 'Put'}{kind}Operation"


def _running(world: World, row: Resource | None) -> Operation | None:
    return None if row is None else operations.running(world, row.operation)


def _can_be_superseded(running: Operation, rid: ResourceId) -> bool:
    same = running.kind == "network-put" and running.target.lower() == rid.key
    return same and rid.type.lower() not in _NEVER_SUPERSEDED


def _url(running: Operation) -> str:
    region = f"/subscriptions/{running.subscription}/providers/Microsoft.Network/locations/{running.location}"
    return f"{region}/operations/{running.name}"


def _locked(world: World, running: Operation, rid: ResourceId) -> Refusal:
    message = (
        f"Operation {name_of(world, running)} ({running.name}) is updating resource {rid.text}. "
        f"The call can be retried in {RETRY_S} seconds."
    )
    refusal = network(429, "RetryableError", "A retryable error occurred.")
    refusal.error["details"] = [{"code": "RetryableErrorDueToAnotherOperation", "message": message}]
    refusal.headers["Retry-After"] = str(RETRY_S)
    return refusal
