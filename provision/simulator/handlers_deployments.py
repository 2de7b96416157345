"""Requests about deployments and deployment stacks."""

from __future__ import annotations

from typing import Any

from provision.simulator import bodies, deployments, errors, operations, stacks, template
from provision.simulator.calls import Call
from provision.simulator.durations import STACK_VALIDATE_S
from provision.simulator.errors import Refusal
from provision.simulator.ids import group_key
from provision.simulator.messages import Json, Reply
from provision.simulator.operations import STACK_RESULT, Origin
from provision.simulator.shapes import How
from provision.simulator.world import Deployment, Stack

ENGINE = {"x-ms-deployment-engine-version": "1.95.0"}


def put(call: Call) -> Reply:
    group = call.group()
    if group.state == "Deleting":
        raise errors.group_going(group.name)
    made = _prepared(call)
    existed = made.key in call.world.deployments
    operation = deployments.begin(call.world, call.now, group, made, call.origin)
    reply = call.started(200 if existed else 201, operation, deployments.render(made, call.now))
    return Reply(reply.status, reply.body, {**reply.headers, **ENGINE})


def validate(call: Call) -> Reply:
    return Reply(200, deployments.render(_prepared(call), call.now, validating=True))


def get(call: Call) -> Reply:
    return Reply(200, deployments.render(_deployment(call), call.now))


def head(call: Call) -> Reply:
    call.group()
    found = _key(call) in call.world.deployments
    return Reply(204 if found else 404)


def list_group(call: Call) -> Reply:
    prefix = f"{call.group().key}/"
    rows = [row for row in call.world.deployments.values() if row.key.startswith(prefix)]
    return call.page(sorted(rows, key=lambda row: row.key), lambda row: deployments.render(row, call.now))


def delete(call: Call) -> Reply:
    """Forget a deployment's record. The resources stay."""
    row = call.world.deployments.get(_key(call))
    if row is None:
        return Reply(204)
    if operations.running(call.world, row.operation) is not None:
        raise errors.deployment_active(row.id)
    return call.started(202, deployments.delete(call.world, call.now, call.group(), row))


def cancel(call: Call) -> Reply:
    deployments.cancel(call.world, _deployment(call), call.now)
    return Reply(204)


def export(call: Call) -> Reply:
    return Reply(200, {"template": _deployment(call).template})


def list_operations(call: Call) -> Reply:
    return call.page(deployments.operation_rows(_deployment(call)), lambda row: row)


def get_operation(call: Call) -> Reply:
    for row in deployments.operation_rows(_deployment(call)):
        if row["operationId"].lower() == call.params["operation"].lower():
            return Reply(200, row)
    raise Refusal(404, "DeploymentOperationNotFound", "The deployment operation could not be found.")


def poll(call: Call) -> Reply:
    reply = operations.poll_deployment(call.world, call.params["operation"])
    if reply is None:
        raise errors.no_deployment(call.params["name"])
    return reply


def hash_template(call: Call) -> Reply:
    return Reply(200, {"templateHash": template.hash_of(template.checked(call.body))})


# --- stacks ---


def put_stack(call: Call) -> Reply:
    group = call.group()
    if group.state == "Deleting":
        raise errors.group_going(group.name)
    status, stack, operation = stacks.put(
        call.world, call.now, group, call.params["name"], call.body, call.origin, call.correlation
    )
    return call.started(status, operation, stacks.render(stack))


def get_stack(call: Call) -> Reply:
    return Reply(200, stacks.render(_stack(call)))


def list_stacks(call: Call) -> Reply:
    prefix = f"{call.group().key}/"
    rows = [row for row in call.world.stacks.values() if row.key.startswith(prefix)]
    return call.page(sorted(rows, key=lambda row: row.key), stacks.render)


def delete_stack(call: Call) -> Reply:
    group = call.group()
    stack = call.world.stacks.get(_stack_key(call))
    if stack is None:
        return Reply(204)
    resources = call.request.query.get("unmanageaction.resources", "detach").lower() == "delete"
    operation = stacks.delete(call.world, call.now, group, stack, call.origin, resources=resources)
    return Reply(200) if operation is None else call.started(202, operation, deletes=True)


def export_stack(call: Call) -> Reply:
    return Reply(200, {"template": _stack(call).request["template"]})


def validate_stack(call: Call) -> Reply:
    """Start a validation. What comes of it is decided here, and shown when the job is polled to its end."""
    group = call.group()
    properties = stacks.checked(call.body, call.text)
    name = operations.validation_job(call.request_id, group.location)
    try:
        made = deployments.prepared(
            call.world, call.now, group, call.params["name"], properties, None, call.correlation
        )
        result: Json = {"status": 200, "body": _validated(call, properties, made)}
    except Refusal as refusal:
        result = {"status": 400, "body": {"error": refusal.error, "properties": {}}}
    operation = operations.start(
        call.world,
        call.now,
        kind="stack-validate",
        target=_stack_id(call),
        subscription=group.subscription,
        location=group.location,
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
            "validatedResources": [{"id": step["id"]} for step in made.steps],
            "actionOnUnmanage": action,
            "denySettings": deny,
            "parameters": template.shown(made.parameters),
            "deploymentExtensions": [],
            "correlationId": call.correlation,
        },
        "id": _stack_id(call),
        "type": stacks.TYPE,
        "name": call.params["name"],
    }


def _capital(text: Any) -> str:
    return str(text)[:1].upper() + str(text)[1:]


def _prepared(call: Call) -> Deployment:
    # Nulls are kept: one may be the value of a parameter.
    body = bodies.read(deployments.TYPE, call.body, call.text, How(nulls=True))
    return deployments.prepared(
        call.world,
        call.now,
        call.group(),
        call.params["name"],
        body["properties"],
        body.get("tags"),
        call.correlation,
    )


def _key(call: Call) -> str:
    here = group_key(call.subscription, call.params["group"])
    return f"{here}/providers/{deployments.TYPE}/{call.params['name']}".lower()


def _deployment(call: Call) -> Deployment:
    call.group()
    row = call.world.deployments.get(_key(call))
    if row is None:
        raise errors.no_deployment(call.params["name"])
    return row


def _stack_id(call: Call) -> str:
    return call.rid(stacks.TYPE, call.params["name"]).text


def _stack_key(call: Call) -> str:
    return _stack_id(call).lower()


def _stack(call: Call) -> Stack:
    call.group()
    row = call.world.stacks.get(_stack_key(call))
    if row is None:
        raise errors.no_stack(_stack_id(call))
    return row
