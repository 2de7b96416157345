"""Deployments: a template carried out, each resource as soon as those that it depends on stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from provision.simulator.access import registrations
from provision.simulator.deployments import (
    any_resource,
    deployment_history,
    deployment_plans,
    nested,
    preflight,
    references,
    removal,
    template,
    template_parameters,
    template_resources,
)
from provision.simulator.deployments.deployment_views import FAILED, TYPE, detail_of, resources_of
from provision.simulator.deployments.step_types import DEPLOYMENTS, described
from provision.simulator.deployments.template_scope import Place, scope_of
from provision.simulator.language.syntax import ExpressionError
from provision.simulator.refusals import errors, errors_deployments
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state import operations
from provision.simulator.state.durations import (
    DEPLOYMENT_DELETE_S,
    DEPLOYMENT_END_S,
    DEPLOYMENT_START_S,
    PROVIDER_REGISTER_S,
)
from provision.simulator.state.operations import DEPLOYMENT, GROUP, Origin
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import Deployment, Operation, World
from provision.simulator.wire.messages import Json


def begin(world: World, at: float, made: Deployment, origin: Origin) -> Operation:
    """Put a prepared deployment into the world; refuse to overwrite one that runs, or to keep one too many."""
    before = world.deployments.get(made.key)
    if before is not None and operations.running(world, before.operation) is not None:
        raise errors_deployments.deployment_active(before.id)
    if before is not None and before.location != made.location:
        raise errors_deployments.deployment_elsewhere(made.name, before.location, made.location)
    deployment_history.refuse_full(world, at, made)
    number = world.number()
    operation = operations.start(
        world,
        at,
        made,
        kind="deployment",
        dialect=DEPLOYMENT,
        seconds=DEPLOYMENT_START_S + _registered(world, at, made),
        origin=Origin(f"085845{number:014d}", origin.waiter),
        detail={"state": "Accepted"},
    )
    for step in made.steps:
        # What is inside of a nested deployment is worked out again when its turn comes.
        step.pop("steps", None)
    made.operation = operation.name
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
        operations.go_on(world, operation, at, DEPLOYMENT_END_S)


def cancel(world: World, row: Deployment, at: float) -> None:
    """Stop starting resources, in nested deployments too; those that run go on by themselves, as in Azure."""
    operation = operations.running(world, row.operation)
    if operation is None or row.state not in ("Accepted", "Running"):
        raise errors_deployments.deployment_over(row.name, row.state)
    for inner in list(_running_inside(world, row)):
        cancel(world, inner, at)
    row.state, row.ended = "Canceled", at
    message = f"The deployment '{row.name}' has been canceled."
    row.error = {"code": "DeploymentCanceled", "message": message}
    operation.outcome, operation.detail["canceled"] = row.error, True
    world.deployments.put(row.key, row)
    world.schedule(operation, at)


def delete(world: World, at: float, row: Deployment) -> Operation:
    """Forget a deployment. What it deployed stays."""
    return operations.start(
        world,
        at,
        row,
        kind="deployment-delete",
        dialect=GROUP,
        seconds=DEPLOYMENT_DELETE_S,
        origin=Origin(operations.deployment_job(row.group, row.name, row.location)),
        method="DELETE",
        detail={"status": 204},
    )


def delete_ended(world: World, operation: Operation, at: float) -> None:
    if operation.outcome is None and operation.target.lower() in world.deployments:
        world.deployments.remove(operation.target.lower())


def _registered(world: World, at: float, made: Deployment) -> float:
    """Register the providers that a template needs, as Azure does by itself; return how long that takes."""
    missing = preflight.unregistered(world, made.steps)
    for namespace in missing:
        registrations.change(world, at, made.subscription, namespace, to=registrations.REGISTERED)
    return PROVIDER_REGISTER_S if missing else 0.0


def _running_inside(world: World, row: Deployment) -> Iterator[Deployment]:
    for step in row.steps:
        inner = world.deployments.get(step["id"].lower()) if step["state"] == "Running" else None
        if inner is not None and inner.operation == step["operation"] and inner.state in ("Accepted", "Running"):
            yield inner


def _go_on(world: World, row: Deployment, operation: Operation, at: float) -> None:
    """Start every resource whose needs are met; when none runs and none can start, head for the end."""
    begun = True
    while begun:
        states = {step["id"]: step["state"] for step in row.steps}
        begun = False
        for index, step in enumerate(row.steps):
            if step["state"] == "Waiting" and all(states[need] == "Succeeded" for need in step["needs"]):
                _start_step(world, row, index, at)
                # What is done at once frees others at once.
                begun = begun or step["state"] == "Succeeded"
    world.deployments.put(row.key, row)
    if any(step["state"] == "Running" for step in row.steps):
        return
    failed = [step for step in row.steps if step["error"] is not None]
    if failed:
        operation.outcome = _failure(row, failed)
    elif row.mode == "Complete":
        kept = {step["id"].lower() for step in resources_of(world, row)}
        group_key = f"/subscriptions/{row.subscription}/resourcegroups/{row.group}".lower()
        rows = world.resources.members(group_key)
        extra = [each.id for each in rows if each.key not in kept and each.rid.parent is None]
        if extra:
            waiter = f"complete|{operation.name}"
            removal.start(world, at, Caller(*row.caller), extra, row.subscription, operation.location, waiter)
            return
    operations.go_on(world, operation, at, DEPLOYMENT_END_S)


def _start_step(world: World, row: Deployment, index: int, at: float) -> None:
    step = row.steps[index]
    step["state"], step["started"] = "Running", at
    origin = Origin("", f"deployment|{row.key}|{index}", step["api_version"])
    try:
        status, operation = _begun(world, row, step, at, origin)
    except Refusal as refusal:
        step["code"] = _word(refusal.status)
        _settle_step(step, refusal.error, at)
        return
    step["code"] = "Created" if status == 201 else "OK"
    if operation is None:
        _settle_step(step, None, at)
    else:
        step["operation"] = operation.name


def _begun(world: World, row: Deployment, step: Json, at: float, origin: Origin) -> tuple[int, Operation | None]:
    """Start what a step asks for: another deployment, or the write of a resource."""
    body = step["body"]
    if step["late"]:
        raw = template_resources.raw_at(row.template, step)
        place = Place.at(world, row.subscription, row.group, row.location)
        scope = scope_of(
            row.template,
            template_parameters.by_name(row.parameters),
            place,
            row.name,
            lookup=references.lookup(world, row, at),
        )
        scope = replace(scope, loops=step["loops"], infos=row.symbols)
        try:
            if step["type"].lower() == DEPLOYMENTS:
                return _begun_inside(
                    world, row, nested.request(world, raw, scope, place, described(step["id"])[1]), at, origin
                )
            body = step["body"] = template_resources.body_of(template_resources.resource_of(raw, scope))
        except ExpressionError as error:
            raise template_resources.in_words(raw, error) from error
    return any_resource.put(world, at, row, step["id"], body, origin)


def _begun_inside(
    world: World, row: Deployment, asked: nested.Request, at: float, origin: Origin
) -> tuple[int, Operation]:
    any_resource.refuse_put(world, row, f"{asked.place.id}/providers/{TYPE}/{asked.name}")
    if not asked.place.exists:
        raise errors.no_group(asked.place.group)
    request = {"template": asked.template, "parameters": asked.parameters, "mode": asked.mode}
    made = deployment_plans.prepared(
        world, at, Caller(*row.caller), asked.place, asked.name, request, None, row.correlation, row.stack
    )
    existed = made.key in world.deployments
    return 200 if existed else 201, begin(world, at, made, origin)


def _settle_step(step: Json, error: Json | None, at: float) -> None:
    step["state"] = "Succeeded" if error is None else "Failed"
    step["error"], step["ended"] = error, at
    if error is not None and step["code"] in ("OK", "Created"):
        step["code"] = "Conflict"


def _close(world: World, row: Deployment, operation: Operation, at: float) -> None:
    if not operation.detail.get("canceled"):
        if operation.outcome is None:
            operation.outcome = _outputs(world, row, at)
        row.error = operation.outcome
        row.state = "Succeeded" if operation.outcome is None else "Failed"
        row.ended = at
        row.made = [step["id"] for step in resources_of(world, row) if step["state"] == "Succeeded"]
    world.deployments.put(row.key, row)


def _outputs(world: World, row: Deployment, at: float) -> Json | None:
    """Work out the outputs; return the error of those that cannot be."""
    place = Place.at(world, row.subscription, row.group, row.location)
    known = template_parameters.by_name(row.parameters)
    scope = scope_of(row.template, known, place, row.name, lookup=references.lookup(world, row, at))
    try:
        row.outputs = template.outputs(row.template, replace(scope, infos=row.symbols))
    except (ExpressionError, Refusal) as error:
        text = error.error["message"] if isinstance(error, Refusal) else str(error)
        return errors_deployments.bad_outputs(row.id, text)
    return None


def _failure(row: Deployment, failed: list[Json]) -> Json:
    details = [{**detail_of(step), "target": step["id"]} for step in failed]
    return {"code": "DeploymentFailed", "target": row.id, "message": FAILED, "details": details}


def _word(status: int) -> str:
    words = {400: "BadRequest", 403: "Forbidden", 404: "NotFound", 409: "Conflict", 429: "TooManyRequests"}
    return words.get(status, "InternalServerError")
