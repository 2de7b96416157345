"""Deployments: a template carried out, each resource as soon as those that it depends on stand."""

from __future__ import annotations

import json
from typing import Any

from provision.simulator import errors, operations, preflight, providers, removal, template
from provision.simulator.durations import DEPLOYMENT_DELETE_S, DEPLOYMENT_END_S, DEPLOYMENT_START_S
from provision.simulator.errors import Refusal
from provision.simulator.ids import parse, resource_id
from provision.simulator.messages import Json
from provision.simulator.operations import DEPLOYMENT, GROUP, Origin
from provision.simulator.times import duration, iso
from provision.simulator.world import Deployment, Group, Operation, World, guid_of

TYPE = "Microsoft.Resources/deployments"
FAILED = (
    "At least one resource deployment operation failed. Please list deployment operations for details. "
    "Please see https://aka.ms/arm-deployment-operations for usage details."
)


def prepared(
    world: World, at: float, group: Group, name: str, properties: Json, tags: Any, correlation: str
) -> Deployment:
    """Return a deployment that could start, or refuse it: template, parameters and quota are checked."""
    body = template.checked(properties.get("template"))
    parameters = template.values(body, properties.get("parameters"))
    steps = template.steps(world, body, parameters, group.subscription, group.name)
    template.outputs(body, parameters)
    mode = str(properties.get("mode", "Incremental"))
    if mode not in ("Incremental", "Complete"):
        raise errors.bad_content(f"Error converting value \"{mode}\" to type 'DeploymentMode'. Path 'properties.mode'.")
    preflight.check(world, name, steps)
    for step in steps:
        step |= {
            "state": "Waiting",
            "operation": "",
            "started": None,
            "ended": None,
            "code": "",
            "error": None,
        }
        step["track"] = guid_of(name, correlation, step["id"])
    resource = resource_id(group.subscription, group.name, TYPE, name).text
    return Deployment(
        resource,
        group.subscription,
        group.name,
        name,
        body,
        parameters,
        mode,
        tags,
        "Accepted",
        at,
        correlation,
        "",
        template.hash_of(body),
        steps,
    )


def begin(world: World, at: float, group: Group, made: Deployment, origin: Origin, stack: str = "") -> Operation:
    """Put a prepared deployment into the world; refuse to overwrite one that runs."""
    before = world.deployments.get(made.key)
    if before is not None and operations.running(world, before.operation) is not None:
        raise errors.deployment_active(before.id)
    number = world.number()
    operation = operations.start(
        world,
        at,
        kind="deployment",
        target=made.id,
        subscription=group.subscription,
        location=group.location,
        dialect=DEPLOYMENT,
        seconds=DEPLOYMENT_START_S,
        origin=Origin(f"085845{number:014d}", origin.waiter),
        detail={"state": "Accepted"},
    )
    made.operation = operation.name
    made.stack = stack
    world.deployments.put(made.key, made)
    return operation


def due(world: World, operation: Operation, at: float) -> bool:
    """Take the next move of a deployment; return whether its operation is over."""
    row = world.deployments.get(operation.target.lower())
    if row is None or row.operation != operation.name:
        return True
    if row.state == "Accepted":
        row.state = operation.detail["state"] = "Running"
        _go_on(world, row, operation, at)
        return False
    _close(world, row, operation, at)
    return True


def step_ended(world: World, child: Operation, at: float) -> None:
    """Note that a resource is done, and start what waited for it."""
    _, key, index = child.waiter.split("|")
    row = world.deployments.get(key)
    if row is None or row.state != "Running":
        return
    step = row.steps[int(index)]
    if step["operation"] != child.name:
        return
    _settle_step(step, child.outcome, at)
    operation = operations.running(world, row.operation)
    if operation is not None:
        _go_on(world, row, operation, at)


def removal_ended(world: World, child: Operation, at: float) -> None:
    """Note that Complete mode has taken away what the template does not have."""
    operation = operations.running(world, child.waiter.split("|")[1])
    if operation is not None:
        operation.outcome = operation.outcome or child.outcome
        world.schedule(operation, at + DEPLOYMENT_END_S)


def cancel(world: World, row: Deployment, at: float) -> None:
    """Stop starting resources; those that run go on by themselves, as in Azure."""
    operation = operations.running(world, row.operation)
    if operation is None or row.state not in ("Accepted", "Running"):
        raise errors.deployment_over(row.name, row.state)
    row.state, row.ended = "Canceled", at
    message = f"The deployment '{row.name}' has been canceled."
    row.error = {"code": "DeploymentCanceled", "message": message}
    operation.outcome, operation.detail["canceled"] = row.error, True
    world.deployments.put(row.key, row)
    world.schedule(operation, at)


def delete(world: World, at: float, group: Group, row: Deployment) -> Operation:
    """Forget a deployment. What it deployed stays."""
    return operations.start(
        world,
        at,
        kind="deployment-delete",
        target=row.id,
        subscription=row.subscription,
        location=group.location,
        dialect=GROUP,
        seconds=DEPLOYMENT_DELETE_S,
        origin=Origin(operations.deployment_job(row.group, row.name, group.location)),
        method="DELETE",
        detail={"status": 204},
    )


def delete_ended(world: World, operation: Operation, at: float) -> None:
    if operation.outcome is None and operation.target.lower() in world.deployments:
        world.deployments.remove(operation.target.lower())


def _go_on(world: World, row: Deployment, operation: Operation, at: float) -> None:
    """Start every resource whose needs are met; when none runs and none can start, head for the end."""
    states = {step["id"]: step["state"] for step in row.steps}
    for index, step in enumerate(row.steps):
        if step["state"] == "Waiting" and all(states[need] == "Succeeded" for need in step["needs"]):
            _start_step(world, row, index, at)
    world.deployments.put(row.key, row)
    if any(step["state"] == "Running" for step in row.steps):
        return
    failed = [step for step in row.steps if step["error"] is not None]
    if failed:
        operation.outcome = _failure(row, failed)
    elif row.mode == "Complete":
        stated = {step["id"].lower() for step in row.steps}
        group = parse(row.id)
        assert group is not None
        rows = world.resources.members(group.group_key)
        extra = [each.id for each in rows if each.key not in stated and each.rid.parent is None]
        if extra:
            removal.start(world, at, extra, row.subscription, operation.location, f"complete|{operation.name}")
            return
    world.schedule(operation, at + DEPLOYMENT_END_S)


def _start_step(world: World, row: Deployment, index: int, at: float) -> None:
    step = row.steps[index]
    step["state"], step["started"] = "Running", at
    rid = parse(step["id"])
    assert rid is not None
    try:
        origin = Origin("", f"deployment|{row.key}|{index}", step["api_version"])
        written = providers.put_of_template(world, at, rid, json.loads(json.dumps(step["body"])), origin)
    except Refusal as refusal:
        step["code"] = _word(refusal.status)
        _settle_step(step, refusal.error, at)
        return
    step["code"] = "Created" if written.status == 201 else "OK"
    if written.operation is None:
        _settle_step(step, None, at)
    else:
        step["operation"] = written.operation.name


def _settle_step(step: Json, error: Json | None, at: float) -> None:
    step["state"] = "Succeeded" if error is None else "Failed"
    step["error"], step["ended"] = error, at
    if error is not None and step["code"] in ("OK", "Created"):
        step["code"] = "Conflict"


def _close(world: World, row: Deployment, operation: Operation, at: float) -> None:
    if not operation.detail.get("canceled"):
        row.error = operation.outcome
        row.state = "Succeeded" if operation.outcome is None else "Failed"
        row.ended = at
        if operation.outcome is None:
            row.outputs = template.outputs(row.template, row.parameters)
    world.deployments.put(row.key, row)


def _failure(row: Deployment, failed: list[Json]) -> Json:
    details = [{**detail_of(step), "target": step["id"]} for step in failed]
    return {"code": "DeploymentFailed", "target": row.id, "message": FAILED, "details": details}


def detail_of(step: Json) -> Json:
    """Return a failed resource's error. A failed operation hides the provider's envelope in a JSON string."""
    error = step["error"]
    if not step["operation"]:
        return dict(error)
    inner = json.dumps({"error": error}, indent=2).replace("\n", "\r\n")
    state = (
        "The resource write operation failed to complete successfully, because it reached terminal provisioning state "
        "'Failed'."
    )
    return {
        "code": "ResourceDeploymentFailure",
        "message": state,
        "details": [{"code": error["code"], "message": inner}],
    }


def _word(status: int) -> str:
    words = {400: "BadRequest", 403: "Forbidden", 404: "NotFound", 409: "Conflict", 429: "TooManyRequests"}
    return words.get(status, "InternalServerError")


# --- reading ---


def render(row: Deployment, now: float, *, validating: bool = False) -> Json:
    over = row.ended if row.ended is not None else now
    properties: Json = {
        "templateHash": row.template_hash,
        "parameters": template.shown(row.parameters),
        "mode": row.mode,
        "provisioningState": "Succeeded" if validating else row.state,
        "timestamp": iso(over),
        "duration": "PT0S" if validating else duration(over - row.started),
        "correlationId": row.correlation,
        "providers": _providers(row),
        "dependencies": _dependencies(row),
    }
    if validating:
        properties["validatedResources"] = [{"id": step["id"]} for step in row.steps]
    if row.state == "Succeeded":
        properties["outputs"] = row.outputs
        properties["outputResources"] = [{"id": step["id"]} for step in row.steps]
    elif row.error is not None:
        properties["error"] = row.error
    body: Json = {"id": row.id, "name": row.name, "type": TYPE}
    return {**body, **({"tags": row.tags} if row.tags else {}), "properties": properties}


def operation_rows(row: Deployment) -> list[Json]:
    """Return the deployment's operations, newest first; the evaluation of outputs comes last in time."""
    begun = [step for step in row.steps if step["state"] != "Waiting"]
    rows = [_operation_row(row, step) for step in sorted(begun, key=lambda step: (-step["started"], step["id"]))]
    if row.state != "Succeeded":
        return rows
    last = {
        "provisioningOperation": "EvaluateDeploymentOutput",
        "provisioningState": "Succeeded",
        "timestamp": iso(row.ended or row.started),
        "duration": duration(DEPLOYMENT_END_S),
        "trackingId": guid_of(row.correlation, row.operation),
        "statusCode": "OK",
    }
    return [
        {"id": f"{row.id}/operations/{row.operation}", "operationId": row.operation, "properties": last},
        *rows,
    ]


def _operation_row(row: Deployment, step: Json) -> Json:
    rid = parse(step["id"])
    assert rid is not None
    over = step["ended"] if step["ended"] is not None else step["started"]
    properties: Json = {
        "provisioningOperation": "Create",
        "provisioningState": step["state"],
        "timestamp": iso(over),
        "duration": duration(over - step["started"]),
        "trackingId": step["track"],
        "statusCode": step["code"],
    }
    if step["error"] is not None:
        properties["statusMessage"] = {"status": "Failed", "error": detail_of(step)}
    properties["targetResource"] = _target(step["id"])
    operation_id = guid_of(row.correlation, step["id"]).replace("-", "")[:16].upper()
    return {
        "id": f"{row.id}/operations/{operation_id}",
        "operationId": operation_id,
        "properties": properties,
    }


def _providers(row: Deployment) -> list[Json]:
    """Return the template's types and where they are to be; children have no location of their own."""
    found: dict[str, dict[str, list[str | None]]] = {}
    for step in row.steps:
        namespace, _, kind = step["type"].partition("/")
        places = found.setdefault(namespace, {}).setdefault(kind, [])
        if step["body"].get("location") not in places:
            places.append(step["body"].get("location"))
    return [
        {
            "namespace": namespace,
            "resourceTypes": [{"resourceType": kind, "locations": places} for kind, places in kinds.items()],
        }
        for namespace, kinds in found.items()
    ]


def _dependencies(row: Deployment) -> list[Json]:
    return [
        {"dependsOn": [_target(need) for need in step["needs"]], **_target(step["id"])}
        for step in row.steps
        if step["needs"]
    ]


def _target(text: str) -> Json:
    rid = parse(text)
    assert rid is not None
    return {"id": text, "resourceType": rid.type, "resourceName": "/".join(rid.names)}
