"""`provision validate`: check environment files without touching the network."""

from __future__ import annotations

import click

from provision.cli import exits
from provision.cli.common import checked_files, findings_of, rules_option, set_option, show_error, suppressed_in
from provision.cli.formats import Output, format_option, write
from provision.environment import Setting
from provision.findings import Rule, Severity
from provision.report.formats import FORMATS, Report, shown
from provision.rules import all_rules


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
def validate(
    environments: tuple[str, ...],
    settings: tuple[Setting, ...],
    own_rules: tuple[Rule, ...],
    outputs: tuple[Output, ...],
    fail_on: str,
) -> int:
    """Check environment files; `-` is standard input. Needs neither network nor credentials."""
    checked, unreadable = checked_files(environments, settings, own_rules)
    for error in unreadable:
        show_error(error)
    severities = list(Severity)
    report = Report(
        findings_of(checked),
        suppressed_in(checked),
        files=tuple(each.source.file for each in checked),
        unreadable=tuple(unreadable),
        failing=frozenset(severities[: severities.index(Severity(fail_on)) + 1]),
        rules=tuple(sorted((*all_rules(), *own_rules), key=lambda rule: rule.id)),
    )
    write(outputs, lambda name, colour: shown(name, report, colour=colour))
    codes = [exits.FINDINGS if report.failed else exits.DONE, exits.COULD_NOT_RUN if unreadable else exits.DONE]
    return exits.worst(codes)
