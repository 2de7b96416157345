"""Deleting several resources as one job: all at once, and what is still in use again a little later."""

from __future__ import annotations

from provision.simulator import locks, operations, providers
from provision.simulator.durations import REMOVAL_RETRY_S, REMOVAL_TRIES
from provision.simulator.errors import Refusal
from provision.simulator.ids import parse
from provision.simulator.operations import Origin
from provision.simulator.world import Operation, World


def start(world: World, at: float, ids: list[str], subscription: str, location: str, waiter: str) -> Operation:
    """Start to delete the resources; `waiter` is told when all are gone, or when some will not go."""
    return operations.start(
        world,
        at,
        kind="removal",
        target=ids[0] if ids else "",
        subscription=subscription,
        location=location,
        dialect="",
        seconds=0.0,
        origin=Origin("", waiter),
        method="DELETE",
        detail={"left": list(ids), "tries": 0, "refused": {}, "deleted": []},
        hidden=True,
    )


def due(world: World, operation: Operation, at: float) -> bool:
    """Ask for every deletion that has not been accepted yet; return whether the job is over."""
    detail = operation.detail
    present = [text for text in detail["left"] if text.lower() in world.resources]
    detail["deleted"] += [text for text in detail["left"] if text not in present]
    detail["left"], detail["refused"] = present, {}
    if not present:
        return True
    for text in present:
        rid, row = parse(text), world.resources[text.lower()]
        assert rid is not None
        if row.state == "Deleting" and operations.running(world, row.operation) is not None:
            continue
        try:
            locks.refuse(world, "DELETE", rid.text)
            providers.delete(world, at, rid, Origin())
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
