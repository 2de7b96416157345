"""Requests about deployment stacks."""

from __future__ import annotations

from typing import Any

from provision.simulator.deployments import deployment_plans, stack_bodies, stacks, template_parameters
from provision.simulator.deployments.nested import all_steps
from provision.simulator.deployments.template_scope import Place
from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import errors, errors_deployments
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state import operations
from provision.simulator.state.durations import STACK_VALIDATE_S
from provision.simulator.state.operations import STACK_RESULT, Origin
from provision.simulator.state.world import Deployment, Stack
from provision.simulator.wire.messages import Json, Reply


def put_stack(call: Call) -> Reply:
    group = call.group()
    if group.state == "Deleting":
        raise errors.group_going(group.name)
    status, stack, operation = stacks.put(
        call.world, call.now, call.caller, group, call.params["name"], call.body, call.origin, call.correlation
    )
    return call.started(status, operation, stack_bodies.render(stack))


def get_stack(call: Call) -> Reply:
    return Reply(200, stack_bodies.render(_stack(call)))


def list_stacks(call: Call) -> Reply:
    prefix = f"{call.group().key}/"
    rows = [row for row in call.world.stacks.values() if row.key.startswith(prefix)]
    return call.page(sorted(rows, key=lambda row: row.key), stack_bodies.render)


def delete_stack(call: Call) -> Reply:
    group = call.group()
    stack = call.world.stacks.get(_stack_key(call))
    if stack is None:
        return Reply(204)
    resources, groups = (
        call.request.query.get(f"unmanageaction.{what}", "detach").lower() == "delete"
        for what in ("resources", "resourcegroups")
    )
    if groups and not resources:
        text = "The 'unmanageAction.ResourceGroups' cannot be 'delete' where 'unmanageAction.Resources' is 'detach'."
        raise errors.service(400, "DeploymentStackUnmanageActionInvalid", text)
    operation = stacks.delete(
        call.world, call.now, call.caller, group, stack, call.origin, resources=resources, groups=groups
    )
    return Reply(200) if operation is None else call.started(202, operation, deletes=True)


def export_stack(call: Call) -> Reply:
    return Reply(200, {"template": _stack(call).request.get("template")})


def validate_stack(call: Call) -> Reply:
    """Start a validation. What comes of it is decided here, and shown when the job is polled to its end."""
    group = call.group()
    properties = stack_bodies.checked(call.params["name"], call.body, call.text)
    name = operations.validation_job(call.request_id, group.location)
    try:
        made = deployment_plans.prepared(
            call.world,
            call.now,
            call.caller,
            Place.of(group),
            call.params["name"],
            properties,
            None,
            call.correlation,
            _stack_id(call),
        )
        result: Json = {"status": 200, "body": _validated(call, properties, made)}
    except Refusal as refusal:
        result = {"status": 400, "body": {"error": refusal.error, "properties": {}}}
    operation = operations.start(
        call.world,
        call.now,
        operations.Target(_stack_id(call), group.subscription, group.location),
        kind="stack-validate",
        dialect=STACK_RESULT,
        seconds=STACK_VALIDATE_S,
        origin=Origin(name),
        method="POST",
        detail=result,
    )
    return call.started(202, operation)


def poll_stack(call: Call) -> Reply:
    reply = operations.poll_stack(call.world, call.params["operation"])
    if reply is None:
        raise errors.service(404, "DeploymentStackOperationNotFound", "The operation could not be found.")
    return reply


def poll_stack_result(call: Call) -> Reply:
    operation = operations.known(call.world, call.params["operation"], STACK_RESULT)
    if operation is None:
        raise errors.service(404, "DeploymentStackOperationNotFound", "The operation could not be found.")
    if operation.status == "InProgress":
        return Reply(202)
    return Reply(operation.detail["status"], operation.detail["body"])


def _validated(call: Call, properties: Json, made: Deployment) -> Json:
    action = {key: _capital(value) for key, value in properties["actionOnUnmanage"].items()}
    deny = {**properties["denySettings"], "mode": _capital(properties["denySettings"]["mode"])}
    return {
        "properties": {
            "validatedResources": [{"id": step["id"]} for step in all_steps(made.steps)],
            "actionOnUnmanage": action,
            "denySettings": deny,
            "parameters": template_parameters.shown(made.parameters),
            "deploymentExtensions": [],
            "correlationId": call.correlation,
        },
        "id": _stack_id(call),
        "type": stack_bodies.TYPE,
        "name": call.params["name"],
    }


def _capital(text: Any) -> str:
    return str(text)[:1].upper() + str(text)[1:]


def _stack_id(call: Call) -> str:
    return call.rid(stack_bodies.TYPE, call.params["name"]).text


def _stack_key(call: Call) -> str:
    return _stack_id(call).lower()


def _stack(call: Call) -> Stack:
    call.group()
    row = call.world.stacks.get(_stack_key(call))
    if row is None:
        raise errors_deployments.no_stack(_stack_id(call))
    return row
