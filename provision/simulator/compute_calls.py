"""What handlers of Compute share: whom a request is about, and what its answer says is left of Compute's budgets."""

from __future__ import annotations

from provision.simulator import errors, instances, providers
from provision.simulator.calls import Call
from provision.simulator.ids import ResourceId
from provision.simulator.messages import Reply
from provision.simulator.world import ScaleSet

# Policies of the header that says how much is left, per subscription and per resource: full buckets, less this call.
CREATE, UPDATE, DELETE, READ, COSTLY_READ, POLL = (
    ("CreateVMScaleSet", 374, 11),
    ("UpdateVMScaleSet", 1499, 11),
    ("DeleteVMScaleSet", 524, 11),
    ("GetVMScaleSet", 2399, 35),
    ("HighCostGetVMScaleSet", 1079, 29),
    ("GetOperation", 14999, 44),
)


def set_id(call: Call) -> ResourceId:
    return call.rid("Microsoft.Compute/virtualMachineScaleSets", call.params["name"])


def set_of(call: Call, *, writes: bool = False) -> ScaleSet:
    """Return the scale set that a request is about; refuse where it is absent, or, for writes, its group goes."""
    row = providers.get(call.world, set_id(call))
    assert isinstance(row, ScaleSet)
    if writes:
        providers.group_of(call.world, row.rid, writes=True)
    return row


def instance_of(call: Call, *, writes: bool = False) -> tuple[ScaleSet, int]:
    row = set_of(call, writes=writes)
    number = instances.number_of(row, call.params["instance"])
    if number is None:
        raise errors.compute_child_missing()
    return row, number


def expands_view(call: Call) -> bool:
    return call.request.query.get("$expand", "").lower() == "instanceview"


def charged(reply: Reply, policy: tuple[str, int, int], charge: int | None = None) -> Reply:
    name, overall, one = policy
    left = f"Microsoft.Compute/{name}SubscriptionMaximum;{overall},Microsoft.Compute/{name}Resource;{one}"
    headers = {**reply.headers, "x-ms-ratelimit-remaining-resource": left}
    if charge is not None:
        headers["x-ms-request-charge"] = str(charge)
    return Reply(reply.status, reply.body, headers, reply.indented)
