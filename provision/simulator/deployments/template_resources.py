"""The resources of a template, laid out: loops unrolled, conditions decided, ids known, dependencies linked.

A step is `{id, type, api_version, body, needs, late}`. What only a deployment that runs can know stands in `body` as
its source. Such a step is `late`: it is worked out again when its turn comes, from where it stands in the template,
which it then has as `at` and `loops`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.deployments import step_types
from provision.simulator.deployments.template_links import HELP, Found, link, refuse_cycles
from provision.simulator.deployments.template_scope import Place
from provision.simulator.language.expressions import count_of, evaluated
from provision.simulator.language.scope import Scope, Unresolved, is_unresolved, misplaced, shown
from provision.simulator.language.syntax import ExpressionError
from provision.simulator.refusals.errors import Refusal
from provision.simulator.refusals.errors_deployments import bad_template
from provision.simulator.state.facts import limit, location_name
from provision.simulator.wire.messages import Json

_ENVELOPE = frozenset(
    {
        "type",
        "apiVersion",
        "name",
        "dependsOn",
        "comments",
        "condition",
        "scope",
        "metadata",
        "copy",
        "existing",
        "resources",
        "resourceGroup",
        "subscriptionId",
    }
)
"""What a template says of a resource that is not sent to its provider."""


@dataclass(frozen=True)
class Laid:
    steps: list[Json]
    symbols: Json
    """`{id, name, type, apiVersion}` by lower-case symbolic name, of what only is referred to as well."""
    unsupported: list[Json]
    """`{type, name, why}` of what has no id before the deployment runs; only where that is borne."""


def laid_out(template: Json, scope: Scope, place: Place, *, lenient: bool = False) -> Laid:
    """Return the steps of a template as they stand in it, or refuse what ARM would refuse before it starts.

    `lenient`: bear names that are not known yet, as those of a nested template may be.
    """
    unsupported: list[Json] = []
    entries = list(_entries(template, scope, place, unsupported if lenient else None))
    most = limit("template_resources")
    if len(entries) > most:
        raise bad_template(
            f"The number of template resources limit exceeded. Limit: '{most}' and actual: '{len(entries)}'. {HELP}"
        )
    stated = [each for each in entries if each.wanted and not each.existing]
    infos = {each.symbol.lower(): _info(each) for each in entries if each.symbol}
    made = []
    for each in stated:
        referred: list[str] = []
        made.append((each, _step(each, replace(each.scope, infos=infos, referred=referred)), referred))
    link(made, [each for each in entries if not each.wanted or each.existing])
    steps = [step for _, step, _ in made]
    refuse_cycles(steps)
    return Laid(steps, infos, unsupported)


def raw_at(template: Json, step: Json) -> Json:
    """Return a step's resource as it stands in its template."""
    value: Any = template["resources"]
    for part in step["at"]:
        value = value[part]
    found: Json = value
    return found


def resource_of(raw: Json, scope: Scope) -> Json:
    """Return a resource with its expressions worked out, but for the template inside of a nested deployment."""
    properties = raw.get("properties")
    held = {}
    if str(raw.get("type", "")).lower() == step_types.DEPLOYMENTS and isinstance(properties, dict):
        held = {"properties": {key: each for key, each in properties.items() if key != "template"}}
    outside = {key: each for key, each in {**raw, **held}.items() if key not in ("resources", "copy", "condition")}
    found: Json = evaluated(outside, scope)
    return found


def body_of(resource: Json) -> Json:
    """Return what is sent to the provider of a resource of a template."""
    body = {key: value for key, value in resource.items() if key not in _ENVELOPE}
    if isinstance(body.get("location"), str) and not body["location"].startswith("["):
        body["location"] = location_name(body["location"])
    return body


def in_words(raw: Json, error: ExpressionError) -> Refusal:
    name = raw.get("name")
    return bad_template(
        f"Unable to process template language expressions for resource '{name}' at line '1' and column '1'. '{error}'"
    )


# --- finding them ---


def _entries(template: Json, scope: Scope, place: Place, bear: list[Json] | None) -> Iterator[Found]:
    resources = template["resources"]
    # Language version 2 keys resources by symbolic name.
    named = (
        resources.items() if isinstance(resources, dict) else ((index, each) for index, each in enumerate(resources))
    )
    for key, raw in named:
        symbol = key if isinstance(key, str) else ""
        yield from _unrolled(raw, scope, place, symbol, (key,), None, bear)


def _unrolled(
    raw: Any,
    scope: Scope,
    place: Place,
    symbol: str,
    at: tuple[int | str, ...],
    parent: tuple[str, str] | None,
    bear: list[Json] | None,
) -> Iterator[Found]:
    if not isinstance(raw, dict):
        raise bad_template("A template resource must be an object.")
    loop = raw.get("copy")
    try:
        if loop is None:
            turns = [(scope, symbol, "")]
        else:
            if not isinstance(loop, dict) or not isinstance(loop.get("name"), str):
                raise ExpressionError("The 'copy' of a resource must have a name and a count.")
            turns = [
                (scope.inside(loop["name"], index), f"{symbol}[{index}]" if symbol else "", symbol or loop["name"])
                for index in range(count_of(loop, scope))
            ]
        for turn, name, group in turns:
            found = _found(raw, turn, place, name, group, at, parent)
            yield found
            yield from _children(raw, found, turn, place, at, bear)
    except ExpressionError as error:
        if bear is None:
            raise in_words(raw, error) from error
        bear.append({"type": str(raw.get("type")), "name": str(raw.get("name")), "why": str(error)})


def _children(
    raw: Json, found: Found, scope: Scope, place: Place, at: tuple[int | str, ...], bear: list[Json] | None
) -> Iterator[Found]:
    inside = raw.get("resources") or []
    if not isinstance(inside, list):
        raise bad_template("The 'resources' of a template resource must be an array.")
    _, name = step_types.described(found.id)
    for index, child in enumerate(inside):
        yield from _unrolled(child, scope, place, "", (*at, "resources", index), (found.type, name), bear)


def _found(
    raw: Json,
    scope: Scope,
    place: Place,
    symbol: str,
    group: str,
    at: tuple[int | str, ...],
    parent: tuple[str, str] | None,
) -> Found:
    type_, name, version = (evaluated(raw.get(key), scope) for key in ("type", "name", "apiVersion"))
    for each in (type_, name):
        if isinstance(each, Unresolved):
            raise misplaced(each)
    if not isinstance(type_, str) or not isinstance(name, str) or not isinstance(version, str):
        raise bad_template("The template resource must have a type, a name and an apiVersion.")
    if parent is not None:
        type_, name = f"{parent[0]}/{type_}", f"{parent[1]}/{name}"
    here: Json = {key: evaluated(raw[key], scope) for key in ("scope", "resourceGroup", "subscriptionId") if key in raw}
    for each in here.values():
        if isinstance(each, Unresolved):
            raise misplaced(each)
    existing = raw.get("existing") is True
    text = step_types.id_of(type_, name, here, place, existing=existing)
    kind, _ = step_types.described(text)
    return Found(raw, scope, text, kind, symbol, group, at, existing, _wanted(raw, scope))


def _wanted(raw: Json, scope: Scope) -> bool:
    condition = evaluated(raw.get("condition", True), scope)
    if isinstance(condition, Unresolved):
        raise misplaced(condition)
    if not isinstance(condition, bool):
        raise bad_template(f"The 'condition' of the template resource '{raw.get('name')}' must be a boolean. {HELP}")
    return condition


def _info(found: Found) -> Json:
    type_, name = step_types.described(found.id)
    return {"id": found.id, "name": name, "type": type_, "apiVersion": str(found.raw.get("apiVersion"))}


# --- working them out ---


def _step(found: Found, scope: Scope) -> Json:
    try:
        resource = resource_of(found.raw, scope)
    except ExpressionError as error:
        raise in_words(found.raw, error) from error
    nested = found.type.lower() == step_types.DEPLOYMENTS
    late = nested or is_unresolved(resource)
    needs = shown(resource.get("dependsOn")) or []
    if not isinstance(needs, list) or not all(isinstance(each, str) for each in needs):
        raise bad_template(f"The 'dependsOn' of the template resource '{found.id}' must be an array of strings.")
    body = {} if nested else body_of(shown(resource))
    if not late:
        bodies.check_tags(body.get("tags"))
    step: Json = {
        "id": found.id,
        "type": found.type,
        "api_version": shown(resource.get("apiVersion")),
        "body": body,
        "needs": needs,
        "late": late,
    }
    return {**step, "at": list(found.at), "loops": dict(scope.loops)} if late else step
