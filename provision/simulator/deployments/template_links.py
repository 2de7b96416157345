"""What waits for what among the resources of a template: names made ids, and no circles."""

from __future__ import annotations

from dataclasses import dataclass

from provision.simulator.deployments import step_types
from provision.simulator.language.scope import Scope
from provision.simulator.refusals.errors_deployments import bad_template
from provision.simulator.wire.messages import Json

HELP = "Please see https://aka.ms/arm-syntax-resources for usage details."


@dataclass(frozen=True)
class Found:
    """One resource of a template, before its body is worked out."""

    raw: Json
    scope: Scope
    id: str
    type: str
    symbol: str
    """The name that other resources may know it by; empty where it has none."""
    group: str
    """The name of all that its loop makes; empty where it is not in a loop."""
    at: tuple[int | str, ...]
    existing: bool
    wanted: bool
    """Whether its condition holds."""


def link(made: list[tuple[Found, Json, list[str]]], left_out: list[Found]) -> None:
    """Replace the names in `needs` by ids; refuse names that mean no resource of the template.

    `left_out`: what a condition left out, and what only is referred to; to depend on it means nothing. What a body
    refers to by a name of the template is waited for as well, without being named in `dependsOn`.
    """
    absent = {name for found in left_out for name in (*_names(found), found.id.lower())}
    by_id: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for found, step, _ in made:
        if step["id"].lower() in by_id:
            raise bad_template(f"Resource {step['id']} is defined multiple times in a template. {HELP}")
        by_id[step["id"].lower()] = step["id"]
        for name in _names(found):
            by_name.setdefault(name, []).append(step["id"])
    for _, step, referred in made:
        needs = []
        for text in step["needs"]:
            own = _own_id(text)
            if own in by_id:
                needs.append(by_id[own])
            elif text.lower() in by_name:
                needs += _one_kind(text, by_name[text.lower()])
            elif own not in absent:
                raise bad_template(f"The resource '{text}' is not defined in the template. {HELP}")
        for text in referred:
            needs += by_name.get(text.lower(), [])
        step["needs"] = sorted(set(needs) - {step["id"]})


def refuse_cycles(found: list[Json]) -> None:
    left = {step["id"]: set(step["needs"]) for step in found}
    while left:
        free = [name for name, needs in left.items() if not needs & left.keys()]
        if not free:
            names = ", ".join(sorted(left))
            raise bad_template(f"Circular dependency detected on resource: '{names}'. {HELP}")
        for name in free:
            del left[name]


def _names(found: Found) -> set[str]:
    """Return what a resource may be called in its template: by name, by type and name, by symbol, by its loop."""
    type_, short = step_types.described(found.id)
    names = {short, f"{type_}/{short}", found.symbol, found.group}
    return {name.lower() for name in names if name}


def _one_kind(text: str, ids: list[str]) -> list[str]:
    """Return the ids of one name: several only where they are of one type, as a loop makes them."""
    if len({step_types.described(each)[0].lower() for each in ids}) > 1:
        raise bad_template(f"The resource '{text}' is defined more than once in the template. {HELP}")
    return ids


def _own_id(text: str) -> str:
    """Return an id as this simulator writes it: a group's has a second form, as a resource of its subscription."""
    return text.lower().replace("/providers/microsoft.resources/resourcegroups/", "/resourcegroups/")
