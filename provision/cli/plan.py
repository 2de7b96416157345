"""`provision plan`: show what an apply would do, in Azure's own terms, and write nothing."""

from __future__ import annotations

from dataclasses import replace

import click

from provision.cli import exits
from provision.cli.checks import code_of, for_planning, rows_for, skip_option, tell
from provision.cli.common import load_checked, rules_option, set_option
from provision.cli.formats import Output, format_option, write
from provision.cli.target import Which, target_options
from provision.environment import Setting
from provision.findings import Rule
from provision.pipeline import Checked


@click.command()
@click.argument("environments", metavar="ENVIRONMENT...", nargs=-1, required=True)
@target_options
@set_option
@rules_option
@skip_option
@click.option("--out", metavar="FILE", help="Save the plan, to be reviewed and then applied as it is.")
@format_option(("text", "json", "markdown"), "the plan is shown")
@click.option("--detailed-exitcode", is_flag=True, help="Exit 2 when there is something to do.")
@click.option("--destroy", is_flag=True, help="Plan the deletion of everything that the environment has made.")
def plan(
    environments: tuple[str, ...],
    chosen: Which,
    settings: tuple[Setting, ...],
    own_rules: tuple[Rule, ...],
    skipped: frozenset[str],
    out: str | None,
    outputs: tuple[Output, ...],
    detailed_exitcode: bool,
    destroy: bool,
) -> int:
    """Show what an apply would change; `-` is standard input. Nothing is written to Azure."""
    if out and len(environments) > 1:
        raise click.UsageError("--out takes the plan of one environment")
    checked, code = load_checked(environments, settings, own_rules)
    if code != exits.DONE:
        return code
    return _plans(checked, chosen, out, outputs, detailed_exitcode, destroy, skipped)


def _plans(
    checked: list[Checked],
    chosen: Which,
    out: str | None,
    outputs: tuple[Output, ...],
    detailed: bool,
    destroy: bool,
    skipped: frozenset[str],
) -> int:
    from provision.adapters.files import write_tree
    from provision.cli.planning import opened_for_reading, plans_of
    from provision.plan.document import text_of
    from provision.report.plan_formats import plans_shown

    with opened_for_reading(checked, chosen) as targets:
        members = plans_of(checked, targets, destroying=destroy)
        rows = for_planning(rows_for(members, targets, skipped))
    plans = [replace(member.plan, simulated=chosen.simulated) for member in members]
    write(outputs, lambda name, colour: plans_shown(name, plans, rows, colour=colour))
    codes = []
    for made in plans:
        if out:
            write_tree("", {out: text_of(made)})
            click.echo(f"saved in {out}; apply it with: provision apply {out}{chosen.flags}", err=True)
        changed = exits.DIFFERENCES if detailed and not made.empty else exits.DONE
        codes.append(exits.REFUSED if made.refused or made.breaches else changed)
    tell(rows, skipped)
    return exits.worst((*codes, code_of(rows)))
