"""`provision show`: print a plan that was saved, as `provision plan` printed it. Azure is not asked."""

from __future__ import annotations

import click

from provision.cli import exits
from provision.cli.formats import Output, format_option, write
from provision.errors import FileError


@click.command()
@click.argument("planfile", metavar="PLANFILE")
@format_option(("text", "json", "markdown"), "the plan is shown")
def show(planfile: str, outputs: tuple[Output, ...]) -> int:
    """Print a plan that was saved with `plan --out`; `-` is standard input.

    Whether Azure is still as the plan took it is not asked: `provision apply PLANFILE` does, before it writes.
    """
    from provision.cli.saved import plan_at
    from provision.plan.document import text_of
    from provision.report.plan_formats import plans_shown

    plan = plan_at(planfile)
    if plan is None:
        raise FileError(planfile, "this is no saved plan", fix="plan --out saves one; provision plan shows a new one")
    write(
        outputs,
        lambda name, colour: text_of(plan) if name == "json" else plans_shown(name, [plan], (), colour=colour),
    )
    return exits.DONE
