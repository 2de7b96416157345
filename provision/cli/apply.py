"""`provision apply`: make Azure what an environment states, or carry out a saved plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from provision.cli import exits
from provision.cli.common import load_checked, set_option
from provision.cli.target import Which, opened, target_options
from provision.environment import Setting
from provision.pipeline import Checked

if TYPE_CHECKING:
    from provision.plan import Plan

CLASSES = ("replace", "delete", "deallocate")


def allowed(value: str) -> frozenset[str]:
    """Return the classes of danger that the user consents to. Raises UsageError."""
    names = frozenset(name.strip() for name in value.split(",") if name.strip())
    if unknown := names - set(CLASSES):
        raise click.UsageError(f"--allow {', '.join(sorted(unknown))}: there are {', '.join(CLASSES)}")
    return names


@click.command()
@click.argument("environment", metavar="ENVIRONMENT|PLANFILE")
@target_options
@set_option
@click.option("--yes", is_flag=True, help="Do not ask. Dangerous changes need --allow all the same.")
@click.option("--allow", metavar="CLASS,...", default="", help=f"Consent to dangerous changes: {', '.join(CLASSES)}.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="How events are told.")
def apply(
    environment: str,
    chosen: Which,
    settings: tuple[Setting, ...],
    yes: bool,
    allow: str,
    shape: str,
) -> int:
    """Make Azure what an environment states, or carry out a plan that was saved with `plan --out`."""
    classes = allowed(allow)
    from provision.adapters.files import STDIN, STDIN_NAME, read_text
    from provision.plan.document import plan_in

    saved = plan_in(read_text(STDIN_NAME if environment == STDIN else environment))
    if saved is not None and settings:
        raise click.UsageError("a saved plan is applied as it is; give --set to `provision plan`")
    if saved is not None:
        return _apply_saved(saved, chosen, yes, classes, shape)
    checked, code = load_checked([environment], settings)
    if code != exits.DONE:
        return code
    return _apply(checked[0], chosen, yes, classes, shape)


def _apply(checked: Checked, chosen: Which, yes: bool, classes: frozenset[str], shape: str) -> int:
    from provision.adapters.files import load_catalog
    from provision.cli.planning import plan_for, show_and_carry_out

    assert checked.topology is not None
    with opened(chosen, checked.topology.subscription, load_catalog(), checked.topology.own_types()) as target:
        plan = plan_for(checked, target)
        return show_and_carry_out(plan, target, yes=yes, allowed=classes, events_as_json=shape == "json")


def _apply_saved(plan: Plan, chosen: Which, yes: bool, classes: frozenset[str], shape: str) -> int:
    from provision.adapters.files import load_catalog
    from provision.cli.planning import observed_again, show_and_carry_out
    from provision.errors import Refused, StalePlan

    if plan.simulated != chosen.simulated:
        made, meant = ("a simulated", "the real") if plan.simulated else ("the real", "a simulated")
        raise Refused(
            f"the plan was made against {made} Azure, and this is {meant} one",
            fix=f"give the same options as to plan{': --simulate or --endpoint' if plan.simulated else ''}",
        )
    types = sorted({id.type for id in plan.own})
    with opened(chosen, plan.subscription, load_catalog(), types) as target:
        now = observed_again(plan, target.arm).digests()
        if changed := sorted(id for id in now.keys() | plan.read.keys() if now.get(id) != plan.read.get(id)):
            raise StalePlan(tuple(changed))
        return show_and_carry_out(plan, target, yes=yes, allowed=classes, events_as_json=shape == "json")
