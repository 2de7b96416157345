"""What is left to others is left to them for a time, and looked at again after it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule


@rule(
    id="ignore-expired",
    subject=Environment,
    severity=Severity.ERROR,
    why="an apply would take back what its owner has changed from one day to the next, with no change of the file",
    link="https://developer.hashicorp.com/terraform/language/meta-arguments/lifecycle#ignore_changes",
    remedy="ask its owner; then take the entry out, or write a later day",
    suppressible=False,
)
def ignore_expired(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each entry of ignore whose last day has passed."""
    today = date.fromisoformat(catalog.today) if catalog.today else None
    for number, entry in enumerate(environment.ignore):
        if today is not None and entry.until is not None and entry.until < today:
            yield Problem(
                ("ignore", number, "until"),
                f"{entry.property} of {entry.at} was left to {entry.owner} until {entry.until}",
                f"ask {entry.owner}; then take the entry out, or write a later day",
            )
