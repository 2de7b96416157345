"""Deployment stacks at group scope: deployments whose resources are remembered, and dealt with when left out."""

from __future__ import annotations

from typing import Any

from provision.simulator import bodies, deployments, errors, operations, removal, template
from provision.simulator.durations import STACK_END_S, STACK_START_S
from provision.simulator.errors import Refusal
from provision.simulator.ids import resource_id
from provision.simulator.messages import Json
from provision.simulator.operations import STACK, Origin
from provision.simulator.shapes import How
from provision.simulator.times import duration, iso, moment
from provision.simulator.world import Group, Operation, Stack, World, guid_of

TYPE = "Microsoft.Resources/deploymentStacks"
FAILED = "One or more resources could not be deployed. Correlation id: '{correlation}'."
_ACTOR = {"createdBy": "someone@example.com", "createdByType": "User"}


def put(
    world: World, at: float, group: Group, name: str, body: Any, origin: Origin, correlation: str
) -> tuple[int, Stack, Operation]:
    """Accept a stack. Its template is checked when the work starts, as Azure does: the stack then fails."""
    properties = checked(body, origin.text)
    key = resource_id(group.subscription, group.name, TYPE, name).key
    before = world.stacks.get(key)
    if before is not None:
        _refuse_running(world, before)
    operation = operations.start(
        world,
        at,
        kind="stack-put",
        target=before.id if before else resource_id(group.subscription, group.name, TYPE, name).text,
        subscription=group.subscription,
        location=group.location,
        dialect=STACK,
        seconds=STACK_START_S,
        origin=origin,
        detail={"state": "initializing"},
    )
    stack = Stack(
        operation.target,
        group.subscription,
        group.name,
        before.name if before else name,
        body.get("tags"),
        properties,
        "initializing",
        operation.name,
        correlation,
        before.created if before else at,
        at,
    )
    if before is not None:
        stack.managed, stack.deployment = before.managed, before.deployment
    world.stacks.put(key, stack)
    return 200 if before else 201, stack, operation


def delete(world: World, at: float, group: Group, stack: Stack, origin: Origin, *, resources: bool) -> Operation | None:
    """Forget a stack; with `resources`, delete what it manages first, by the operation that is returned."""
    _refuse_running(world, stack)
    if not resources:
        world.stacks.remove(stack.key)
        return None
    operation = operations.start(
        world,
        at,
        kind="stack-delete",
        target=stack.id,
        subscription=stack.subscription,
        location=group.location,
        dialect=STACK,
        seconds=None,
        origin=origin,
        method="DELETE",
        detail={"state": "deletingResources"},
    )
    stack.operation, stack.state = operation.name, "deletingResources"
    world.stacks.put(stack.key, stack)
    removal.start(world, at, stack.managed, stack.subscription, group.location, f"stack|{operation.name}")
    return operation


def put_due(world: World, operation: Operation, at: float) -> bool:
    """Take the next move of a stack's PUT; return whether its operation is over."""
    stack = _own(world, operation)
    if stack is None:
        return True
    if stack.state == "initializing":
        _deploy(world, stack, operation, at)
        return False
    stack.state = "succeeded" if operation.outcome is None else "failed"
    stack.error, stack.ended = operation.outcome, at
    world.stacks.put(stack.key, stack)
    return True


def delete_due(world: World, operation: Operation, at: float) -> bool:
    stack = _own(world, operation)
    if stack is None:
        return True
    if operation.outcome is None:
        world.stacks.remove(stack.key)
    else:
        stack.state, stack.error, stack.ended = "failed", operation.outcome, at
        world.stacks.put(stack.key, stack)
    return True


def deployment_ended(world: World, child: Operation, at: float) -> None:
    """Take over from the inner deployment: note what is managed now, and deal with what no longer is."""
    operation = operations.running(world, child.waiter.split("|")[1])
    stack = _own(world, operation) if operation is not None else None
    deployment = world.deployments.get(child.target.lower())
    if operation is None or stack is None or deployment is None:
        return
    stated = [step["id"] for step in deployment.steps]
    before = stack.managed
    if deployment.state != "Succeeded":
        applied = [step["id"] for step in deployment.steps if step["state"] == "Succeeded"]
        failed = [step for step in deployment.steps if step["error"] is not None]
        stack.failed = [{"id": step["id"], "error": deployments.detail_of(step)} for step in failed]
        if world.setting("failedResourcesAreManaged", False):
            applied += [step["id"] for step in failed if step["id"].lower() in world.resources]
        stack.managed = _united(before, applied)
        operation.outcome = operation.outcome or _failure(stack, deployment.error)
        return _finish(world, stack, operation, at)
    stack.outputs = deployment.outputs
    stack.managed = stated
    present = {text.lower() for text in stated}
    unmanaged = [text for text in before if text.lower() not in present]
    if not unmanaged or stack.request["actionOnUnmanage"]["resources"] == "detach":
        stack.detached = unmanaged
        return _finish(world, stack, operation, at)
    stack.state = operation.detail["state"] = "deletingResources"
    world.stacks.put(stack.key, stack)
    world.operations.put(operation.name, operation)
    removal.start(world, at, unmanaged, stack.subscription, operation.location, f"stack|{operation.name}")


def removal_ended(world: World, child: Operation, at: float) -> None:
    operation = operations.running(world, child.waiter.split("|")[1])
    stack = _own(world, operation) if operation is not None else None
    if operation is None or stack is None:
        return
    stack.deleted = child.detail["deleted"]
    if child.outcome is not None:
        operation.outcome = operation.outcome or child.outcome
        stack.failed = [{"id": each["target"], "error": each} for each in child.outcome["details"]]
    _finish(world, stack, operation, at)


def checked(body: Any, text: str = "") -> Json:
    """Return the properties of a stack's body with Azure's defaults; refuse what is no stack."""
    properties: Json = bodies.read(TYPE, body, text, How(nulls=True))["properties"]
    defaults = {
        "resourceGroups": "detach",
        "managementGroups": "detach",
        "resourcesWithoutDeleteSupport": "fail",
    }
    action = bodies.without_nulls(properties["actionOnUnmanage"])
    properties["actionOnUnmanage"] = {"resources": action["resources"], **defaults, **action}
    defaults_of_deny = {"applyToChildScopes": False, "excludedPrincipals": [], "excludedActions": []}
    properties["denySettings"] = {**defaults_of_deny, **bodies.without_nulls(properties["denySettings"])}
    return properties


def render(stack: Stack) -> Json:
    request = stack.request
    properties: Json = {"actionOnUnmanage": request["actionOnUnmanage"]}
    if stack.deployment:
        properties["deploymentId"] = stack.deployment
    if stack.ended is not None:
        properties["duration"] = duration(stack.ended - stack.modified)
    for key in ("description", "deploymentScope"):
        if key in request:
            properties[key] = request[key]
    properties["denySettings"] = request["denySettings"]
    if stack.outputs and stack.state == "succeeded":
        properties["outputs"] = stack.outputs
    properties |= {
        "parameters": shown_parameters(stack),
        "resources": [{"status": "managed", "denyStatus": "none", "id": text} for text in stack.managed],
        "provisioningState": stack.state,
        "detachedResources": [{"id": text} for text in stack.detached],
        "deletedResources": [{"id": text} for text in stack.deleted],
        "failedResources": stack.failed,
        "correlationId": stack.correlation,
    }
    if stack.error is not None:
        properties["error"] = stack.error
    system = {**_ACTOR, "createdAt": iso(stack.created), "lastModifiedBy": _ACTOR["createdBy"]}
    system |= {"lastModifiedByType": _ACTOR["createdByType"], "lastModifiedAt": iso(stack.modified)}
    tags = {"tags": stack.tags} if stack.tags is not None else {}
    return {
        **tags,
        "properties": properties,
        "systemData": system,
        "id": stack.id,
        "type": TYPE,
        "name": stack.name,
    }


def shown_parameters(stack: Stack) -> Json:
    """Return the parameters as given, with lower-case types; a template that is refused shows them untyped."""
    try:
        return template.shown(template.values(stack.request["template"], stack.request.get("parameters")), lower=True)
    except (Refusal, KeyError):
        given: Json = stack.request.get("parameters") or {}
        return given


def _deploy(world: World, stack: Stack, operation: Operation, at: float) -> None:
    key = stack.key.split("/providers/")[0]
    group = world.groups[key]
    suffix = guid_of(operation.name).replace("-", "")[:5]
    name = f"{stack.name}-{moment(at):%y%m%d%H}{suffix}"
    properties = {**stack.request, "mode": "Incremental"}
    try:
        made = deployments.prepared(world, at, group, name, properties, None, stack.correlation)
        deployments.begin(world, at, group, made, Origin("", f"stack|{operation.name}"), stack.id)
    except Refusal as refusal:
        operation.outcome = operation.outcome or _failure(stack, refusal.error)
        return _finish(world, stack, operation, at)
    stack.state = operation.detail["state"] = "deploying"
    stack.deployment = made.id
    world.stacks.put(stack.key, stack)


def _finish(world: World, stack: Stack, operation: Operation, at: float) -> None:
    if stack.state == "initializing":
        stack.state = "deploying"
    world.stacks.put(stack.key, stack)
    world.schedule(operation, at + STACK_END_S)


def _failure(stack: Stack, inner: Json | None) -> Json:
    details = [inner] if inner is not None else []
    message = FAILED.format(correlation=stack.correlation)
    return {"code": "DeploymentStackDeploymentFailed", "message": message, "details": details}


def _united(first: list[str], second: list[str]) -> list[str]:
    seen = {text.lower() for text in first}
    return [*first, *(text for text in second if text.lower() not in seen)]


def _own(world: World, operation: Operation) -> Stack | None:
    stack = world.stacks.get(operation.target.lower())
    return stack if stack is not None and stack.operation == operation.name else None


def _refuse_running(world: World, stack: Stack) -> None:
    if operations.running(world, stack.operation) is not None:
        state = stack.state[:1].upper() + stack.state[1:]
        raise errors.stack_busy(stack.id, state)
