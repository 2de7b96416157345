"""Decides what is sent when: pure, `advance(progress, …) -> progress` and `next_steps(progress, now)`.

An operation starts when all that it comes after has succeeded. What fails takes with it only what depends on it;
everything else goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from provision.apply.lock import LIFE_S, RENEW_AFTER_S, Holder, claim
from provision.apply.steps import Ask, Done, Failed, Move, answered, first, refused
from provision.arm import Answer, ArmError, Request
from provision.plan.model import Operation

LOCK = "lock"
UNLOCK = "unlock"
RENEWAL = "renew the lock"


class Status(StrEnum):
    """Where an operation is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


_LOST = (Status.FAILED, Status.SKIPPED)


@dataclass(frozen=True, slots=True)
class State:
    """One operation's state. `ask` is what it asks next, at `due`, or has in flight; times in seconds since 1970.

    `attempts` counts refusals of the same request, `polls` all answers.
    """

    status: Status = Status.WAITING
    ask: Ask | None = None
    due: float = 0.0
    in_flight: bool = False
    attempts: int = 0
    polls: int = 0
    started: float = 0.0
    ended: float = 0.0
    wrote: bool = False
    code: str = ""
    detail: str = ""
    correlation_id: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """A run so far. `released`: the plan was seen to hold under the lock, so what it does may begin."""

    operations: Mapping[str, Operation]
    states: Mapping[str, State]
    holder: Holder
    renewing: bool = False
    released: bool = False
    stopping: bool = False

    def of(self, status: Status) -> list[Operation]:
        """Return the operations that are in a status, the lock's own left out."""
        mine = (item for item in self.operations.items() if item[0] not in (LOCK, UNLOCK))
        return [operation for id, operation in mine if self.states[id].status is status]

    @property
    def locked(self) -> bool:
        """Return whether this run holds the lock."""
        return self.states[LOCK].status is Status.DONE and self.states[UNLOCK].status is Status.WAITING

    @property
    def finished(self) -> bool:
        """Return whether nothing is left to do."""
        return all(state.status not in (Status.WAITING, Status.RUNNING) for state in self.states.values())

    @property
    def wrote(self) -> bool:
        """Return whether anything but the lock, and the group that holds it, was written."""
        aside = {LOCK, UNLOCK, *self.operations[LOCK].after}
        return any(state.wrote for id, state in self.states.items() if id not in aside)


def begun(operations: tuple[Operation, ...], lock: Operation, unlock: Operation, holder: Holder) -> Progress:
    """Return the progress of a run that has not begun."""
    known = {lock.id: lock, **{operation.id: operation for operation in operations}, unlock.id: unlock}
    assert all(need in known for operation in operations for need in operation.after), "an operation waits for none"
    return Progress(known, {id: State() for id in known}, holder)


def next_steps(progress: Progress, now: float) -> tuple[list[tuple[str, Request]], float]:
    """Return the requests to send now, and when to look again if no answer comes before."""
    requests: list[tuple[str, Request]] = []
    wake_at = now + 3600.0
    for id, operation in progress.operations.items():
        state = progress.states[id]
        if state.status is Status.WAITING and _may_start(progress, operation):
            requests.append((id, first(operation, progress.holder).request))
        elif state.status is Status.RUNNING and not state.in_flight and state.ask is not None:
            if progress.stopping and id != UNLOCK:
                continue
            if state.due <= now:
                requests.append((id, state.ask.request))
            else:
                wake_at = min(wake_at, state.due)
    if progress.locked and not progress.renewing and not progress.stopping:
        due = progress.holder.until - LIFE_S + RENEW_AFTER_S
        if due <= now:
            renewed = replace(progress.holder, until=now + LIFE_S)
            requests.append((RENEWAL, claim(progress.operations[LOCK].target, renewed)))
        else:
            wake_at = min(wake_at, due)
    return requests, wake_at


def sent(progress: Progress, id: str, now: float) -> Progress:
    """Return the progress after a request was sent."""
    if id == RENEWAL:
        return replace(progress, renewing=True)
    state = progress.states[id]
    if state.status is Status.WAITING:
        ask = first(progress.operations[id], progress.holder)
        state = State(status=Status.RUNNING, ask=ask, started=now)
    assert state.ask is not None
    wrote = state.wrote or state.ask.request.method in ("PUT", "DELETE")
    return _with(progress, id, replace(state, in_flight=True, wrote=wrote))


def advance(progress: Progress, id: str, outcome: Answer | ArmError, now: float) -> Progress:
    """Return the progress after an answer; what can no longer start is skipped."""
    if id == RENEWAL:
        return _renewed(progress, outcome, now)
    operation, state = progress.operations[id], progress.states[id]
    assert state.ask is not None
    attempts = state.attempts + 1 if isinstance(outcome, ArmError) else 0
    polls = state.polls + 1
    if isinstance(outcome, ArmError):
        move = refused(operation, state.ask, outcome, attempts, progress.holder, now)
    else:
        move = answered(operation, state.ask.phase, outcome, polls, progress.holder, now)
        move = _same_url(move, state.ask)
    state = replace(
        state,
        in_flight=False,
        attempts=attempts,
        polls=polls,
        correlation_id=outcome.correlation_id or state.correlation_id,
    )
    return _skipping(_with(progress, id, _moved(state, move, now)))


def released(progress: Progress) -> Progress:
    """Return the progress of a run whose plan was seen to hold under the lock."""
    return replace(progress, released=True)


def given_up(progress: Progress, reason: str) -> Progress:
    """Return the progress with all that has not begun skipped, so that only the lock is left to be released."""
    states = {
        id: replace(state, status=Status.SKIPPED, detail=reason)
        if state.status is Status.WAITING and id != UNLOCK
        else state
        for id, state in progress.states.items()
    }
    return replace(progress, states=states)


def stopped(progress: Progress) -> Progress:
    """Return the progress of a run that was asked to stop: nothing new begins; what Azure does, it goes on doing."""
    return replace(given_up(progress, "the run was stopped"), stopping=True)


def _may_start(progress: Progress, operation: Operation) -> bool:
    states = progress.states
    if operation.id == UNLOCK:
        others = (state for id, state in states.items() if id != UNLOCK)
        if progress.stopping:
            return not any(state.in_flight for state in others) and not progress.renewing
        return all(s.status not in (Status.WAITING, Status.RUNNING) for s in others) and not progress.renewing
    if not progress.released and operation.id not in (LOCK, *progress.operations[LOCK].after):
        return False
    return all(states[need].status is Status.DONE for need in operation.after)


def _same_url(move: Move, ask: Ask) -> Move:
    """Keep polling the URL that is known, where an answer names none."""
    if isinstance(move, Ask) and move.phase == "poll" and not move.request.url:
        return replace(move, request=replace(move.request, url=ask.request.url))
    return move


def _moved(state: State, move: Move, now: float) -> State:
    match move:
        case Ask():
            attempts = state.attempts if state.ask is not None and move.phase == state.ask.phase else 0
            return replace(state, ask=move, due=now + move.wait_s, detail=move.told, attempts=attempts)
        case Done():
            return replace(state, status=Status.DONE, ask=None, ended=now, detail=move.detail)
        case Failed():
            return replace(state, status=Status.FAILED, ask=None, ended=now, code=move.code, detail=move.message)


def _renewed(progress: Progress, outcome: Answer | ArmError, now: float) -> Progress:
    """Return the progress after a renewal; one that was refused is tried again a minute later."""
    until = now + LIFE_S if isinstance(outcome, Answer) else now + LIFE_S - RENEW_AFTER_S + 60.0
    return replace(progress, renewing=False, holder=replace(progress.holder, until=until))


def _skipping(progress: Progress) -> Progress:
    """Return the progress with every operation skipped that waits for one that failed or was skipped."""
    while True:
        waiting = [id for id, state in progress.states.items() if state.status is Status.WAITING]
        if progress.states[LOCK].status in _LOST:
            lost = dict.fromkeys(waiting, LOCK)
        else:
            needs = {id: progress.operations[id].after for id in waiting if id != UNLOCK}
            failed = (
                (id, next((n for n in need if progress.states[n].status in _LOST), "")) for id, need in needs.items()
            )
            lost = {id: need for id, need in failed if need}
        if not lost:
            return progress
        states = dict(progress.states)
        for id, need in lost.items():
            states[id] = replace(states[id], status=Status.SKIPPED, detail=f"waits for: {need}")
        progress = replace(progress, states=states)


def _with(progress: Progress, id: str, state: State) -> Progress:
    return replace(progress, states={**progress.states, id: state})
