"""What an extension is told must have a literal in Bicep as in ARM JSON."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.environment.tree import fractions_in
from provision.findings import Problem, Severity, rule


@rule(
    id="extension-setting-unwritable",
    subject=Environment,
    severity=Severity.ERROR,
    why="Bicep has no literal for a number with a fraction, and both renderings state the same",
    link="https://learn.microsoft.com/azure/azure-resource-manager/bicep/data-types#integers",
    remedy="quote the number if the extension takes text, or use a whole number of a smaller unit",
)
def extension_setting_unwritable(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each setting of an extension that is a number with a fraction."""
    for name, pool in environment.pools.items():
        for key, extension in pool.extensions.items():
            for at, value in fractions_in(("pools", name, "extensions", key, "settings"), extension.settings):
                yield Problem(
                    at=at,
                    message=f"the setting {at[-1]} of extension {key} is {value}, a number with a fraction",
                    fix=f'write "{value}" if the extension takes text, or a whole number',
                )
