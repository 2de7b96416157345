"""The service that looks after a scale set: automatic repairs, suspended and resumed. It repairs nothing here."""

from __future__ import annotations

from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.bodies.manners import compute
from provision.simulator.bodies.shapes import Needed, Object
from provision.simulator.refusals import compute_errors as refused
from provision.simulator.refusals import errors
from provision.simulator.state import operations
from provision.simulator.state.durations import SERVICE_STATE_S
from provision.simulator.state.operations import COMPUTE, Origin
from provision.simulator.state.world import Operation, ScaleSet, World

_BODY = Object("OrchestrationServiceStateInput", serviceName=Needed(str), action=Needed(str))
_ACTIONS = {"suspend": True, "resume": False}


def set_state(world: World, at: float, row: ScaleSet, body: Any, origin: Origin) -> Operation:
    if body is None:
        raise errors.missing_parameter("serviceName")
    body = bodies.fit(_BODY, body, origin.text, manner=compute)
    name, action = body["serviceName"], body["action"].lower()
    if name.lower() != "automaticrepairs":
        raise errors.bad_parameter("serviceName", f"The value '{name}' of parameter 'serviceName' is invalid.")
    if action not in _ACTIONS:
        raise errors.bad_parameter("action", f"The value '{body['action']}' of parameter 'action' is invalid.")
    if not row.properties.get("automaticRepairsPolicy", {}).get("enabled"):
        raise refused.repairs_off(row.rid.name)
    return operations.start(
        world,
        at,
        row,
        kind="service-state",
        dialect=COMPUTE,
        seconds=SERVICE_STATE_S,
        origin=origin,
        method="POST",
        action="/setOrchestrationServiceState",
        detail={"suspended": _ACTIONS[action]},
    )


def ended(world: World, operation: Operation, at: float) -> None:
    row = world.resources.get(operation.target.lower())
    if isinstance(row, ScaleSet) and operation.outcome is None:
        row.repairs_suspended = operation.detail["suspended"]
        world.resources.put(row.key, row)
