"""The bodies of deployment stacks: what is taken of one, and how one reads."""

from __future__ import annotations

import re
from typing import Any

from provision.simulator import bodies, denials, errors, shapes, template_parameters
from provision.simulator.errors import Refusal
from provision.simulator.expression_syntax import ExpressionError
from provision.simulator.messages import Json
from provision.simulator.template_scope import Moment, Place, scope_of
from provision.simulator.times import duration, iso
from provision.simulator.world import Stack

TYPE = "Microsoft.Resources/deploymentStacks"
_ACTOR = {"createdBy": "someone@example.com", "createdByType": "User"}
_NAME = re.compile(r"[-\w._()]{1,90}")
_MEMBERS = frozenset(
    {
        "template",
        "templateLink",
        "parameters",
        "parametersLink",
        "actionOnUnmanage",
        "denySettings",
        "deploymentScope",
        "description",
        "debugSetting",
        "validationLevel",
        "bypassStackOutOfSyncError",
        "extensionConfigs",
        "externalInputs",
        "externalInputDefinitions",
    }
)
_READ_ONLY = frozenset(
    {
        "provisioningState",
        "resources",
        "detachedResources",
        "deletedResources",
        "failedResources",
        "deploymentId",
        "deploymentExtensions",
        "outputs",
        "duration",
        "correlationId",
        "error",
    }
)


def checked(name: str, body: Any) -> Json:
    """Return the properties of a stack's body with Azure's defaults; refuse what is no stack."""
    if not _NAME.fullmatch(name):
        text = (
            f"The deployment stack name '{name}' is not valid: it is 1 to 90 letters, digits, '-', '.', '_' and '()'."
        )
        raise errors.service(400, "DeploymentStackNameInvalid", text)
    bodies.fit(shapes.Needed(shapes.STACK), body)
    for key in body["properties"]:
        if key not in _MEMBERS | _READ_ONLY:
            raise errors.bad_content(
                f"Could not find member '{key}' on object of type 'DeploymentStackProperties'. Path 'properties.{key}'"
            )
    properties: Json = {key: value for key, value in body["properties"].items() if key in _MEMBERS}
    action = properties.get("actionOnUnmanage")
    if action is None or action.get("resources") not in ("delete", "detach"):
        raise errors.bad_content(
            "The 'actionOnUnmanage.resources' must be 'delete' or 'detach'. Path 'properties.actionOnUnmanage'."
        )
    if properties.get("denySettings") is None:
        raise errors.bad_content("The 'denySettings.mode' is required. Path 'properties.denySettings'.")
    defaults = {
        "resourceGroups": "detach",
        "managementGroups": "detach",
        "resourcesWithoutDeleteSupport": "fail",
    }
    properties["actionOnUnmanage"] = {"resources": action["resources"], **defaults, **action}
    if action["resources"] == "detach" and properties["actionOnUnmanage"]["resourceGroups"] == "delete":
        raise errors.bad_content(
            "The 'actionOnUnmanage.resourceGroups' cannot be 'delete' where 'actionOnUnmanage.resources' is 'detach'. "
            "Path 'properties.actionOnUnmanage'."
        )
    properties["denySettings"] = _deny_settings(properties["denySettings"])
    return properties


def _deny_settings(given: Json) -> Json:
    mode = denials.MODES.get(given["mode"].lower())
    if mode is None:
        text = f"Error converting value \"{given['mode']}\" to type 'DenySettingsMode'"
        raise errors.bad_content(f"{text}. Path 'properties.denySettings.mode'.")
    settings = {"applyToChildScopes": False, "excludedPrincipals": [], "excludedActions": [], **given, "mode": mode}
    for key, most in (("excludedPrincipals", denials.MOST_PRINCIPALS), ("excludedActions", denials.MOST_ACTIONS)):
        if len(settings[key] or []) > most:
            raise errors.bad_content(f"There are more than {most} {key}. Path 'properties.denySettings.{key}'.")
    return settings


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
    try:
        return template_parameters.shown(
            template_parameters.values(stack.request["template"], given, scope), lower=True
        )
    except (Refusal, ExpressionError, KeyError):
        return given
