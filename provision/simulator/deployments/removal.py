"""Deleting several resources as one job: all at once, and what is still in use again a little later."""

from __future__ import annotations

from provision.simulator.deployments import any_resource
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state import operations
from provision.simulator.state.durations import REMOVAL_RETRY_S, REMOVAL_TRIES
from provision.simulator.state.operations import Origin
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import Operation, World


def start(
    world: World,
    at: float,
    caller: Caller,
    ids: list[str],
    subscription: str,
    location: str,
    waiter: str,
    *,
    stack: str = "",
) -> Operation:
    """Start to delete resources and groups; `waiter` is told when all are gone, or when some will not go.

    `stack`: the id of the stack that lets them go, whose own deny settings do not hold it back.
    """
    return operations.start(
        world,
        at,
        operations.Target(ids[0] if ids else "", subscription, location),
        kind="removal",
        dialect="",
        seconds=0.0,
        origin=Origin("", waiter),
        method="DELETE",
        detail={
            "left": list(ids),
            "tries": 0,
            "refused": {},
            "deleted": [],
            "caller": [caller.object_id, caller.client],
            "stack": stack,
        },
        hidden=True,
    )


def due(world: World, operation: Operation, at: float) -> bool:
    """Ask for every deletion that has not been accepted yet; return whether the job is over."""
    detail = operation.detail
    present = [text for text in detail["left"] if any_resource.exists(world, text)]
    detail["deleted"] += [text for text in detail["left"] if text not in present]
    detail["left"], detail["refused"] = present, {}
    if not present:
        return True
    going = tuple(f"{text.lower()}/" for text in present if text.lower() in world.groups)
    for text in present:
        # What is in a group that goes, goes with it.
        if text.lower().startswith(going) or _is_going(world, text):
            continue
        try:
            any_resource.delete(world, at, Caller(*detail["caller"]), text, detail["stack"])
        except Refusal as refusal:
            detail["refused"][text] = refusal.error
    detail["tries"] += 1
    stuck = detail["tries"] > REMOVAL_TRIES and len(detail["refused"]) == len(present)
    if stuck or detail["tries"] > REMOVAL_TRIES * 5:
        message = "One or more resources could not be deleted."
        unknown = {"code": "Conflict", "message": "The deletion did not succeed."}
        refused = [{**detail["refused"].get(text, unknown), "target": text} for text in present]
        operation.outcome = {
            "code": "DeploymentStackDeleteResourcesFailed",
            "message": message,
            "details": refused,
        }
        return True
    world.schedule(operation, at + REMOVAL_RETRY_S)
    return False


def _is_going(world: World, text: str) -> bool:
    row = world.resources.get(text.lower())
    return row is not None and row.state == "Deleting" and operations.running(world, row.operation) is not None
