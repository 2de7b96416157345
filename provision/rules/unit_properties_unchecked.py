"""Of what a unit of one's own deploys only the form is known."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="unit-properties-unchecked",
    subject=Environment,
    severity=Severity.INFO,
    why="the types of own units are in no table of ours: what their properties may be, and what a change of one does",
    link="https://learn.microsoft.com/azure/templates/",
    remedy="know it; look the properties up in Azure's reference, and list in `in_place` those that change in place",
)
def unit_properties_unchecked(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each unit of one's own: nothing checks its properties before Azure, and a change counts as the worst."""
    for name, unit in environment.units.items():
        but = f", but for {', '.join(unit.in_place)}" if unit.in_place else ""
        yield Problem(
            ("units", name),
            f"nothing checks the properties in unit {name} before Azure does, only their form; "
            f"a change of any counts as a replacement{but}",
            "suppress this once you have looked them up in Azure's reference",
            on_key=True,
        )
