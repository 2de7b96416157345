"""Azure's refusals about templates, deployments and stacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from provision.simulator.refusals.errors import Refusal, service
from provision.simulator.wire.json_places import VALUE, place_in
from provision.simulator.wire.messages import Json

_SOMEWHERE = "at line '1' and column '1'"


def bad_template(text: str, *, path: str = "") -> Refusal:
    info: dict[str, Any] = {"lineNumber": 0, "linePosition": 0, "path": path}
    return Refusal(
        400,
        "InvalidTemplate",
        f"Deployment template validation failed: '{text}'.",
        info=[{"type": "TemplateViolation", "info": info}],
    )


def placed(refusal: Refusal, text: str) -> Refusal:
    """Return a template's refusal with line and column of what it is about, where it says so; `text`: the request."""
    for each in refusal.error.get("additionalInfo", []):
        info = each.get("info", {})
        if each.get("type") == "TemplateViolation" and info.get("path"):
            line, position = place_in(text, info["path"].split("."), VALUE)
            info |= {"lineNumber": line, "linePosition": position}
            told = f"at line '{line}' and column '{position}'"
            refusal.error["message"] = refusal.error["message"].replace(_SOMEWHERE, told)
    return refusal


def no_deployment(name: str) -> Refusal:
    return Refusal(404, "DeploymentNotFound", f"Deployment '{name}' could not be found.")


def deployment_active(resource_id: str) -> Refusal:
    message = (
        f"The deployment with resource id '{resource_id}' cannot be saved, because this would overwrite an existing "
        "deployment which is still active."
    )
    return Refusal(409, "DeploymentActive", message)


def deployment_over(name: str, state: str) -> Refusal:
    message = (
        f"The deployment '{name}' cannot be cancelled as its provisioning state is '{state}'. "
        "Only deployments in 'Accepted' or 'Running' states can be cancelled."
    )
    return Refusal(409, "DeploymentCannotBeCancelled", message)


def preflight_failed(name: str, tracking: str, details: Sequence[Json]) -> Refusal:
    message = (
        f"The template deployment '{name}' is not valid according to the validation procedure. "
        f"The tracking id is '{tracking}'. See inner errors for details."
    )
    return Refusal(400, "InvalidTemplateDeployment", message, details=details)


def no_stack(resource_id: str) -> Refusal:
    message = f"The deployment stack '{resource_id}' could not be found."
    return service(404, "DeploymentStackResourceNotFound", message)


def stack_busy(resource_id: str, state: str) -> Refusal:
    message = (
        f"The deployment stack '{resource_id}' could not be updated as it is currently in a non-terminal state "
        f"'{state}'."
    )
    return service(409, "DeploymentStackInNonTerminalState", message)


def deployment_elsewhere(name: str, existing: str, asked: str) -> Refusal:
    message = f"Invalid deployment location '{asked}'. The deployment '{name}' already exists in location '{existing}'."
    return Refusal(409, "InvalidDeploymentLocation", message)


def no_deployment_location(name: str) -> Refusal:
    """As users met it: MicrosoftDocs/azure-docs#60262."""
    message = (
        f"The 'location' property must be specified for '{name}'. "
        "Please see https://aka.ms/deploy-to-subscription for usage details."
    )
    return Refusal(400, "InvalidDeployment", message)


def location_in_a_group(name: str) -> Refusal:
    """As users met it: Azure/bicep-deploy#79."""
    message = (
        f"The 'location' property is not allowed for '{name}' at resource group scope. "
        "Please see https://aka.ms/arm-deployment-subscription for usage details."
    )
    return Refusal(400, "InvalidDeployment", message)


def deployment_quota(name: str, most: int, held: int) -> Refusal:
    message = (
        f"Creating the deployment '{name}' would exceed the quota of '{most}'. The current deployment count is "
        f"'{held}', please delete some deployments before creating a new one. "
        "Please see https://aka.ms/arm-deploy for usage details."
    )
    return Refusal(409, "DeploymentQuotaExceeded", message)


def bad_deployment_name(name: str, most: int) -> Refusal:
    if len(name) > most:
        message = f"The deployment name '{name}' exceeds the limit of '{most}' characters."
        return Refusal(400, "DeploymentNameLengthLimitExceeded", message)
    message = (
        f"The deployment name '{name}' has invalid characters: only letters, digits, '-', '.', '_', '(' and ')' are "
        "allowed."
    )
    return Refusal(400, "DeploymentNameInvalidCharacters", message)


def no_template_link(uri: str) -> Refusal:
    message = f"Unable to download deployment content from '{uri}': the simulator fetches nothing from elsewhere."
    return Refusal(400, "InvalidContentLink", message)


def bad_outputs(resource_id: str, text: str) -> Json:
    message = (
        "Unable to evaluate template outputs. Please see error details and deployment operations. "
        "Please see https://aka.ms/arm-common-errors for usage details."
    )
    detail = {"code": "DeploymentOutputEvaluationFailed", "target": resource_id, "message": text}
    return {"code": "DeploymentOutputEvaluationFailed", "message": message, "details": [detail]}


def policies_deny(details: Sequence[Json]) -> Refusal:
    """Return the refusal of a template some of whose resources are denied; `details` are theirs."""
    message = "The template deployment failed because of policy violation. Please see details for more information."
    return Refusal(400, "InvalidTemplateDeployment", message, details=details)
