"""`provision validate`: check environment files without touching the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.cli import exits
from provision.cli.checks import code_of, rows_for, skip_option, tell_skipped
from provision.cli.common import checked_files, findings_of, rules_option, set_option, show_error, suppressed_in
from provision.cli.formats import Output, format_option, write
from provision.cli.target import Which, target_options
from provision.environment import Setting
from provision.errors import FileError
from provision.findings import Rule, Severity, has_errors, in_order
from provision.pipeline import Checked, rendered
from provision.report.formats import FORMATS, Report, shown
from provision.rules import all_rules

if TYPE_CHECKING:
    from provision.preflight import Row


@click.command()
@click.argument("environments", metavar="ENVIRONMENT...", nargs=-1, required=True)
@set_option
@rules_option
@format_option(FORMATS, "findings are shown")
@click.option(
    "--fail-on",
    type=click.Choice([severity.value for severity in Severity]),
    default="error",
    help="The least severity that ends with exit code 3.",
)
@click.option(
    "--online", is_flag=True, help="Ask Azure too: quota, sizes, images, permissions. Reads, and can't write."
)
@skip_option
@target_options
def validate(
    environments: tuple[str, ...],
    settings: tuple[Setting, ...],
    own_rules: tuple[Rule, ...],
    outputs: tuple[Output, ...],
    fail_on: str,
    online: bool,
    skipped: frozenset[str],
    chosen: Which,
) -> int:
    """Check environment files; `-` is standard input. Needs neither network nor credentials without --online."""
    if (chosen.flags or skipped) and not online:
        raise click.UsageError("only --online talks to an Azure, real or simulated")
    checked, unreadable = checked_files(environments, settings, own_rules)
    unreadable += _mistakes_in_templates(checked)
    for error in unreadable:
        show_error(error)
    severities = list(Severity)
    rows: tuple[Row, ...] | None = None
    found, suppressions = findings_of(checked), suppressed_in(checked)
    applied: tuple[Rule, ...] = (*all_rules(), *own_rules)
    if online and not unreadable and not has_errors(found):
        from provision.cli.planning import opened_for_reading, plans_of
        from provision.report.preflight import findings_in, preflight_rules, unused_in

        with opened_for_reading(checked, chosen) as targets:
            members = plans_of(checked, targets)
            rows = rows_for(members, targets, skipped)
        tell_skipped(skipped)
        sources = [each.source for each in checked]
        against, accepted = findings_in(rows, sources)
        found = in_order((*found, *against, *unused_in(rows, members, sources)))
        suppressions = (*suppressions, *accepted)
        applied = (*applied, *preflight_rules())
    report = Report(
        found,
        suppressions,
        files=tuple(each.source.file for each in checked),
        unreadable=tuple(unreadable),
        failing=frozenset(severities[: severities.index(Severity(fail_on)) + 1]),
        rules=tuple(sorted(applied, key=lambda rule: rule.id)),
        checks=rows,
    )
    write(outputs, lambda name, colour: shown(name, report, colour=colour))
    codes = [exits.FINDINGS if report.failed else exits.DONE, exits.COULD_NOT_RUN if unreadable else exits.DONE]
    if rows is not None:
        codes.append(code_of(rows))
    return exits.worst(codes)


def _mistakes_in_templates(checked: Sequence[Checked]) -> Iterator[FileError]:
    """Yield what is wrong with what templates of one's own make of their units."""
    for each in checked:
        if each.environment is not None and each.own.texts:
            try:
                rendered(each, load_catalog(), load_templates())
            except FileError as error:
                yield error
