"""`provision destroy`: delete everything that an environment has made, and nothing else."""

from __future__ import annotations

import click

from provision.cli import exits
from provision.cli.common import load_checked, set_option
from provision.cli.target import Which, opened, target_options
from provision.environment import Setting


@click.command()
@click.argument("environment", metavar="ENVIRONMENT")
@target_options
@set_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="How events are told.")
def destroy(environment: str, chosen: Which, settings: tuple[Setting, ...], yes: bool, shape: str) -> int:
    """Delete everything that an environment has made; what is not ours stays, and is named."""
    checked, code = load_checked([environment], settings)
    if code != exits.DONE:
        return code
    from provision.adapters.files import load_catalog
    from provision.cli.planning import plan_for, show_and_carry_out

    each = checked[0]
    assert each.topology is not None
    with opened(chosen, each.topology.subscription, load_catalog(), each.topology.own_types()) as target:
        plan = plan_for(each, target, destroying=True)
        # To ask for a destruction is to consent to deletions; on a terminal the name is asked for all the same.
        allowed = frozenset(plan.consents if yes else ())
        return show_and_carry_out(plan, target, yes=yes, allowed=allowed, events_as_json=shape == "json")
