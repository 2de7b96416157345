"""`provision destroy`: delete everything that an environment has made, and nothing else."""

from __future__ import annotations

import sys

import click

from provision.cli import exits
from provision.cli.common import colour_on, load_checked
from provision.cli.target import opened, target_options, which


@click.command()
@click.argument("environment", metavar="ENVIRONMENT")
@target_options
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="How events are told.")
def destroy(environment: str, simulate: bool, endpoint: str, yes: bool, shape: str) -> int:
    """Delete everything that an environment has made; what is not ours stays, and is named."""
    chosen = which(simulate, endpoint)
    checked, code = load_checked([environment])
    if code != exits.DONE:
        return code
    from provision.adapters.files import load_catalog
    from provision.cli.planning import ask_consent, carry_out, plan_for, refuse_what_cannot_be
    from provision.report.plan import plan_as_text

    each = checked[0]
    assert each.topology is not None
    with opened(chosen, each.topology.subscription, load_catalog()) as target:
        plan = plan_for(each, target, destroying=True)
        click.echo(plan_as_text(plan, colour_on(sys.stderr)), nl=False, color=True, err=True)
        if plan.empty:
            return exits.DONE
        refuse_what_cannot_be(plan)
        # To ask for a destruction is to consent to deletions; on a terminal the name is asked for all the same.
        ask_consent(plan, yes=yes, allowed=frozenset(plan.consents if yes else ()))
        return carry_out(plan, target, events_as_json=shape == "json")
