"""What plan, apply and destroy share: reading Azure, making the plan, and carrying one out. No verb itself."""

from __future__ import annotations

import signal
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import FrameType

import click

from provision.adapters.files import load_catalog
from provision.adapters.flight import ThreadsInFlight
from provision.adapters.policies import load_policies
from provision.adapters.simulator import host
from provision.adapters.templates import load_templates
from provision.apply import Applying, Event, Progress
from provision.apply.scheduler import LOCK, Status
from provision.arm import Arm, ResourceId, group_id
from provision.cli import exits
from provision.cli.checks import refuse_what_would_fail, rows_for, tell
from provision.cli.common import colour_on
from provision.cli.target import Target, Which, opened
from provision.errors import Refused
from provision.failures import cannot_work_now
from provision.observe import observe, with_instances
from provision.pipeline import Checked, planned, rendered
from provision.plan import Context, Observed, Plan, plan_of_destroying
from provision.preflight import Member, member_of
from provision.render import Unit
from provision.report.applying import event_as_json, event_as_text, outcome_as_text
from provision.report.plan import plan_as_text
from provision.topology import Topology

PARALLEL = 16
_STOPPING = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]


def plan_for(checked: Checked, target: Target, *, destroying: bool = False) -> Plan:
    """Return the plan of an environment without errors against what is there now. Raises ArmError."""
    assert checked.topology is not None
    if destroying:
        return destruction_of(checked, target)[0]
    units = rendered(checked, load_catalog(), load_templates())
    return plan_against(checked, units, observed_of(checked.topology, target), target.arm)[0]


def destruction_of(checked: Checked, target: Target) -> tuple[Plan, Observed]:
    """Return the plan that deletes all that an environment has made, and what it was made against."""
    assert checked.topology is not None
    observed = observed_of(checked.topology, target)
    plan = plan_of_destroying(
        Context(
            environment=checked.topology.environment,
            subscription=checked.topology.subscription,
            observed=observed,
            policies=load_policies(),
            catalog=load_catalog(),
            locate=checked.source.located,
            prices=checked.environment.prices if checked.environment else {},
        )
    )
    return replace(plan, settings=checked.settings, accepted=checked.accepted), observed


def plan_against(checked: Checked, units: tuple[Unit, ...], observed: Observed, arm: Arm) -> tuple[Plan, Observed]:
    """Return the plan that makes what was observed what an environment states, and what it was made against.

    Where a set shrinks, its nodes are read too, because the plan names those that go. Raises ArmError.
    """
    plan = planned(checked, units, observed, load_catalog(), load_policies())
    if plan.unread:
        observed = with_instances(arm, observed, plan.unread)
        plan = planned(checked, units, observed, load_catalog(), load_policies())
    return plan, observed


def plans_of(checked: Sequence[Checked], targets: Mapping[str, Target], *, destroying: bool = False) -> list[Member]:
    """Return environments without errors with their plans against what is there now; `targets` are by subscription."""
    members = []
    for each in checked:
        assert each.topology is not None
        target = targets[each.topology.subscription]
        accepted = each.environment.suppress if each.environment else ()
        if destroying:
            plan, observed = destruction_of(each, target)
            members.append(Member(plan.environment, plan.subscription, (), (), observed, plan, each.source, accepted))
            continue
        units = rendered(each, load_catalog(), load_templates())
        observed = observed_of(each.topology, target)
        plan, observed = plan_against(each, units, observed, target.arm)
        members.append(member_of(each.topology, units, observed, plan, each.source, accepted))
    return members


@contextmanager
def opened_for_reading(checked: Sequence[Checked], chosen: Which) -> Iterator[dict[str, Target]]:
    """Yield the Azure that is meant for each subscription of some environments, through clients that can't write."""
    types: dict[str, set[str]] = {}
    for each in checked:
        assert each.topology is not None
        types.setdefault(each.topology.subscription, set()).update(each.topology.own_types())
    with ExitStack() as stack:
        yield {
            id: stack.enter_context(opened(chosen, id, load_catalog(), sorted(own), reads_only=True))
            for id, own in types.items()
        }


def observed_of(topology: Topology, target: Target) -> Observed:
    """Return what there is of an environment."""
    names = [topology.home_group, *(region.group for region in topology.regions)]
    groups = [group_id(topology.subscription, name) for name in names]
    own = dict(topology.own_resources())
    return observe(target.arm, topology.subscription, topology.environment, groups, own)


def observed_again(plan: Plan, arm: Arm) -> Observed:
    """Return what there is now of what a plan rests on. Raises ArmError."""
    return observe(arm, plan.subscription, plan.environment, groups_of(plan), plan.own)


def groups_of(plan: Plan) -> list[ResourceId]:
    """Return the groups that a plan touches, or rests on: one that was given may hold nothing of ours."""
    touched = (*(change.id for change in plan.changes), *map(ResourceId, plan.read))
    ids = {plan.home.key: plan.home} | {id.group_id.key: id.group_id for id in touched}
    return [id for _, id in sorted(ids.items())]


def show_and_carry_out(
    member: Member,
    target: Target,
    *,
    yes: bool,
    allowed: frozenset[str],
    skipped: frozenset[str],
    events_as_json: bool,
) -> int:
    """Show a plan, check against Azure whether it can work, ask for what it needs, apply it; return the exit code.

    Raises Refused, NotNow and NotChecked: then nothing has been written.
    """
    plan = member.plan
    click.echo(plan_as_text(plan, colour_on(sys.stderr)), nl=False, color=True, err=True)
    if plan.empty:
        return exits.DONE
    refuse_what_cannot_be(plan)
    rows = rows_for([member], {plan.subscription: target}, skipped)
    tell(rows, skipped)
    refuse_what_would_fail(rows)
    ask_consent(plan, yes=yes, allowed=allowed)
    return carry_out(plan, target, events_as_json=events_as_json)


def refuse_what_cannot_be(plan: Plan) -> None:
    """Raise Refused if a plan must not be applied whatever the user consents to."""
    if plan.refused:
        first = plan.refused[0]
        raise Refused(
            f"{len(plan.refused)} changes of this plan cannot be made; the first: {first.id.name}: {first.reason}",
            fix="see the changes marked x in the plan: each says why",
        )
    if plan.unread:
        raise Refused(
            f"the nodes of {plan.unread[0].name} could not all be read, so nobody has chosen which of them go",
            fix="make the plan again",
        )
    if plan.breaches:
        raise Refused(
            f"the plan breaks a limit of the environment: {'; '.join(plan.breaches)}",
            fix="raise the limit in the environment file, in a change of its own that can be reviewed",
        )


def ask_consent(plan: Plan, *, yes: bool, allowed: frozenset[str]) -> None:
    """Return if the user wants this plan. Raises Refused; without a terminal nothing is asked."""
    missing = sorted(set(plan.consents) - allowed)
    terminal = sys.stdin.isatty() and sys.stderr.isatty()
    if plan.destroys and not terminal and not yes:
        raise Refused("there is no terminal to ask for consent on", fix="review the plan, and give --yes")
    if missing and (yes or not terminal):
        raise Refused(
            f"the plan would {' and '.join(missing)} what runs, and has no consent for it",
            fix=f"review it and add --allow {','.join(missing)}",
        )
    if yes:
        return
    if not terminal:
        raise Refused("there is no terminal to ask for consent on", fix="review the plan, and give --yes")
    if missing:
        what = f"This deletes what runs ({', '.join(missing)}). Type the environment's name to go on"
        if click.prompt(what, err=True, default="", show_default=False) != plan.environment:
            raise Refused("not confirmed")
    elif not click.confirm("Apply this plan?", err=True):
        raise Refused("not confirmed")


def carry_out(plan: Plan, target: Target, *, events_as_json: bool = False) -> int:
    """Apply a plan, tell what happens, and return the exit code."""
    in_flight = ThreadsInFlight(target.arm, target.clock, PARALLEL)

    def read_again() -> Mapping[str, str]:
        return observed_again(plan, target.arm).digests()

    applying = Applying(
        plan,
        target.clock,
        in_flight,
        run=uuid.uuid4().hex[:12],
        host=host(),
        alone=target.alone,
        read_again=read_again,
    )
    began = target.clock.now()
    said = _Voice()
    try:
        with _stopping_on_signals(applying.stop) as signalled:
            _tell(applying.events(), lambda: applying.progress, events_as_json, said)
    finally:
        in_flight.close()
    _refuse_if_locked(applying.progress)
    elapsed = target.clock.now() - began
    text = outcome_as_text(applying.progress, plan.environment, elapsed, colour_on(sys.stdout))
    said.line(text, err=events_as_json, nl=False)
    return _code(applying.progress, signalled())


def _refuse_if_locked(progress: Progress) -> None:
    state = progress.states[LOCK]
    if state.code == "LockHeld":
        raise Refused(
            f"another run holds the lock of this environment: {state.detail}",
            fix="wait until it has ended; a lock that expires is taken over",
        )


def _code(progress: Progress, signalled: int) -> int:
    if signalled:
        return 128 + signalled
    failed = progress.of(Status.FAILED)
    if progress.states[LOCK].status is Status.FAILED:
        return exits.COULD_NOT_RUN
    if not failed and not progress.of(Status.SKIPPED) and not progress.of(Status.RUNNING):
        return exits.DONE
    if progress.wrote:
        return exits.DEGRADED
    states = [progress.states[operation.id] for operation in failed]
    not_now = any(cannot_work_now(state.code, state.detail) for state in states)
    return exits.CANNOT_WORK_NOW if not_now else exits.COULD_NOT_RUN


class _Voice:
    """Says what happens as long as somebody listens: a reader that goes away must not stop a run half-way."""

    def __init__(self) -> None:
        self._heard = True

    def line(self, text: str, *, err: bool, nl: bool = True) -> None:
        """Print a text, unless an earlier one could not be printed."""
        if self._heard:
            try:
                click.echo(text, err=err, nl=nl, color=True)
            except OSError:
                self._heard = False


def _tell(events: Iterator[Event], progress: Callable[[], Progress], as_json: bool, said: _Voice) -> None:
    if as_json:
        for event in events:
            said.line(event_as_json(event), err=False)
    elif sys.stderr.isatty():
        from provision.cli.live import tell_live

        tell_live(events, progress)
    else:
        for event in events:
            if line := event_as_text(event, progress(), colour_on(sys.stderr)):
                said.line(line, err=True)


@contextmanager
def _stopping_on_signals(stop: Callable[[], None]) -> Iterator[Callable[[], int]]:
    """Within, the first Ctrl-C, SIGTERM or closed terminal asks the run to stop, the second ends it.

    Yields what tells which signal came.
    """
    came: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)
        stop()

    before = {number: signal.signal(number, handle) for number in _STOPPING}
    try:
        yield lambda: came[0] if came else 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
