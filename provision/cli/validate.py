"""`provision validate`: check environment files without touching the network."""

from __future__ import annotations

import sys

import click

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.cli import exits
from provision.cli.common import checked_files, colour_on, findings_of, set_option, show_error, suppressed_in
from provision.environment import Setting
from provision.errors import FileError
from provision.findings import Severity
from provision.pipeline import Checked, rendered
from provision.report.findings import as_json, as_text


@click.command()
@click.argument("environments", metavar="ENVIRONMENT...", nargs=-1, required=True)
@set_option
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="How findings are shown.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning"]),
    default="error",
    help="The least severity that ends with exit code 3.",
)
def validate(environments: tuple[str, ...], settings: tuple[Setting, ...], shape: str, fail_on: str) -> int:
    """Check environment files; `-` is standard input. Needs neither network nor credentials."""
    checked, code = checked_files(environments, settings)
    code = exits.worst((code, _own_templates(checked)))
    findings, suppressed = findings_of(checked), suppressed_in(checked)
    if shape == "json":
        click.echo(as_json(findings, files=len(checked), suppressed=suppressed), nl=False)
    elif checked:
        text = as_text(findings, colour_on(sys.stdout), files=len(checked), suppressed=len(suppressed))
        click.echo(text, nl=False, color=True)
    failing = {Severity.ERROR} if fail_on == "error" else {Severity.ERROR, Severity.WARNING}
    failed = any(finding.severity in failing for finding in findings)
    return exits.worst((code, exits.FINDINGS if failed else exits.DONE))


def _own_templates(checked: list[Checked]) -> int:
    """Return the exit code after a look at what templates of one's own make of their units; mistakes are told."""
    code = exits.DONE
    for each in checked:
        if each.environment is not None and each.own.texts:
            try:
                rendered(each, load_catalog(), load_templates())
            except FileError as error:
                show_error(error)
                code = exits.COULD_NOT_RUN
    return code
