"""What a unit's rendered template states: its resources as plain bodies, as they compare with Azure's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provision.arm import ResourceId, resource_id
from provision.catalog.changes import Policies
from provision.plan.record import hashed
from provision.render import Unit

#: Keys of a template's resource that are not part of the resource's body.
TEMPLATE_KEYS = frozenset({"type", "apiVersion", "name", "dependsOn"})


@dataclass(frozen=True, slots=True)
class Stated:
    """A resource that a template states, as plain values. `body`: what Azure has of it; `template`: what is sent."""

    id: ResourceId
    body: Mapping[str, Any]
    template: Mapping[str, Any]


def stated_in(unit: Unit, subscription: str) -> tuple[Stated, ...]:
    """Return the resources of a unit in the order of its template."""
    found = []
    for plain in unit.resources:
        id = resource_id(subscription, unit.group, plain["type"], *plain["name"].split("/"))
        body = {key: value for key, value in plain.items() if key not in TEMPLATE_KEYS}
        found.append(Stated(id=id, body=body, template=plain))
    return tuple(found)


def recordable(stated: Stated, policies: Policies) -> dict[str, Any]:
    """Return a body as a stack records it: what never comes back from Azure as a hash."""
    body = dict(stated.body)
    for path in policies.of(stated.id.type).hidden():
        _hash_at(body, path.split("."))
    return body


def _hash_at(body: dict[str, Any], keys: list[str]) -> None:
    head, *rest = keys
    if head not in body:
        return
    if rest:
        body[head] = dict(body[head])
        _hash_at(body[head], rest)
    else:
        body[head] = hashed(body[head])
