"""What `ignore` leaves to others is something that the file states."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import Environment
from provision.findings import Problem, Severity, rule
from provision.near import nearest


@rule(
    id="ignore-unknown",
    subject=Environment,
    severity=Severity.ERROR,
    why="an entry that is about nothing protects nothing: the next apply would take back what its owner has changed",
    link="https://developer.hashicorp.com/terraform/language/meta-arguments/lifecycle#ignore_changes",
    remedy="name a pool, region, file system or unit of the file",
)
def ignore_unknown(environment: Environment, catalog: Catalog) -> Iterator[Problem]:
    """Yield each entry of ignore that is about something that the file does not have."""
    known = {
        "network",
        *(f"regions.{name}" for name in environment.regions),
        *(f"pools.{name}" for name in environment.pools),
        *(f"regions.{region}.pools.{name}" for name, region, _ in environment.shares()),
        *(f"storage.{name}" for name in environment.storage),
        *(f"units.{name}" for name in environment.units),
    }
    for number, entry in enumerate(environment.ignore):
        if entry.at not in known:
            near = nearest(entry.at, known)
            yield Problem(
                ("ignore", number, "at"),
                f"the file has no {entry.at}" + (f"; did you mean {near}?" if near else ""),
                f"write {near}" if near else "write one of the file's own, such as " + sorted(known)[-1],
            )
