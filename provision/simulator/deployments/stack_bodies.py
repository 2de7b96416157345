"""The bodies of deployment stacks: what is taken of one, and how one reads."""

from __future__ import annotations

import re
from typing import Any

from provision.simulator.access import denials
from provision.simulator.bodies import bodies
from provision.simulator.bodies.reading import How
from provision.simulator.deployments import template_parameters
from provision.simulator.deployments.template_scope import Moment, Place, scope_of
from provision.simulator.language.syntax import ExpressionError
from provision.simulator.refusals import errors
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.world import Stack
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import duration, iso

TYPE = "Microsoft.Resources/deploymentStacks"
_ACTOR = {"createdBy": "someone@example.com", "createdByType": "User"}
_NAME = re.compile(r"[-\w._()]{1,90}")


def checked(name: str, body: Any, text: str = "") -> Json:
    """Return the properties of a stack's body with Azure's defaults; refuse what is no stack."""
    if not _NAME.fullmatch(name):
        said = (
            f"The deployment stack name '{name}' is not valid: it is 1 to 90 letters, digits, '-', '.', '_' and '()'."
        )
        raise errors.service(400, "DeploymentStackNameInvalid", said)
    properties: Json = bodies.read(TYPE, body, text, How(nulls=True))["properties"]
    defaults = {"resourceGroups": "detach", "managementGroups": "detach", "resourcesWithoutDeleteSupport": "fail"}
    action = bodies.without_nulls(properties["actionOnUnmanage"])
    properties["actionOnUnmanage"] = {"resources": action["resources"], **defaults, **action}
    if action["resources"] == "detach" and action.get("resourceGroups") == "delete":
        raise errors.bad_content(
            "The 'actionOnUnmanage.resourceGroups' cannot be 'delete' where 'actionOnUnmanage.resources' is 'detach'. "
            "Path 'properties.actionOnUnmanage'."
        )
    deny = {"applyToChildScopes": False, "excludedPrincipals": [], "excludedActions": []}
    properties["denySettings"] = {**deny, **bodies.without_nulls(properties["denySettings"])}
    for key, most in (("excludedPrincipals", denials.MOST_PRINCIPALS), ("excludedActions", denials.MOST_ACTIONS)):
        if len(properties["denySettings"][key]) > most:
            raise errors.bad_content(f"There are more than {most} {key}. Path 'properties.denySettings.{key}'.")
    return properties


def render(stack: Stack) -> Json:
    request, deny = stack.request, stack.request["denySettings"]["mode"]
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
        "resources": [{"status": "managed", "denyStatus": deny, "id": text} for text in stack.managed],
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
    place = Place(stack.subscription, stack.group, stack.location, {})
    scope = scope_of({}, {}, place, stack.name, Moment(stack.modified, stack.correlation))
    given: Json = stack.request.get("parameters") or {}
    template = stack.request.get("template")
    if template is None:
        return given
    try:
        return template_parameters.shown(template_parameters.values(template, given, scope), lower=True)
    except (Refusal, ExpressionError, KeyError):
        return given
