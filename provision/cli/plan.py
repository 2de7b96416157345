"""`provision plan`: show what an apply would do, in Azure's own terms, and write nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import click

from provision.cli import exits
from provision.cli.checks import code_of, for_planning, rows_for, skip_option, tell
from provision.cli.common import load_checked, rules_option, set_option
from provision.cli.formats import Output, format_option, write
from provision.cli.parts import part_options
from provision.cli.target import Which, target_options
from provision.environment import Setting
from provision.findings import Rule
from provision.pipeline import Checked

if TYPE_CHECKING:
    from provision.plan import Chosen, Plan
    from provision.plan.what_if import Foreseen
    from provision.preflight import Member, Row


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the options say about the plans and what becomes of them."""

    part: Chosen | None
    destroy: bool
    what_if: bool
    offline: bool
    world: str | None
    save_world: str | None
    skipped: frozenset[str]


@click.command()
@click.argument("environments", metavar="ENVIRONMENT...", nargs=-1, required=True)
@target_options
@set_option
@rules_option
@part_options
@skip_option
@click.option("--out", metavar="FILE", help="Save the plan, to be reviewed and then applied as it is.")
@format_option(("text", "json", "markdown"), "the plan is shown")
@click.option("--detailed-exitcode", is_flag=True, help="Exit 2 when there is something to do.")
@click.option("--destroy", is_flag=True, help="Plan the deletion of everything that the environment has made.")
@click.option("--what-if", is_flag=True, help="Ask Azure's own what-if too, and explain where it says something else.")
@click.option("--offline", is_flag=True, help="Plan as if Azure had nothing of it, and ask Azure nothing.")
@click.option("--world", metavar="FILE", help="Plan against what --save-world has saved, and ask Azure nothing.")
@click.option("--save-world", metavar="FILE", help="Save what Azure has of the environments, for --world.")
def plan(
    environments: tuple[str, ...],
    chosen: Which,
    settings: tuple[Setting, ...],
    own_rules: tuple[Rule, ...],
    part: Chosen | None,
    skipped: frozenset[str],
    out: str | None,
    outputs: tuple[Output, ...],
    detailed_exitcode: bool,
    destroy: bool,
    what_if: bool,
    offline: bool,
    world: str | None,
    save_world: str | None,
) -> int:
    """Show what an apply would change; `-` is standard input. Nothing is written to Azure."""
    if out and len(environments) > 1:
        raise click.UsageError("--out takes the plan of one environment")
    asked = _Asked(part, destroy, what_if, offline or world is not None, world, save_world, skipped)
    if asked.offline and chosen.flags:
        raise click.UsageError("--offline and --world ask no Azure, so there is none to choose")
    if asked.offline and what_if:
        raise click.UsageError("--what-if asks Azure, and offline it is not asked")
    if asked.offline and save_world:
        raise click.UsageError("--save-world saves what Azure holds, and offline it is not asked")
    checked, code = load_checked(environments, settings, own_rules)
    if code != exits.DONE:
        return code
    from provision.report.plan_formats import plans_shown

    members, rows, foreseen, answered = _made(checked, chosen, asked)
    plans = [member.plan for member in members]
    write(outputs, lambda name, colour: plans_shown(name, plans, rows, foreseen, colour=colour))
    if out:
        _save(plans[0], out, chosen)
    if save_world:
        from provision.cli.offline import save_world as save

        save(save_world, members)
    if asked.offline:
        click.echo("not checked against Azure: the plan was made offline", err=True)
    else:
        tell(rows, skipped)
    codes = (_code(each, detailed_exitcode) for each in plans)
    return exits.worst((*codes, code_of(rows), exits.DONE if answered else exits.NOT_CHECKED))


def _made(
    checked: list[Checked], chosen: Which, asked: _Asked
) -> tuple[list[Member], tuple[Row, ...], list[Foreseen], bool]:
    """Return the environments with their plans, and what checks against Azure and its what-if say of them.

    The last is whether what-if has answered, where it is asked.
    """
    from provision.adapters.files import data_digest
    from provision.cli.foresee import foreseen_of
    from provision.cli.offline import world_of
    from provision.cli.planning import opened_for_reading, plans_of

    rows: tuple[Row, ...] = ()
    foreseen: list[Foreseen] = []
    answered = True
    if asked.offline:
        world = world_of(checked, asked.world)
        members = plans_of(checked, {}, destroying=asked.destroy, part=asked.part, world=world)
    else:
        with opened_for_reading(checked, chosen) as targets:
            members = plans_of(checked, targets, destroying=asked.destroy, part=asked.part)
            rows = for_planning(rows_for(members, targets, asked.skipped))
            if asked.what_if:
                foreseen, answered = foreseen_of(members, targets)
    said = partial(replace, simulated=chosen.simulated, offline=asked.offline, data=data_digest())
    return [replace(member, plan=said(member.plan)) for member in members], rows, foreseen, answered


def _save(made: Plan, out: str, chosen: Which) -> None:
    from provision.adapters.files import write_tree
    from provision.plan.document import text_of

    write_tree("", {out: text_of(made)})
    then = (
        "it was made offline, so it is for review only"
        if made.offline
        else (f"apply it with: provision apply {out}{chosen.flags}")
    )
    click.echo(f"saved in {out}; {then}", err=True)


def _code(made: Plan, detailed: bool) -> int:
    if made.refused or made.breaches:
        return exits.REFUSED
    return exits.DIFFERENCES if detailed and not made.empty else exits.DONE
