"""Requests about deployments, at the scope of a group and of a subscription."""

from __future__ import annotations

import re

from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.deployments import (
    deployment_history,
    deployment_plans,
    deployment_views,
    deployments,
    template,
    what_if,
)
from provision.simulator.deployments.deployment_views import TYPE
from provision.simulator.deployments.template_scope import Place
from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import errors, errors_deployments
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state import operations
from provision.simulator.state.facts import limit
from provision.simulator.state.ids import group_key
from provision.simulator.state.world import Deployment
from provision.simulator.wire.messages import Json, Reply

ENGINE = {"x-ms-deployment-engine-version": "1.95.0"}
_NAME = re.compile(r"[-\w._()]+")
_NOT_SIMULATED = ("parametersLink", "onErrorDeployment", "externalInputs", "extensionConfigs")


def put(call: Call) -> Reply:
    made = _prepared(call)
    existed = made.key in call.world.deployments
    operation = deployments.begin(call.world, call.now, made, call.origin)
    reply = call.started(200 if existed else 201, operation, deployment_views.render(made, call.now))
    return Reply(reply.status, reply.body, {**reply.headers, **ENGINE})


def validate(call: Call) -> Reply:
    made = _prepared(call)
    deployment_history.trim(call.world, call.now, made)
    return Reply(200, deployment_views.render(made, call.now, validating=True))


def foresee(call: Call) -> Reply:
    """Start a what-if. What comes of it is decided here, and shown when the job is polled to its end."""
    body = _checked(call)
    place = _place(call, body)
    wanted = str((body["properties"].get("whatIfSettings") or {}).get("resultFormat", what_if.FULL))
    operation = what_if.start(
        call.world, call.now, place, call.params["name"], body["properties"], wanted, call.correlation, call.request_id
    )
    return call.started(202, operation)


def get(call: Call) -> Reply:
    return Reply(200, deployment_views.render(_deployment(call), call.now))


def head(call: Call) -> Reply:
    _scope(call)
    found = _key(call) in call.world.deployments
    return Reply(204 if found else 404)


def list_scope(call: Call) -> Reply:
    """Answer with the deployments of a group, or with those of a subscription that are in no group."""
    prefix = f"{_scope(call)}/providers/".lower()
    rows = [row for row in call.world.deployments.values() if row.key.startswith(prefix)]
    state = re.search(r"provisioningState\s+eq\s+'([^']*)'", call.request.query.get("$filter", ""), re.IGNORECASE)
    if state is not None:
        rows = [row for row in rows if row.state.lower() == state[1].lower()]
    return call.page(sorted(rows, key=lambda row: row.key), lambda row: deployment_views.render(row, call.now))


def delete(call: Call) -> Reply:
    """Forget a deployment's record. The resources stay."""
    _scope(call)
    row = call.world.deployments.get(_key(call))
    if row is None:
        return Reply(204)
    if operations.running(call.world, row.operation) is not None:
        raise errors_deployments.deployment_active(row.id)
    return call.started(202, deployments.delete(call.world, call.now, row))


def cancel(call: Call) -> Reply:
    deployments.cancel(call.world, _deployment(call), call.now)
    return Reply(204)


def export(call: Call) -> Reply:
    return Reply(200, {"template": _deployment(call).template})


def list_operations(call: Call) -> Reply:
    return call.page(deployment_views.operation_rows(_deployment(call)), lambda row: row)


def get_operation(call: Call) -> Reply:
    for row in deployment_views.operation_rows(_deployment(call)):
        if row["operationId"].lower() == call.params["operation"].lower():
            return Reply(200, row)
    raise Refusal(404, "DeploymentOperationNotFound", "The deployment operation could not be found.")


def poll(call: Call) -> Reply:
    reply = operations.poll_deployment(call.world, call.params["operation"])
    if reply is None:
        raise errors_deployments.no_deployment(call.params["name"])
    return reply


def hash_template(call: Call) -> Reply:
    body = template.checked(call.body)
    return Reply(200, {"minifiedTemplate": template.minified(body), "templateHash": template.hash_of(body)})


def _prepared(call: Call) -> Deployment:
    body = _checked(call)
    try:
        return deployment_plans.prepared(
            call.world,
            call.now,
            call.caller,
            _place(call, body),
            call.params["name"],
            body["properties"],
            body.get("tags"),
            call.correlation,
        )
    except Refusal as refusal:
        raise errors_deployments.placed(refusal, call.text) from None


def _checked(call: Call) -> Json:
    """Return the body of a deployment; refuse what is none."""
    name, most = call.params["name"], limit("deployment_name_characters")
    if len(name) > most or not _NAME.fullmatch(name):
        raise errors_deployments.bad_deployment_name(name, most)
    # Nulls are kept: one may be the value of a parameter.
    body = bodies.read(TYPE, call.body, call.text, How(nulls=True))
    properties = body["properties"]
    if properties.get("templateLink"):
        link = properties["templateLink"]
        raise errors_deployments.no_template_link(str(link.get("uri", link.get("id", ""))))
    for key in _NOT_SIMULATED:
        if properties.get(key):
            raise errors.bad_content(f"The property '{key}' of deployments is not simulated. Path 'properties.{key}'")
    return body


def _place(call: Call, body: Json) -> Place:
    """Return where a deployment goes; refuse a group that is not there or on its way out."""
    if "group" in call.params:
        group = call.group()
        if group.state == "Deleting":
            raise errors.group_going(group.name)
        if body.get("location"):
            raise errors_deployments.location_in_a_group(call.params["name"])
        return Place.of(group)
    if not body.get("location"):
        raise errors_deployments.no_deployment_location(call.params["name"])
    return Place(call.subscription, "", bodies.location_of(body, TYPE))


def _scope(call: Call) -> str:
    """Return the id of what the deployments are in; refuse a group that is not there."""
    return call.group().id if "group" in call.params else f"/subscriptions/{call.subscription}"


def _key(call: Call) -> str:
    here = f"/subscriptions/{call.subscription}"
    if "group" in call.params:
        here = group_key(call.subscription, call.params["group"])
    return f"{here}/providers/{TYPE}/{call.params['name']}".lower()


def _deployment(call: Call) -> Deployment:
    _scope(call)
    row = call.world.deployments.get(_key(call))
    if row is None:
        raise errors_deployments.no_deployment(call.params["name"])
    return row
