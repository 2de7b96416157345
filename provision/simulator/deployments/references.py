"""What `reference` finds: resources, groups and other deployments of the world, in a deployment that runs."""

from __future__ import annotations

from typing import Any

from provision.simulator.deployments import any_resource
from provision.simulator.deployments.step_types import described
from provision.simulator.language.scope import Lookup
from provision.simulator.language.syntax import ExpressionError
from provision.simulator.state.world import Deployment, World


def lookup(world: World, row: Deployment, at: float) -> Lookup:
    """Return what answers `reference` and `list…` for a deployment at a moment."""

    def find(name: str, arguments: list[Any]) -> Any:
        if name != "reference":
            raise ExpressionError(f"The template function '{name}' asks for secrets, which are not simulated.")
        text = arguments[0] if arguments else None
        if not isinstance(text, str):
            raise ExpressionError("The template function 'reference' takes the name or the id of a resource.")
        whole = any_resource.shown(world, at, _id(row, text))
        full = len(arguments) > 2 and str(arguments[2]).lower() == "full"
        properties = whole.get("properties") or {}
        return whole if full else properties

    return find


def _id(row: Deployment, text: str) -> str:
    """Return the id that a name means in a deployment: of a symbol, of a resource by its name, or itself an id."""
    if text.startswith("/"):
        return text.replace("/providers/Microsoft.Resources/resourceGroups/", "/resourceGroups/")
    info = row.symbols.get(text.lower())
    if info is not None:
        return str(info["id"])
    for step in row.steps:
        type_, name = described(step["id"])
        if text.lower() in (name.lower(), f"{type_}/{name}".lower()):
            return str(step["id"])
    raise ExpressionError(
        f"The resource '{text}' is not defined in the template. "
        "Please see https://aka.ms/arm-template for usage details."
    )
