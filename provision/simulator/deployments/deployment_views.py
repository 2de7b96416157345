"""How deployments and their operations read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from provision.simulator.deployments import template_parameters
from provision.simulator.deployments.nested import all_steps
from provision.simulator.deployments.step_types import DEPLOYMENTS, described
from provision.simulator.state.durations import DEPLOYMENT_END_S
from provision.simulator.state.world import Deployment, World, guid_of
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import duration, iso

TYPE = "Microsoft.Resources/deployments"
FAILED = (
    "At least one resource deployment operation failed. Please list deployment operations for details. "
    "Please see https://aka.ms/arm-deployment-operations for usage details."
)
_BAD_STATE = (
    "The resource write operation failed to complete successfully, because it reached terminal provisioning state "
    "'Failed'."
)


def render(row: Deployment, now: float, *, validating: bool = False) -> Json:
    over = row.ended if row.ended is not None else now
    properties: Json = {
        "templateHash": row.template_hash,
        "parameters": _parameters(row, validating=validating),
        "mode": row.mode,
        "provisioningState": "Succeeded" if validating else row.state,
        "timestamp": iso(over),
        "duration": "PT0S" if validating else duration(over - row.started),
        "correlationId": row.correlation,
        "providers": _providers(row),
        "dependencies": _dependencies(row),
    }
    if validating:
        properties["validatedResources"] = [{"id": step["id"]} for step in all_steps(row.steps)]
    if row.state == "Succeeded":
        properties["outputs"] = row.outputs
        properties["outputResources"] = [{"id": text} for text in row.made]
    elif row.error is not None:
        properties["error"] = row.error
    body: Json = {"id": row.id, "name": row.name, "type": TYPE}
    place = {} if row.group else {"location": row.location}
    return {**body, **place, **({"tags": row.tags} if row.tags else {}), "properties": properties}


def _parameters(row: Deployment, *, validating: bool) -> Json:
    """Return the parameters as they are shown; those that are null lose their value once the deployment runs."""
    found = template_parameters.shown(row.parameters)
    if validating or row.state == "Accepted":
        return found
    return {name: {key: each for key, each in one.items() if each is not None} for name, one in found.items()}


def resources_of(world: World, row: Deployment) -> Iterator[Json]:
    """Yield the steps that wrote resources, those of nested deployments in the place of these."""
    for step in row.steps:
        inner = world.deployments.get(step["id"].lower()) if step["type"].lower() == DEPLOYMENTS else None
        if inner is not None and step["operation"]:
            yield from resources_of(world, inner)
        elif step["type"].lower() != DEPLOYMENTS:
            yield step


def operation_rows(row: Deployment) -> list[Json]:
    """Return the deployment's operations, newest first; the evaluation of outputs comes last in time."""
    begun = [step for step in row.steps if step["state"] != "Waiting"]
    rows = [_operation_row(row, step) for step in sorted(begun, key=lambda step: (-step["started"], step["id"]))]
    if row.state != "Succeeded":
        return rows
    rows = [_own_row(row, "EvaluateDeploymentOutput", row.operation), *rows]
    if row.mode == "Complete":
        rows.insert(
            1, _own_row(row, "DeploymentCleanup", guid_of(row.correlation, "cleanup").replace("-", "")[:16].upper())
        )
    return rows


def _own_row(row: Deployment, what: str, name: str) -> Json:
    """Return an operation of the deployment itself, which is about no resource."""
    properties = {
        "provisioningOperation": what,
        "provisioningState": "Succeeded",
        "timestamp": iso(row.ended or row.started),
        "duration": duration(DEPLOYMENT_END_S),
        "trackingId": guid_of(row.correlation, name),
        "statusCode": "OK",
    }
    return {"id": f"{row.id}/operations/{name}", "operationId": name, "properties": properties}


def _operation_row(row: Deployment, step: Json) -> Json:
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


def detail_of(step: Json) -> Json:
    """Return a failed resource's error. A failed operation hides the provider's envelope in a JSON string."""
    error = step["error"]
    if not step["operation"]:
        return dict(error)
    if step["type"].lower() == DEPLOYMENTS:
        return {"code": "ResourceDeploymentFailure", "target": step["id"], "message": _BAD_STATE, "details": [error]}
    inner = json.dumps({"error": error}, indent=2).replace("\n", "\r\n")
    return {
        "code": "ResourceDeploymentFailure",
        "message": _BAD_STATE,
        "details": [{"code": error["code"], "message": inner}],
    }


def _providers(row: Deployment) -> list[Json]:
    """Return the template's types and where they are to be; children have no location of their own."""
    found: dict[str, dict[str, list[Any]]] = {}
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
    type_, name = described(text)
    return {"id": text, "resourceType": type_, "resourceName": name}
