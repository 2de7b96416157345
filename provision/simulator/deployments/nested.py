"""Nested deployments: what they ask for, and what is inside of them as far as it can be told beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.bodies.bodies import at_path
from provision.simulator.bodies.shapes import Each, Needed
from provision.simulator.deployments import template_parameters, template_resources
from provision.simulator.deployments.step_types import DEPLOYMENTS, described, refuse_unknown, target_of
from provision.simulator.deployments.template import checked
from provision.simulator.deployments.template_scope import Moment, Place, scope_of
from provision.simulator.language.expressions import evaluated
from provision.simulator.language.scope import Scope, Unresolved
from provision.simulator.language.syntax import ExpressionError, is_expression
from provision.simulator.refusals.errors import bad_content
from provision.simulator.refusals.errors_deployments import bad_template, location_in_a_group, no_deployment_location
from provision.simulator.state.world import World
from provision.simulator.tables.arm import TEMPLATE
from provision.simulator.wire.messages import Json

_DEEPEST = 8
"""How deep deployments may stand in one another."""


@dataclass(frozen=True)
class Request:
    name: str
    place: Place
    mode: str
    template: Json
    parameters: Json
    """As they are handed in: `{name: {value}}`. A value may be unknown still."""


def request(world: World, raw: Json, scope: Scope, place: Place, name: str) -> Request:
    """Return what a nested deployment asks for, with what its own scope knows put in."""
    resource = template_resources.resource_of(raw, scope)
    given = raw.get("properties")
    properties = resource.get("properties")
    if not isinstance(given, dict) or not isinstance(properties, dict):
        raise bad_content(f"The properties of the nested deployment '{name}' must be an object.")
    if "templateLink" in given:
        raise bad_template(f"The nested deployment '{name}' links a template, which is not simulated")
    body = checked(given.get("template"))
    inner = str(at_path(given, "expressionEvaluationOptions.scope") or "outer").lower() == "inner"
    if not inner:
        # With outer scope the expressions in the template are about the parameters and variables out here.
        body = _frozen(evaluated(body, replace(scope, lookup=None)))
    bodies.fit(TEMPLATE, body)
    parameters = properties.get("parameters") or {}
    if not isinstance(parameters, dict):
        raise bad_content(f"The parameters of the nested deployment '{name}' must be an object.")
    bodies.fit(Each(Needed(dict)), {key: each for key, each in parameters.items() if not isinstance(each, Unresolved)})
    here: Json = {key: resource[key] for key in ("resourceGroup", "subscriptionId", "scope") if key in resource}
    target = target_of(here, place, name)
    if target.group and resource.get("location"):
        raise location_in_a_group(name)
    if not target.group and not resource.get("location"):
        raise no_deployment_location(name)
    location = resource.get("location", place.location)
    there = Place.at(
        world, target.subscription, target.group, location if isinstance(location, str) else place.location
    )
    return Request(name, there, str(properties.get("mode", "Incremental")), body, parameters)


def expand(
    world: World, template: Json, steps: list[Json], scope: Scope, place: Place, when: Moment | None, depth: int = 0
) -> list[Json]:
    """Give each nested deployment among the steps its own `steps`; return what cannot be told beforehand.

    Refuses what ARM would refuse of the templates inside.
    """
    unsupported: list[Json] = []
    for step in steps:
        if step["type"].lower() != DEPLOYMENTS:
            continue
        if depth >= _DEEPEST:
            raise bad_template(f"Deployments are nested more than {_DEEPEST} deep, which is not simulated")
        raw = template_resources.raw_at(template, step)
        _, name = described(step["id"])
        try:
            asked = request(world, raw, replace(scope, loops=step["loops"]), place, name)
            values = template_parameters.values(
                asked.template,
                asked.parameters,
                scope_of(asked.template, {}, asked.place, name, when),
                hide=when is None,
            )
            inner = scope_of(asked.template, template_parameters.by_name(values), asked.place, name, when)
            laid = template_resources.laid_out(asked.template, inner, asked.place, lenient=True)
            refuse_unknown(world, laid.steps)
            unsupported += [{**each, "id": step["id"]} for each in laid.unsupported]
            inner = replace(inner, infos=laid.symbols)
            unsupported += expand(world, asked.template, laid.steps, inner, asked.place, when, depth + 1)
        except ExpressionError as error:
            raise template_resources.in_words(raw, error) from error
        step["steps"], step["mode"] = laid.steps, asked.mode
    return unsupported


def all_steps(steps: list[Json]) -> Iterator[Json]:
    """Yield the steps with those inside of nested deployments behind them, all the way down."""
    for step in steps:
        yield step
        yield from all_steps(step.get("steps", []))


def leaves(steps: list[Json]) -> Iterator[Json]:
    """Yield the steps that write resources, nested ones included, and no deployments."""
    return (step for step in all_steps(steps) if step["type"].lower() != DEPLOYMENTS)


def _frozen(value: Any) -> Any:
    """Return a template's part as text again: what is known literal, what is not still an expression."""
    if isinstance(value, Unresolved):
        return f"[{value.text}]"
    if isinstance(value, str):
        return f"[{value}" if is_expression(value) else value
    if isinstance(value, dict):
        return {_frozen(key): _frozen(each) for key, each in value.items()}
    return [_frozen(each) for each in value] if isinstance(value, list) else value
