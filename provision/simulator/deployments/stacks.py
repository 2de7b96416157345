"""Deployment stacks at group scope: deployments whose resources are remembered, and dealt with when left out."""

from __future__ import annotations

from typing import Any

from provision.simulator.deployments import any_resource, deployment_plans, deployments, removal
from provision.simulator.deployments.deployment_views import detail_of, resources_of
from provision.simulator.deployments.stack_bodies import TYPE, checked
from provision.simulator.deployments.step_types import GROUPS, described
from provision.simulator.deployments.template_scope import Place
from provision.simulator.refusals import errors_deployments
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state import operations
from provision.simulator.state.durations import STACK_END_S, STACK_START_S
from provision.simulator.state.ids import resource_id
from provision.simulator.state.operations import STACK, Origin
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import Group, Operation, Stack, World, guid_of
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import moment

FAILED = "One or more resources could not be deployed. Correlation id: '{correlation}'."


def put(
    world: World, at: float, caller: Caller, group: Group, name: str, body: Any, origin: Origin, correlation: str
) -> tuple[int, Stack, Operation]:
    """Accept a stack. Its template is checked when the work starts, as Azure does: the stack then fails."""
    properties = checked(name, body, origin.text)
    key = resource_id(group.subscription, group.name, TYPE, name).key
    before = world.stacks.get(key)
    if before is not None:
        _refuse_running(world, before)
    operation = operations.start(
        world,
        at,
        operations.Target(
            before.id if before else resource_id(group.subscription, group.name, TYPE, name).text,
            group.subscription,
            group.location,
        ),
        kind="stack-put",
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
    stack.caller, stack.location = [caller.object_id, caller.client], group.location
    if before is not None:
        stack.managed, stack.deployment = before.managed, before.deployment
    world.stacks.put(key, stack)
    return 200 if before else 201, stack, operation


def delete(
    world: World,
    at: float,
    caller: Caller,
    group: Group,
    stack: Stack,
    origin: Origin,
    *,
    resources: bool,
    groups: bool = False,
) -> Operation | None:
    """Forget a stack; with `resources` or `groups`, delete those that it manages first, by what is returned."""
    _refuse_running(world, stack)
    gone = _to_delete(stack.managed, resources=resources, groups=groups)
    if not resources and not groups:
        world.stacks.remove(stack.key)
        return None
    operation = operations.start(
        world,
        at,
        operations.Target(stack.id, stack.subscription, group.location),
        kind="stack-delete",
        dialect=STACK,
        seconds=None,
        origin=origin,
        method="DELETE",
        detail={"state": "deletingResources"},
    )
    stack.operation, stack.state = operation.name, "deletingResources"
    stack.caller = [caller.object_id, caller.client]
    world.stacks.put(stack.key, stack)
    waiter = f"stack|{operation.name}"
    removal.start(world, at, caller, gone, stack.subscription, group.location, waiter, stack=stack.id)
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
    stated = list(resources_of(world, deployment))
    before = stack.managed
    if deployment.state != "Succeeded":
        applied = [step["id"] for step in stated if step["state"] == "Succeeded"]
        failed = [step for step in stated if step["error"] is not None]
        stack.failed = [{"id": step["id"], "error": detail_of(step)} for step in failed]
        if world.setting("failedResourcesAreManaged", False):
            applied += [step["id"] for step in failed if any_resource.exists(world, step["id"])]
        stack.managed = _united(before, applied)
        operation.outcome = operation.outcome or _failure(stack, deployment.error)
        return _finish(world, stack, operation, at)
    stack.outputs = deployment.outputs
    stack.managed = [step["id"] for step in stated]
    present = {text.lower() for text in stack.managed}
    unmanaged = [text for text in before if text.lower() not in present]
    action = stack.request["actionOnUnmanage"]
    gone = _to_delete(unmanaged, resources=action["resources"] == "delete", groups=action["resourceGroups"] == "delete")
    stack.detached = [text for text in unmanaged if text not in gone]
    if not gone:
        return _finish(world, stack, operation, at)
    stack.state = operation.detail["state"] = "deletingResources"
    world.stacks.put(stack.key, stack)
    world.operations.put(operation.name, operation)
    caller, waiter = Caller(*stack.caller), f"stack|{operation.name}"
    removal.start(world, at, caller, gone, stack.subscription, operation.location, waiter, stack=stack.id)


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


def _deploy(world: World, stack: Stack, operation: Operation, at: float) -> None:
    key = stack.key.split("/providers/")[0]
    group = world.groups[key]
    suffix = guid_of(operation.name).replace("-", "")[:5]
    name = f"{stack.name}-{moment(at):%y%m%d%H}{suffix}"
    properties = {**stack.request, "mode": "Incremental"}
    try:
        caller = Caller(*stack.caller)
        made = deployment_plans.prepared(
            world, at, caller, Place.of(group), name, properties, None, stack.correlation, stack.id
        )
        deployments.begin(world, at, made, Origin("", f"stack|{operation.name}"))
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
    operations.go_on(world, operation, at, STACK_END_S)


def _failure(stack: Stack, inner: Json | None) -> Json:
    details = [inner] if inner is not None else []
    message = FAILED.format(correlation=stack.correlation)
    return {"code": "DeploymentStackDeploymentFailed", "message": message, "details": details}


def _to_delete(managed: list[str], *, resources: bool, groups: bool) -> list[str]:
    """Return what is deleted of what a stack lets go: groups and other resources are asked for apart."""
    return [text for text in managed if (groups if described(text)[0].lower() == GROUPS else resources)]


def _united(first: list[str], second: list[str]) -> list[str]:
    seen = {text.lower() for text in first}
    return [*first, *(text for text in second if text.lower() not in seen)]


def _own(world: World, operation: Operation) -> Stack | None:
    stack = world.stacks.get(operation.target.lower())
    return stack if stack is not None and stack.operation == operation.name else None


def _refuse_running(world: World, stack: Stack) -> None:
    if operations.running(world, stack.operation) is not None:
        state = stack.state[:1].upper() + stack.state[1:]
        raise errors_deployments.stack_busy(stack.id, state)
