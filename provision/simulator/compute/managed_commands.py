"""Managed run commands: scripts that are resources of an instance, with their state and what came of them.

They live in the instance's own record, so that they go when it goes.
"""

from __future__ import annotations

from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.compute import action_rules, commands
from provision.simulator.refusals import errors
from provision.simulator.state import operations
from provision.simulator.state.durations import MANAGED_COMMAND_S
from provision.simulator.state.operations import COMPUTE, Origin
from provision.simulator.state.world import Operation, ScaleSet, World
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import iso_offset

TYPE = "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/runCommands"
MOST_SECONDS = 3600
"""How long a script may run where `timeoutInSeconds` says nothing."""

_SOURCES = ("script", "scriptUri", "commandId", "galleryScriptReferenceId")
_WRITE_ONLY = ("protectedParameters", "runAsPassword")


def names(row: ScaleSet, number: int) -> list[str]:
    return sorted(_of(row, number))


def find(row: ScaleSet, number: int, name: str) -> Json | None:
    """Return the record of a command; names compare without regard to case."""
    return next((record for key, record in _of(row, number).items() if key.lower() == name.lower()), None)


def put(
    world: World, at: float, row: ScaleSet, number: int, name: str, body: Any, origin: Origin, *, method: str = "PUT"
) -> tuple[int, Json, Operation]:
    """Write a command, which runs its script; return the status, the command as shown, and the operation.

    A PATCH lays the body onto what there is.
    """
    before = find(row, number, name)
    if before is None and method == "PATCH":
        raise errors.compute_child_missing()
    onto = method == "PATCH"
    body = bodies.read(TYPE, body, origin.text, How(origin.version, partial=onto, nulls=onto))
    if before is not None and operations.running(world, before["operation"]) is not None:
        raise errors.concurrent_request()
    held = {key: before[key] for key in ("tags", "properties")} if before is not None and onto else {}
    given: Json = bodies.merged(held, body)
    kept = {key: value for key, value in given.get("properties", {}).items() if key not in _WRITE_ONLY}
    script = _script(kept.get("source") or {})
    action_rules.chosen(row, "runcommand", [str(number)], alone=True)
    found = commands.outcome(world, row, number, script)
    most = float(kept.get("timeoutInSeconds", MOST_SECONDS))
    record: Json = {
        "name": before["name"] if before is not None else name,
        "location": row.location,
        "tags": given.get("tags", {}),
        "properties": kept,
        "state": "Creating" if before is None else "Updating",
        "began": at,
        "ends": at + min(found.seconds, most),
        "timed_out": found.seconds > most,
        "exit_code": found.exit_code,
        "output": found.stdout,
        "error": found.stderr,
    }
    failed = (found.exit_code != 0 or record["timed_out"]) and kept.get("treatFailureAsDeploymentFailure", False)
    seconds = MANAGED_COMMAND_S if kept.get("asyncExecution") else max(MANAGED_COMMAND_S, record["ends"] - at)
    operation = _start(
        world,
        at,
        row,
        number,
        record["name"],
        seconds,
        origin,
        method,
        outcome=_failure(record["name"], found.message) if failed else None,
    )
    record["operation"] = operation.name
    row.touched.setdefault(str(number), {}).setdefault("commands", {})[record["name"]] = record
    world.resources.put(row.key, row)
    return (201 if before is None else 200), record, operation


def delete(world: World, at: float, row: ScaleSet, number: int, name: str, origin: Origin) -> Operation | None:
    """Start a deletion; None where there is no such command."""
    record = find(row, number, name)
    if record is None:
        return None
    operation = _start(world, at, row, number, record["name"], MANAGED_COMMAND_S, origin, "DELETE")
    record["state"], record["operation"] = "Deleting", operation.name
    world.resources.put(row.key, row)
    return operation


def ended(world: World, operation: Operation, at: float) -> None:
    row = world.resources.get(operation.target.lower())
    if not isinstance(row, ScaleSet):
        return
    held = _of(row, operation.detail["instance"])
    record = held.get(operation.detail["name"])
    if record is None or record["operation"] != operation.name:
        return
    if record["state"] == "Deleting" and operation.outcome is None:
        del held[record["name"]]
        if not held:
            row.touched[str(operation.detail["instance"])].pop("commands")
    else:
        record["state"] = "Succeeded" if operation.outcome is None else "Failed"
    row.touched = {key: differs for key, differs in row.touched.items() if differs}
    world.resources.put(row.key, row)


def render(row: ScaleSet, number: int, record: Json, now: float, *, view: bool = False) -> Json:
    properties: Json = {
        "asyncExecution": False,
        "treatFailureAsDeploymentFailure": False,
        "timeoutInSeconds": MOST_SECONDS,
        **record["properties"],
        "provisioningState": record["state"],
    }
    if view:
        properties["instanceView"] = _view(record, now)
    return {
        "name": record["name"],
        "id": f"{row.id}/virtualMachines/{number}/runCommands/{record['name']}",
        "type": TYPE,
        "location": record["location"],
        "tags": record["tags"],
        "properties": properties,
    }


def _view(record: Json, now: float) -> Json:
    """Return how far a script is. While it runs, nothing of its output is there."""
    view: Json = {"executionState": "Running", "executionMessage": "Execution in progress", "exitCode": 0}
    if now >= record["ends"]:
        ending = "TimedOut" if record["timed_out"] else "Failed" if record["exit_code"] else "Succeeded"
        view = {
            "executionState": ending,
            "executionMessage": "Execution completed" if ending == "Succeeded" else "Execution failed",
            "exitCode": record["exit_code"],
            "output": record["output"],
            "error": record["error"],
        }
    view["startTime"] = iso_offset(record["began"])
    return {**view, **({"endTime": iso_offset(record["ends"])} if now >= record["ends"] else {}), "statuses": []}


def _script(source: Json) -> str:
    """Return what is to be run; refuse a source that names none, or several."""
    stated = [source[key] for key in _SOURCES if source.get(key)]
    if len(stated) != 1:
        text = "Exactly one of script, scriptUri, commandId and galleryScriptReferenceId has to be given as the source."
        raise errors.bad_parameter("source", text)
    return str(stated[0])


def _failure(name: str, message: str) -> Json:
    text = f"VM has reported a failure when processing extension '{name}'. Error message: \"{message}\""
    return {"code": "VMExtensionProvisioningError", "message": text}


def _of(row: ScaleSet, number: int) -> Json:
    found: Json = row.touched.get(str(number), {}).get("commands", {})
    return found


def _start(
    world: World,
    at: float,
    row: ScaleSet,
    number: int,
    name: str,
    seconds: float,
    origin: Origin,
    method: str,
    outcome: Json | None = None,
) -> Operation:
    return operations.start(
        world,
        at,
        row,
        kind="managed-command",
        dialect=COMPUTE,
        seconds=seconds,
        origin=origin,
        method=method,
        action=f"/virtualMachines/{number}/runCommands/{name}",
        outcome=outcome,
        detail={"instance": number, "name": name},
    )
