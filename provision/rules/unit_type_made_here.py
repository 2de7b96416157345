"""What provision makes itself is stated by its own keys, and made by its own templates."""

from __future__ import annotations

from collections.abc import Iterator

from provision.arm import MADE
from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule

_MADE = {type.lower(): type for type in MADE}


@rule(
    id="unit-type-made-here",
    subject=Environment,
    severity=Severity.ERROR,
    why="nodes, networks and file systems are counted, checked and taken apart in an order that a unit does not know",
    link="https://learn.microsoft.com/azure/templates/",
    remedy="use the keys for it, or replace the built-in template of that name by one of your own",
    suppressible=False,
)
def unit_type_made_here(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each resource of a unit of one's own that provision makes itself, or that manages others."""
    for name, unit in environment.units.items():
        for key, resource in unit.resources.items():
            at = ("units", name, "resources", key, "type")
            kind = resource.type.lower()
            if kind in _MADE:
                message = f"resources of type {_MADE[kind]} are made by pools, network and storage"
                yield Problem(at, message, "state it there, or in a template that replaces the built-in one")
            elif kind.startswith("microsoft.resources/"):
                message = f"{resource.type} deploys or manages other resources, which a unit does not know"
                yield Problem(at, message, "state what it deploys as resources of the unit")
