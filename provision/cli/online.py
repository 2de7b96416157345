"""The checks against Azure before the first write, which several verbs make. No verb itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.cli import exits
from provision.cli.planning import observed_of, plan_against
from provision.cli.target import Target, Which, opened
from provision.pipeline import Checked, rendered
from provision.preflight import Member, Row, Status, rows_of


def rows_for(checked: Sequence[Checked], chosen: Which) -> tuple[Row, ...]:
    """Return the rows of all checks for environments without errors, read from Azure by clients that can't write."""
    catalog = load_catalog()
    with ExitStack() as open_targets:
        targets: dict[str, Target] = {}
        for each in checked:
            assert each.topology is not None
            subscription = each.topology.subscription.lower()
            if subscription not in targets:
                targets[subscription] = open_targets.enter_context(
                    opened(chosen, each.topology.subscription, catalog, reads_only=True)
                )
        members = tuple(member_of(each, targets[_subscription(each)]) for each in checked)
        return rows_of(members, {key: target.arm for key, target in targets.items()}, catalog)


def member_of(checked: Checked, target: Target) -> Member:
    """Return an environment as the checks look at it, with what there is of it now."""
    assert checked.topology is not None
    units = rendered(checked, load_catalog(), load_templates())
    observed = observed_of(checked.topology, target)
    return Member(checked.topology, units, observed, plan_against(checked, units, observed), checked.source)


def _subscription(checked: Checked) -> str:
    assert checked.topology is not None
    return checked.topology.subscription.lower()


def code_of(rows: Iterable[Row]) -> int:
    """Return the exit code of the checks: 4 for what can't work now, 5 for what could not be checked."""
    statuses = {row.status for row in rows}
    return exits.worst(
        (
            exits.CANNOT_WORK_NOW if Status.FAIL in statuses else exits.DONE,
            exits.NOT_CHECKED if Status.COULD_NOT_RUN in statuses else exits.DONE,
        )
    )
