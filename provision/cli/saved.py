"""What the verbs do with a saved plan before it is shown or carried out: read it, and see that it still holds.

No verb itself.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from provision.adapters.files import STDIN, load_catalog, read_text
from provision.adapters.templates import load_templates, read_templates
from provision.environment import setting_of
from provision.errors import FileError, Refused, StalePlan
from provision.source import STDIN_NAME

if TYPE_CHECKING:
    from provision.cli.target import Which
    from provision.plan import Observed, Plan


def plan_at(path: str) -> Plan | None:
    """Return the plan that a file holds, `-` is standard input; None of a file that is no plan. Raises Refused."""
    from provision.plan.document import plan_in

    return plan_in(read_text(STDIN_NAME if path == STDIN else path))


def refuse_elsewhere(plan: Plan, chosen: Which) -> None:
    """Raise Refused if a plan was made against another Azure than is meant, or against none."""
    if plan.offline:
        raise Refused(
            "the plan was made offline, so nobody has asked Azure what is there",
            fix="make it again without --offline or --world, and review that",
        )
    if plan.simulated != chosen.simulated:
        made, meant = ("a simulated", "the real") if plan.simulated else ("the real", "a simulated")
        raise Refused(
            f"the plan was made against {made} Azure, and this is {meant} one",
            fix=f"give the same options as to plan{': --simulate or --endpoint' if plan.simulated else ''}",
        )


def refuse_if_overtaken(plan: Plan, observed: Observed) -> None:
    """Raise StalePlan if what a plan rests on has changed; Refused if it would delete what is not ours."""
    from provision.plan.credible import strangers
    from provision.plan.stale import moved

    if changes := moved(plan, observed):
        raise StalePlan(changes)
    if others := strangers(plan, observed):
        raise Refused(
            f"the plan would delete {others[0]}, which does not carry the mark of {plan.environment}",
            fix="provision makes no such plan; find out where this file comes from",
        )


def sendable(plan: Plan) -> Plan:
    """Return a plan with what its file withholds, made again from the files that it came from. Raises Refused."""
    from provision.pipeline import check, rendered
    from provision.plan.withheld import completed, lacks, values_in

    if not lacks(plan):
        return plan
    path = next(iter(plan.inputs), STDIN_NAME)
    why = "the plan file withholds what nodes boot with"
    fix = "apply it where the files are that it was made from, or make the plan again"
    if path == STDIN_NAME:
        raise Refused(
            "the plan file withholds what nodes boot with, and its environment came on standard input", fix=fix
        )
    try:
        settings = tuple(setting_of(text) for text in plan.settings)
        checked = check(
            path, read_text, load_catalog(), variables=os.environ, settings=settings, read_folder=read_templates
        )
    except FileError as error:
        raise Refused(f"{why}, and {path}: {error.message}", fix=fix) from error
    if checked.topology is None:
        raise Refused(f"{why}, and {path} has errors now", fix=fix)
    units = rendered(checked, load_catalog(), load_templates())
    paths = {path for operation in plan.operations for path in operation.withheld}
    return completed(plan, values_in((unit.template for unit in units), sorted(paths)))
