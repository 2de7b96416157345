"""What a template comes to before anything is done: a deployment that could start, or a refusal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from provision.simulator.deployments import (
    nested,
    preflight,
    step_types,
    template,
    template_parameters,
    template_resources,
)
from provision.simulator.deployments.deployment_views import TYPE
from provision.simulator.deployments.template_scope import Moment, Place, scope_of
from provision.simulator.language.scope import Scope
from provision.simulator.language.syntax import ExpressionError
from provision.simulator.refusals import errors, errors_deployments
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import Deployment, World, guid_of
from provision.simulator.wire.messages import Json


@dataclass(frozen=True)
class Planned:
    """A template as it would be carried out."""

    parameters: Json
    scope: Scope
    laid: template_resources.Laid
    """Nested deployments among its steps have `steps` of their own."""
    unsupported: list[Json]


def planned(
    world: World, body: Json, given: Any, place: Place, name: str, when: Moment | None, *, lenient: bool = False
) -> Planned:
    """Return what a template comes to, or refuse it. Without `when`, the time and secrets stay unknown."""
    try:
        parameters = template_parameters.values(body, given, scope_of(body, {}, place, name, when), hide=when is None)
        scope = scope_of(body, template_parameters.by_name(parameters), place, name, when)
        laid = template_resources.laid_out(body, scope, place, lenient=lenient)
        step_types.refuse_unknown(world, laid.steps)
        scope = replace(scope, infos=laid.symbols)
        inside = nested.expand(world, body, laid.steps, scope, place, when)
        template.outputs(body, scope)
    except ExpressionError as error:
        raise errors_deployments.bad_template(f"Unable to process template language expressions. '{error}'") from error
    return Planned(parameters, scope, laid, [*laid.unsupported, *inside])


def prepared(
    world: World,
    at: float,
    caller: Caller,
    place: Place,
    name: str,
    properties: Json,
    tags: Any,
    correlation: str,
    stack: str = "",
) -> Deployment:
    """Return a deployment that could start, or refuse it: template, parameters, policies and quota are checked."""
    body = template.checked(properties.get("template"))
    mode = str(properties.get("mode", "Incremental"))
    if mode not in ("Incremental", "Complete"):
        raise errors.bad_content(f"Error converting value \"{mode}\" to type 'DeploymentMode'. Path 'properties.mode'.")
    if mode == "Complete" and not place.group:
        raise errors.bad_content("The deployment mode 'Complete' is supported at the scope of a resource group alone")
    made = planned(world, body, properties.get("parameters"), place, name, Moment(at, correlation))
    level = str(properties.get("validationLevel", "")).lower()
    preflight.check(world, caller, name, made.laid.steps, roles=level != "providernorbac")
    steps = made.laid.steps
    for step in steps:
        step |= {"state": "Waiting", "operation": "", "started": None, "ended": None, "code": "", "error": None}
        step["track"] = guid_of(name, correlation, step["id"])
    row = Deployment(
        f"{place.id}/providers/{TYPE}/{name}",
        place.subscription,
        place.group,
        name,
        body,
        made.parameters,
        mode,
        tags,
        "Accepted",
        at,
        correlation,
        "",
        template.hash_of(body),
        steps,
    )
    row.location, row.symbols = place.location, made.laid.symbols
    row.caller, row.stack = [caller.object_id, caller.client], stack
    return row
