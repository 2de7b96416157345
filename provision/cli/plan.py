"""`provision plan`: show what an apply would do, in Azure's own terms, and write nothing."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import click

from provision.cli import exits
from provision.cli.common import colour_on, load_checked, set_option
from provision.cli.target import Which, opened, target_options
from provision.environment import Setting
from provision.pipeline import Checked


@click.command()
@click.argument("environments", metavar="ENVIRONMENT...", nargs=-1, required=True)
@target_options
@set_option
@click.option("--out", metavar="FILE", help="Save the plan, to be reviewed and then applied as it is.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="How the plan is shown.")
@click.option("--detailed-exitcode", is_flag=True, help="Exit 2 when there is something to do.")
@click.option("--destroy", is_flag=True, help="Plan the deletion of everything that the environment has made.")
def plan(
    environments: tuple[str, ...],
    chosen: Which,
    settings: tuple[Setting, ...],
    out: str | None,
    shape: str,
    detailed_exitcode: bool,
    destroy: bool,
) -> int:
    """Show what an apply would change; `-` is standard input. Nothing is written to Azure."""
    if out and len(environments) > 1:
        raise click.UsageError("--out takes the plan of one environment")
    checked, code = load_checked(environments, settings)
    if code != exits.DONE:
        return code
    return _plans(checked, chosen, out, shape, detailed_exitcode, destroy)


def _plans(checked: list[Checked], chosen: Which, out: str | None, shape: str, detailed: bool, destroy: bool) -> int:
    from provision.adapters.files import load_catalog, write_tree
    from provision.cli.planning import plan_for
    from provision.plan.document import document_of, text_of
    from provision.report.plan import plan_as_text

    codes, documents = [], []
    for each in checked:
        assert each.topology is not None
        with opened(chosen, each.topology.subscription, load_catalog(), each.topology.own_types()) as target:
            made = replace(plan_for(each, target, destroying=destroy), simulated=chosen.simulated)
        if shape == "json":
            documents.append(document_of(made))
        else:
            click.echo(plan_as_text(made, colour_on(sys.stdout)), nl=False, color=True)
        if out:
            write_tree("", {out: text_of(made)})
            click.echo(f"saved in {out}; apply it with: provision apply {out}{chosen.flags}", err=True)
        changed = exits.DIFFERENCES if detailed and not made.empty else exits.DONE
        codes.append(exits.REFUSED if made.refused or made.breaches else changed)
    if shape == "json":
        whole = documents[0] if len(documents) == 1 else {"format_version": 1, "plans": documents}
        click.echo(json.dumps(whole, indent=1, ensure_ascii=False))
    return exits.worst(codes)
