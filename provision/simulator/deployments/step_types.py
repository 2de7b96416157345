"""The types that a template may deploy, and the ids that their resources get by type, name and scope."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from provision.simulator.deployments.template_scope import Place
from provision.simulator.refusals.errors_deployments import bad_template
from provision.simulator.resources import providers
from provision.simulator.state import versions
from provision.simulator.state.ids import cased, resource_id
from provision.simulator.state.world import World
from provision.simulator.storage import stored
from provision.simulator.wire.messages import Json

DEPLOYMENTS = "microsoft.resources/deployments"
GROUPS = "microsoft.resources/resourcegroups"
TAGS = "microsoft.resources/tags"
LOCKS = "microsoft.authorization/locks"
ROLE_ASSIGNMENTS = "microsoft.authorization/roleassignments"
EXTENSIONS = (LOCKS, ROLE_ASSIGNMENTS, TAGS)
"""What is laid onto a scope: a subscription, a group, or any resource."""
_HELP = "Please see https://aka.ms/arm-syntax-resources for usage details."


def id_of(type_: str, name: str, here: Json, place: Place, *, existing: bool = False) -> str:
    """Return the id of a template's resource. `here`: what it says of `scope`, `resourceGroup`, `subscriptionId`."""
    kinds, names = type_.split("/")[1:], name.split("/")
    if len(kinds) != len(names) or "" in (*kinds, *names):
        raise bad_template(
            f"The template resource '{name}' for type '{type_}' at line '1' and column '1' has incorrect segment "
            "lengths. A nested resource type must have identical number of segments as its resource name. A root "
            f"resource type must have segment length one greater than its resource name. {_HELP}"
        )
    lowered = type_.lower()
    moves = lowered == DEPLOYMENTS or existing
    for key in ("resourceGroup", "subscriptionId", "scope"):
        if key in here and not moves and not (key == "scope" and lowered in EXTENSIONS):
            raise bad_template(
                f"The template resource '{name}' of type '{type_}' has the property '{key}', which only nested "
                f"deployments and extension resources may have. {_HELP}"
            )
    if not all(isinstance(each, str) and each for each in here.values()):
        raise bad_template(f"The scope of the template resource '{name}' must be made of strings. {_HELP}")
    if lowered in EXTENSIONS:
        return _laid_on(str(here.get("scope", place.id)), type_, names, place)
    if lowered == GROUPS:
        if place.group:
            raise _not_here(type_, name, "a resource group")
        return f"/subscriptions/{here.get('subscriptionId', place.subscription)}/resourceGroups/{name}"
    target = target_of(here, place, name)
    if lowered == DEPLOYMENTS:
        return _laid_on(target.id, type_, names, place)
    if not target.group:
        raise _not_here(type_, name, "a subscription")
    return resource_id(target.subscription, target.group, type_, *names).text


def refuse_unknown(world: World, steps: Iterable[Json]) -> None:
    """Refuse a template with resources of a type that is not simulated, nor stored as it is sent, or of no version."""
    for step in steps:
        type_, name = described(step["id"])
        lowered = type_.lower()
        if lowered not in (DEPLOYMENTS, GROUPS, *EXTENSIONS) and not providers.known(world, type_):
            raise bad_template(f"The resource type '{type_}' of the template resource '{name}' is not known here.")
        if not stored.known(world, type_) and not str(step["api_version"]).startswith("["):
            versions.check_stated(type_, str(step["api_version"]))


def target_of(here: Json, place: Place, name: str) -> Place:
    """Return the place that a nested deployment, or a resource that exists, is in."""
    if "scope" in here:
        parts = str(here["scope"]).strip("/").split("/")
        words = [part.lower() for part in parts[::2]]
        if words == ["subscriptions"]:
            return Place(parts[1], "", place.location)
        if words == ["subscriptions", "resourcegroups"] and len(parts) == 4:
            return Place(parts[1], parts[3], place.location)
        text = f"The scope '{here['scope']}' of the template resource '{name}' is not simulated: it is no subscription"
        raise bad_template(f"{text} and no resource group.")
    subscription = str(here.get("subscriptionId", place.subscription))
    if "resourceGroup" in here:
        return Place(subscription, str(here["resourceGroup"]), place.location)
    # Into another subscription without a group means into that subscription itself.
    return Place(subscription, "" if "subscriptionId" in here else place.group, place.location)


def described(text: str) -> tuple[str, str]:
    """Return the type and the name of what an id means: `Microsoft.Network/virtualNetworks/subnets`, `net/nodes`."""
    before, provider, rest = text.rpartition("/providers/")
    if not provider:
        parts = before.strip("/").split("/") if before else text.strip("/").split("/")
        kind = "Microsoft.Resources/resourceGroups" if len(parts) == 4 else "Microsoft.Resources/subscriptions"
        return kind, parts[-1]
    namespace, *pairs = rest.split("/")
    kinds, names = pairs[::2], pairs[1::2]
    return "/".join([cased(namespace), *(cased(kind) for kind in kinds)]), "/".join(names)


def scope_of_extension(text: str) -> str:
    """Return the id of what an extension resource is laid onto."""
    return text.rpartition("/providers/")[0]


def _laid_on(scope: str, type_: str, names: list[str], place: Place) -> str:
    namespace, *kinds = (cased(word) for word in type_.split("/"))
    if not scope.lower().startswith("/subscriptions/"):
        # Within a group, the resource that is extended may be written as its type and name alone.
        scope = f"{place.id}/providers/{scope.strip('/')}"
    pairs = "".join(f"/{kind}/{name}" for kind, name in zip(kinds, names, strict=True))
    return f"{scope.rstrip('/')}/providers/{namespace}{pairs}"


def _not_here(type_: Any, name: str, where: str) -> Exception:
    return bad_template(
        f"The template resource '{name}' of type '{type_}' cannot be deployed at the scope of {where}. {_HELP}"
    )
