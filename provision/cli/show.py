"""`provision show`: print a plan that was saved, as `provision plan` printed it. Azure is not asked."""

from __future__ import annotations

import json
import sys

import click

from provision.cli import exits
from provision.cli.common import colour_on
from provision.errors import FileError


@click.command()
@click.argument("planfile", metavar="PLANFILE")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="How the plan is shown.")
def show(planfile: str, shape: str) -> int:
    """Print a plan that was saved with `plan --out`; `-` is standard input.

    Whether Azure is still as the plan took it is not asked: `provision apply PLANFILE` does, before it writes.
    """
    from provision.cli.saved import plan_at
    from provision.plan.document import document_of
    from provision.report.plan import plan_as_text

    plan = plan_at(planfile)
    if plan is None:
        raise FileError(planfile, "this is no saved plan", fix="plan --out saves one; provision plan shows a new one")
    if shape == "json":
        click.echo(json.dumps(document_of(plan), indent=1, ensure_ascii=False))
    else:
        click.echo(plan_as_text(plan, colour_on(sys.stdout)), nl=False, color=True)
    return exits.DONE
