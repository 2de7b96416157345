"""`provision adopt`: take over what an environment states and somebody else has made, without touching a node."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from provision.cli import exits
from provision.cli.checks import refuse_what_would_fail, rows_for, skip_option, tell
from provision.cli.common import colour_on, load_checked, rules_option, set_option, show_error
from provision.cli.target import Which, opened, target_options
from provision.environment import Setting
from provision.errors import ProvisionError, Refused
from provision.findings import Rule
from provision.pipeline import Checked

if TYPE_CHECKING:
    from provision.plan.adopt import Adoption
    from provision.preflight import Member


@click.command()
@click.argument("environments", metavar="ENVIRONMENT...", nargs=-1, required=True)
@target_options
@set_option
@rules_option
@skip_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json"]),
    default="text",
    help="How it is told; json: a line for each environment, then one for each event.",
)
def adopt(
    environments: tuple[str, ...],
    chosen: Which,
    settings: tuple[Setting, ...],
    own_rules: tuple[Rule, ...],
    skipped: frozenset[str],
    yes: bool,
    shape: str,
) -> int:
    """Mark what exists as the environment's, after showing what the next apply would then change.

    Nothing but tags is written: no node, network or template is touched.
    """
    checked, code = load_checked(environments, settings, own_rules)
    if code != exits.DONE:
        return code
    adoptions = _adoptions(checked, chosen, skipped, shape)
    wanted = [each for each in adoptions if each.plan.operations]
    if not wanted:
        return exits.DONE
    _ask(wanted, yes)
    return exits.worst([_carried_out(each, chosen, shape) for each in wanted])


def _adoptions(checked: list[Checked], chosen: Which, skipped: frozenset[str], shape: str) -> list[Adoption]:
    """Return what each environment would take over, after showing it: read through clients that can't write.

    Raises Refused, NotNow and NotChecked.
    """
    from provision.cli.planning import adoptions_of, opened_for_reading
    from provision.preflight import FOR_TAGS
    from provision.report.adoption import adoption_as_dict, adoption_as_text

    with opened_for_reading(checked, chosen) as targets:
        found = adoptions_of(checked, targets)
        for adoption, _ in found:
            if shape == "json":
                click.echo(json.dumps(adoption_as_dict(adoption), ensure_ascii=False))
            else:
                click.echo(adoption_as_text(adoption, colour_on(sys.stdout)), nl=False, color=True)
        members: list[Member] = [member for adoption, member in found if adoption.plan.operations]
        rows = rows_for(members, targets, skipped, only=FOR_TAGS) if members else ()
    if rows:
        tell(rows, skipped)
    adoptions = [adoption for adoption, _ in found]
    _refuse_what_is_blocked(adoptions)
    refuse_what_would_fail(rows)
    return adoptions


def _refuse_what_is_blocked(adoptions: list[Adoption]) -> None:
    blocked = [each for adoption in adoptions for each in adoption.blocked]
    if blocked:
        first = blocked[0]
        raise Refused(
            f"{len(blocked)} of what is there can't be adopted; the first: {first.id.name}: {first.blocks[0].reason}",
            fix=first.blocks[0].fix,
        )


def _ask(wanted: list[Adoption], yes: bool) -> None:
    """Return if the user wants this. Raises Refused; without a terminal nothing is asked."""
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused("there is no terminal to ask for consent on", fix="review what is adopted, and give --yes")
    count = sum(len(each.found) for each in wanted)
    names = ", ".join(each.plan.environment for each in wanted)
    if not click.confirm(f"Put the mark of {names} on {count} of what is there?", err=True):
        raise Refused("not confirmed")


def _carried_out(adoption: Adoption, chosen: Which, shape: str) -> int:
    """Put the marks of one environment on, and return the exit code; what ends it does not end the others'."""
    from provision.adapters.files import load_catalog
    from provision.cli.planning import carry_out

    own = sorted({id.type for id in adoption.plan.own})
    try:
        with opened(chosen, adoption.plan.subscription, load_catalog(), own) as target:
            return carry_out(adoption.plan, target, events_as_json=shape == "json")
    except ProvisionError as error:
        show_error(error)
        return error.exit_code
