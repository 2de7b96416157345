"""What handlers of Compute share: whom a request is about, and what its answer says that it cost."""

from __future__ import annotations

from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import errors
from provision.simulator.resources import providers
from provision.simulator.state import instances
from provision.simulator.state.ids import ResourceId
from provision.simulator.state.world import ScaleSet
from provision.simulator.wire.messages import Reply


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


def charged(reply: Reply, charge: int) -> Reply:
    """Return the reply with the units that Compute says the call cost; what is left, `throttling` says."""
    return Reply(reply.status, reply.body, {**reply.headers, "x-ms-request-charge": str(charge)}, reply.indented)
