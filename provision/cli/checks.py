"""The checks against Azure before the first write: which are made, and what follows. No verb itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import click

from provision.cli import exits
from provision.cli.common import colour_on
from provision.errors import NotChecked, NotNow

if TYPE_CHECKING:
    from provision.cli.target import Target
    from provision.preflight import Member, Row

_F = TypeVar("_F", bound=Callable[..., object])


def skip_option(function: _F) -> _F:
    """Add the option that leaves checks against Azure out; its value is their ids."""
    return click.option(
        "--skip-check",
        "skipped",
        metavar="CHECK",
        multiple=True,
        callback=_known,
        help="A check against Azure that is not made, by its id; 'all' for every one. Repeatable.",
    )(function)


def _known(context: click.Context, option: click.Parameter, values: tuple[str, ...]) -> frozenset[str]:
    if not values:
        return frozenset()
    from provision.preflight import CHECKS

    ids = sorted(check.rule.id for check in CHECKS)
    if unknown := sorted(set(values) - {*ids, "all"}):
        raise click.BadParameter(f"there is no check {unknown[0]}; there are {', '.join(ids)} and all", context, option)
    return frozenset(ids if "all" in values else values)


def rows_for(
    members: Sequence[Member], targets: Mapping[str, Target], skipped: frozenset[str] = frozenset()
) -> tuple[Row, ...]:
    """Return the rows of all checks but the skipped ones, with what the environment files accept of them."""
    from provision.adapters.files import load_catalog
    from provision.preflight import CHECKS, rows_of, with_accepted

    checks = [check for check in CHECKS if check.rule.id not in skipped]
    readers = {subscription.lower(): target.arm for subscription, target in targets.items()}
    return with_accepted(rows_of(tuple(members), readers, load_catalog(), checks=checks), members)


def for_planning(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows as they count for a plan: who plans need not be who applies, so roles and login only warn."""
    from provision.preflight import OF_WHO_ASKS, Status

    return tuple(
        replace(row, status=Status.WARN) if row.rule in OF_WHO_ASKS and row.status is not Status.PASS else row
        for row in rows
    )


def tell(rows: Sequence[Row], skipped: frozenset[str]) -> None:
    """Tell on standard error what did not pass, and that all else did."""
    from provision.report.preflight import table_of

    text = table_of(rows, colour_on(sys.stderr), only_worse=True)
    click.echo(text, err=True, nl=False, color=True)
    tell_skipped(skipped)


def tell_skipped(skipped: frozenset[str]) -> None:
    """Tell on standard error which checks were left out."""
    if skipped:
        click.echo(f"not checked, as asked: {', '.join(sorted(skipped))}", err=True)


def refuse_what_would_fail(rows: Sequence[Row]) -> None:
    """Raise where a check failed or could not be made: before anything is written."""
    from provision.preflight import Status

    for status, kind in ((Status.COULD_NOT_RUN, NotChecked), (Status.FAIL, NotNow)):
        found = [row for row in rows if row.counting is status]
        if found:
            raise kind(len(found))


def code_of(rows: Iterable[Row]) -> int:
    """Return the exit code of the checks: 4 for what can't work now, 5 for what could not be checked."""
    from provision.preflight import Status

    statuses = {row.counting for row in rows}
    return exits.worst(
        (
            exits.CANNOT_WORK_NOW if Status.FAIL in statuses else exits.DONE,
            exits.NOT_CHECKED if Status.COULD_NOT_RUN in statuses else exits.DONE,
        )
    )
