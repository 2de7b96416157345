"""Decides what is sent when: pure, `advance(progress, …) -> progress` and `next_steps(progress, now)`.

An operation starts when all that it comes after has succeeded. What fails takes with it only what depends on it;
everything else goes on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from provision.apply import shown
from provision.apply.lock import LIFE_S, RENEW_AFTER_S, RENEW_AGAIN_S, Holder, claim
from provision.apply.pace import Pace, Paces, kind_of
from provision.apply.steps import Ask, Done, Failed, Move, answered, first, in_time, once_more, refused
from provision.arm import WRITES, Answer, ArmError, Request
from provision.plan.model import Operation

LOCK = "lock"
UNLOCK = "unlock"
RENEWAL = "renew the lock"
OWN_KINDS = frozenset({"lock", "unlock", shown.KIND})


class Status(StrEnum):
    """Where an operation is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


_OPEN = (Status.WAITING, Status.RUNNING)
_LOST = (Status.FAILED, Status.SKIPPED)


@dataclass(frozen=True, slots=True)
class State:
    """One operation's state. `ask` is what it asks next, at `due`, or has in flight; times in seconds since 1970.

    `attempts` counts refusals of the same request, but not those for too many requests, `polls` the answers in one
    phase, `again` the deployments that ended badly for a reason that passes.
    """

    status: Status = Status.WAITING
    ask: Ask | None = None
    due: float = 0.0
    in_flight: bool = False
    attempts: int = 0
    polls: int = 0
    again: int = 0
    started: float = 0.0
    ended: float = 0.0
    wrote: bool = False
    code: str = ""
    detail: str = ""
    correlation_id: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """A run so far. `released`: the plan was seen to hold under the lock, so what it does may begin.

    `holder`: what the lock says of us, as far as Azure has confirmed it; it is renewed at `renew_at`. `paces`: how fast
    requests may go, by kind.
    """

    operations: Mapping[str, Operation]
    states: Mapping[str, State]
    holder: Holder
    renew_at: float
    paces: Paces = field(default_factory=dict)
    renewing: bool = False
    released: bool = False
    stopping: bool = False

    def of(self, status: Status) -> list[Operation]:
        """Return the operations of the plan that are in a status."""
        return [operation for operation in self.planned if self.states[operation.id].status is status]

    @property
    def planned(self) -> list[Operation]:
        """Return the operations of the plan, without the run's own: the lock's, and the looks at what was done."""
        return [operation for operation in self.operations.values() if operation.kind not in OWN_KINDS]

    @property
    def locked(self) -> bool:
        """Return whether this run holds the lock."""
        return self.states[LOCK].status is Status.DONE and self.states[UNLOCK].status is Status.WAITING

    @property
    def flying(self) -> bool:
        """Return whether a request is in flight."""
        return self.renewing or any(state.in_flight for state in self.states.values())

    @property
    def to_release(self) -> bool:
        """Return whether the lock is ours, or may be because a claim went out and no answer came, and still there."""
        lock = self.states[LOCK]
        taken = lock.status is Status.DONE or (lock.status is Status.RUNNING and lock.wrote)
        return taken and self.states[UNLOCK].status in _OPEN

    @property
    def finished(self) -> bool:
        """Return whether nothing is left to do; a run that stops leaves to Azure what runs there."""
        if self.stopping:
            return not self.flying and not self.to_release
        return all(state.status not in _OPEN for state in self.states.values())

    @property
    def wrote(self) -> bool:
        """Return whether anything but the lock, and the group that holds it, was written."""
        aside = {LOCK, UNLOCK, *self.operations[LOCK].after}
        return any(state.wrote for id, state in self.states.items() if id not in aside)


def begun(
    operations: tuple[Operation, ...],
    lock: Operation,
    unlock: Operation,
    holder: Holder,
    looks: tuple[Operation, ...] = (),
) -> Progress:
    """Return the progress of a run that has not begun. `looks`: at what it did, before the lock is released.

    Each operation waits for earlier ones only, and what the lock waits for waits for nothing else: no run stands still.
    """
    known = {each.id: each for each in (lock, *operations, *looks, unlock)}
    earlier: set[str] = set()
    for operation in operations:
        assert earlier.issuperset(operation.after), "an operation waits for none that is before it"
        assert operation.id not in lock.after or set(operation.after) <= set(lock.after), "the lock waits for itself"
        earlier.add(operation.id)
    assert earlier.issuperset(lock.after), "the lock waits for none that there is"
    return Progress(known, {id: State() for id in known}, holder, holder.until - LIFE_S + RENEW_AFTER_S)


def next_steps(progress: Progress, now: float) -> tuple[list[tuple[str, Request]], float]:
    """Return the requests to send now, and when to look again if no answer comes before."""
    wanted: list[tuple[str, Request]] = []
    wake_at = now + 3600.0
    if progress.locked and not progress.renewing and not progress.stopping:
        if progress.renew_at <= now:
            renewed = replace(progress.holder, until=now + LIFE_S)
            wanted.append((RENEWAL, claim(progress.operations[LOCK].target, renewed)))
        else:
            wake_at = min(wake_at, progress.renew_at)
    for id, operation in progress.operations.items():
        state = progress.states[id]
        if state.status is Status.WAITING and _may_start(progress, operation):
            wanted.append((id, first(operation, progress.holder).request))
        elif state.status is Status.RUNNING and not state.in_flight and state.ask is not None:
            if progress.stopping and id != UNLOCK:
                continue
            if state.due <= now:
                wanted.append((id, state.ask.request))
            else:
                wake_at = min(wake_at, state.due)
    requests: list[tuple[str, Request]] = []
    paces = progress.paces
    for id, request in wanted:
        free_at = paces.get(kind_of(request.method), Pace()).free_at()
        if free_at <= now:
            requests.append((id, request))
            paces = _sent(paces, request, now)
        else:
            wake_at = min(wake_at, free_at)
    return requests, wake_at


def sent(progress: Progress, id: str, now: float) -> Progress:
    """Return the progress after a request was sent."""
    if id == RENEWAL:
        paces = _sent(progress.paces, claim(progress.operations[LOCK].target, progress.holder), now)
        return replace(progress, renewing=True, renew_at=now, paces=paces)
    state = progress.states[id]
    if state.status is Status.WAITING:
        if progress.operations[id].kind == shown.KIND:
            done = {each for each, other in progress.states.items() if other.status is Status.DONE}
            look = shown.of_what_was_done(progress.operations[id], done)
            progress = replace(progress, operations={**progress.operations, id: look})
        ask = first(progress.operations[id], progress.holder)
        state = State(status=Status.RUNNING, ask=ask, started=now)
    assert state.ask is not None
    wrote = state.wrote or state.ask.request.method in WRITES
    progress = replace(progress, paces=_sent(progress.paces, state.ask.request, now))
    return _with(progress, id, replace(state, in_flight=True, wrote=wrote))


def advance(progress: Progress, id: str, outcome: Answer | ArmError, now: float) -> Progress:
    """Return the progress after an answer; what can no longer start is skipped."""
    if id == RENEWAL:
        return _renewed(_paced(progress, "PUT", outcome, now), outcome, now)
    operation, state = progress.operations[id], progress.states[id]
    assert state.ask is not None
    progress = _paced(progress, state.ask.request.method, outcome, now)
    polls = state.polls if isinstance(outcome, ArmError) else state.polls + 1
    attempts = 0
    if isinstance(outcome, ArmError):
        # One request too many says nothing about this one: however often it happens, no attempt is used up.
        attempts = state.attempts + (outcome.status != 429)
        move = refused(operation, state.ask, outcome, max(1, attempts), progress.holder, now)
    else:
        move = answered(operation, state.ask.phase, outcome, polls, progress.holder, now)
        move = _same_url(move, state.ask)
    if isinstance(move, Failed) and (later := once_more(operation, state.ask.phase, move, state.again)):
        move, state = later, replace(state, again=state.again + 1)
    move = in_time(operation, move, now - state.started)
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


def stopped(progress: Progress, reason: str) -> Progress:
    """Return the progress of a run that stops: nothing new begins; what Azure does, it goes on doing."""
    return replace(given_up(progress, reason), stopping=True)


def lapsed(progress: Progress, now: float) -> bool:
    """Return whether the lock has run out under us, so that another run may hold it."""
    return progress.locked and not progress.stopping and progress.holder.until <= now


def _may_start(progress: Progress, operation: Operation) -> bool:
    states = progress.states
    if operation.id == UNLOCK:
        if progress.flying or not progress.to_release:
            return False
        return progress.stopping or all(s.status not in _OPEN for id, s in states.items() if id != UNLOCK)
    if not progress.released and operation.id not in (LOCK, *progress.operations[LOCK].after):
        return False
    if operation.kind == shown.KIND:
        return all(states[need].status not in _OPEN for need in operation.after)
    return all(states[need].status is Status.DONE for need in operation.after)


def _sent(paces: Paces, request: Request, now: float) -> Paces:
    kind = kind_of(request.method)
    return {**paces, kind: paces.get(kind, Pace()).sent(now)}


def _paced(progress: Progress, method: str, outcome: Answer | ArmError, now: float) -> Progress:
    kind = kind_of(method)
    pace = progress.paces.get(kind, Pace()).answered(outcome, now)
    return replace(progress, paces={**progress.paces, kind: pace})


def _same_url(move: Move, ask: Ask) -> Move:
    """Keep polling the URL that is known, where an answer names none."""
    if isinstance(move, Ask) and move.phase == "poll" and not move.request.url:
        return replace(move, request=replace(move.request, url=ask.request.url))
    return move


def _moved(state: State, move: Move, now: float) -> State:
    match move:
        case Ask():
            due = now + move.wait_s
            if state.ask is not None and move.phase == state.ask.phase:
                return replace(state, ask=move, due=due, detail=move.told)
            return replace(state, ask=move, due=due, detail=move.told, attempts=0, polls=0)
        case Done():
            return replace(state, status=Status.DONE, ask=None, ended=now, detail=move.detail)
        case Failed():
            return replace(state, status=Status.FAILED, ask=None, ended=now, code=move.code, detail=move.message)


def _renewed(progress: Progress, outcome: Answer | ArmError, now: float) -> Progress:
    """Return the progress after a renewal; one that was refused is tried again a minute later."""
    if isinstance(outcome, ArmError):
        return replace(progress, renewing=False, renew_at=now + RENEW_AGAIN_S)
    holder = replace(progress.holder, until=progress.renew_at + LIFE_S)
    return replace(progress, renewing=False, renew_at=progress.renew_at + RENEW_AFTER_S, holder=holder)


def _skipping(progress: Progress) -> Progress:
    """Return the progress with every operation skipped that waits for one that failed or was skipped."""
    while True:
        waiting = [id for id, state in progress.states.items() if state.status is Status.WAITING]
        if progress.states[LOCK].status in _LOST:
            lost = dict.fromkeys(waiting, LOCK)
        else:
            needs = {
                id: progress.operations[id].after for id in waiting if progress.operations[id].kind not in OWN_KINDS
            }
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
