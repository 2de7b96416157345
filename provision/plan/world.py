"""What was observed of some environments as a JSON document and back, so that plans can be made without Azure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from provision.arm import ResourceId
from provision.plan.observed import Observed

FORMAT_VERSION = 1

_Bodies = dict[str, dict[str, JsonValue]]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Environment(_Part):
    subscription: str
    groups: _Bodies
    resources: _Bodies
    stacks: _Bodies
    others: list[str]
    versions: dict[str, str]
    instances: dict[str, list[dict[str, JsonValue]]]
    lost: list[str]


class _World(_Part):
    format_version: Literal[1]
    environments: dict[str, _Environment]


def world_as_text(observed: Mapping[tuple[str, str], Observed]) -> str:
    """Return what was observed of environments, by (name, subscription), as a file holds it."""
    environments = {name: _written(subscription, each) for (name, subscription), each in observed.items()}
    document = {"format_version": FORMAT_VERSION, "environments": environments}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def world_in(text: str) -> dict[tuple[str, str], Observed]:
    """Return what a file's text holds, by (name, subscription). Raises ValueError if it is no such document."""
    try:
        world = _World.model_validate(json.loads(text.removeprefix("\ufeff")))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return {(name, each.subscription): _read(name, each) for name, each in world.environments.items()}


def _written(subscription: str, observed: Observed) -> dict[str, Any]:
    return {
        "subscription": subscription,
        "groups": dict(observed.groups),
        "resources": dict(observed.resources),
        "stacks": dict(observed.stacks),
        "others": list(observed.others),
        "versions": dict(observed.versions),
        "instances": {key: list(nodes) for key, nodes in observed.instances.items()},
        "lost": list(observed.lost),
    }


def _read(name: str, each: _Environment) -> Observed:
    for bodies in (each.groups, each.resources, each.stacks):
        for key, body in bodies.items():
            if str(body.get("id", "")).lower() != key or not key.startswith("/subscriptions/"):
                raise ValueError(f"{key}: this is not the id of what it holds, in lower case")
    return Observed(
        groups=each.groups,
        resources=each.resources,
        stacks=each.stacks,
        others=tuple(map(ResourceId, each.others)),
        versions=each.versions,
        instances={key: tuple(nodes) for key, nodes in each.instances.items()},
        lost=tuple(map(ResourceId, each.lost)),
        environment=name,
    )
