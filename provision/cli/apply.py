"""`provision apply`: make Azure what an environment states, or carry out a saved plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from provision.cli import exits
from provision.cli.checks import skip_option
from provision.cli.common import load_checked, rules_option, set_option
from provision.cli.parts import part_options
from provision.cli.target import Which, opened, target_options
from provision.environment import Setting
from provision.findings import Rule
from provision.pipeline import Checked

if TYPE_CHECKING:
    from provision.plan import Chosen, Plan

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
@rules_option
@part_options
@skip_option
@click.option("--yes", is_flag=True, help="Do not ask. Dangerous changes need --allow all the same.")
@click.option("--allow", metavar="CLASS,...", default="", help=f"Consent to dangerous changes: {', '.join(CLASSES)}.")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text", help="How events are told.")
def apply(
    environment: str,
    chosen: Which,
    settings: tuple[Setting, ...],
    own_rules: tuple[Rule, ...],
    part: Chosen | None,
    skipped: frozenset[str],
    yes: bool,
    allow: str,
    shape: str,
) -> int:
    """Make Azure what an environment states, or carry out a plan that was saved with `plan --out`."""
    classes = allowed(allow)
    from provision.cli.saved import plan_at

    saved = plan_at(environment)
    if saved is not None and settings:
        raise click.UsageError("a saved plan is applied as it is; give --set to `provision plan`")
    if saved is not None and part is not None:
        raise click.UsageError("a saved plan is applied as it is; give --region and --pool to `provision plan`")
    if saved is not None:
        return _apply_saved(saved, chosen, yes, classes, shape, skipped)
    checked, code = load_checked([environment], settings, own_rules)
    if code != exits.DONE:
        return code
    return _apply(checked[0], chosen, part, yes, classes, shape, skipped)


def _apply(
    checked: Checked,
    chosen: Which,
    part: Chosen | None,
    yes: bool,
    classes: frozenset[str],
    shape: str,
    skipped: frozenset[str],
) -> int:
    from provision.adapters.files import load_catalog
    from provision.cli.planning import plans_of, show_and_carry_out

    assert checked.topology is not None
    subscription = checked.topology.subscription
    with opened(chosen, subscription, load_catalog(), checked.topology.own_types()) as target:
        (member,) = plans_of([checked], {subscription: target}, part=part)
        return show_and_carry_out(
            member, target, yes=yes, allowed=classes, skipped=skipped, events_as_json=shape == "json"
        )


def _apply_saved(
    plan: Plan, chosen: Which, yes: bool, classes: frozenset[str], shape: str, skipped: frozenset[str]
) -> int:
    from provision.adapters.files import load_catalog
    from provision.cli.planning import observed_again, show_and_carry_out
    from provision.cli.saved import refuse_elsewhere, refuse_if_overtaken, sendable
    from provision.preflight import member_of_saved

    refuse_elsewhere(plan, chosen)
    plan = sendable(plan)
    types = sorted({id.type for id in plan.own})
    with opened(chosen, plan.subscription, load_catalog(), types) as target:
        observed = observed_again(plan, target.arm)
        refuse_if_overtaken(plan, observed)
        member = member_of_saved(plan, observed)
        return show_and_carry_out(
            member, target, yes=yes, allowed=classes, skipped=skipped, events_as_json=shape == "json"
        )
