"""What a template of one's own is given must have a literal in Bicep as in ARM JSON."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.environment.tree import fractions_in
from provision.findings import Problem, Severity, rule


@rule(
    id="unit-value-unwritable",
    subject=Environment,
    severity=Severity.ERROR,
    why="Bicep has no literal for a number with a fraction, and both renderings state the same",
    link="https://learn.microsoft.com/azure/azure-resource-manager/bicep/data-types#integers",
    remedy="quote the number if the resource takes text, or use a whole number of a smaller unit",
)
def unit_value_unwritable(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each value of a unit of one's own that is a number with a fraction."""
    for name, unit in environment.units.items():
        for at, value in fractions_in(("units", name, "values"), unit.values):
            message = f"the value {at[-1]} of unit {name} is {value}, a number with a fraction"
            yield Problem(at, message, f'write "{value}" if the resource takes text, or a whole number')
