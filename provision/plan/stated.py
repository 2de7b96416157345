"""What a unit's rendered template states: its resources as plain bodies, as they compare with Azure's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from provision.arm import ResourceId, resource_id
from provision.catalog.changes import Policies
from provision.plan.record import hashed
from provision.render import Unit
from provision.render.arm_json import unescaped

#: Keys of a template's resource that are not part of the resource's body.
TEMPLATE_KEYS = frozenset({"type", "apiVersion", "name", "dependsOn"})


@dataclass(frozen=True)
class Stated:
    """A resource that a template states. `rendered`: as it stands there, which is how a new one is sent."""

    id: ResourceId
    rendered: Mapping[str, Any]

    @cached_property
    def template(self) -> Mapping[str, Any]:
        """Return it in plain values."""
        plain: Mapping[str, Any] = unescaped(self.rendered)
        return plain

    @cached_property
    def body(self) -> Mapping[str, Any]:
        """Return what Azure has of it, in plain values."""
        return {key: value for key, value in self.template.items() if key not in TEMPLATE_KEYS}


def stated_in(unit: Unit, subscription: str) -> tuple[Stated, ...]:
    """Return the resources of a unit in the order of its template."""
    return tuple(
        Stated(resource_id(subscription, unit.group, rendered["type"], *rendered["name"].split("/")), rendered)
        for rendered in unit.template["resources"]
    )


def recordable(stated: Stated, policies: Policies) -> dict[str, Any]:
    """Return a body as a stack records it: what never comes back from Azure as a hash."""
    body = dict(stated.body)
    for path in policies.of(stated.id.type).hidden:
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
