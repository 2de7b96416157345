"""The loop around the scheduler: sends what it says, waits, and tells what happened. Decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from provision.apply import scheduler, shown
from provision.apply.events import Event
from provision.apply.lock import LIFE_S, Holder, lock_id
from provision.apply.scheduler import LOCK, RENEWAL, UNLOCK, Progress, State, Status
from provision.arm import WRITES, Answer, ArmError, Clock, InFlight, Request
from provision.errors import ProvisionError, StalePlan
from provision.plan import Plan
from provision.plan.model import Operation

#: Seconds of silence after which a run says that it is still there: pipelines end what says nothing for long.
HEARTBEAT_S = 300.0


class Applying:
    """One run of one plan. `progress` is where it is; `stop` asks it to reach a safe point and end."""

    def __init__(
        self,
        plan: Plan,
        clock: Clock,
        in_flight: InFlight,
        *,
        run: str,
        host: str,
        alone: bool = False,
        read_again: Callable[[], Mapping[str, str]],
    ) -> None:
        """`read_again` gives the digests of what the plan rests on, read anew: once, when the lock is held."""
        self.plan = plan
        self._clock = clock
        self._in_flight = in_flight
        self._run = run
        self._read_again = read_again
        self._ignored = {plan.home.key}
        now = clock.now()
        target = lock_id(plan.subscription, plan.home.name, plan.environment)
        # The lock lies in the home group, so making that group is the one write that comes before it.
        missing = plan.home.key not in plan.read
        before = [op for op in plan.operations if op.kind == "put-group" and op.target.key == plan.home.key]
        home = tuple(op.id for op in before if missing)
        self.progress = scheduler.begun(
            plan.operations,
            Operation(LOCK, "lock", target, "", "", home),
            Operation(UNLOCK, "unlock", target, "", "", ()),
            Holder(run=run, host=host, since=now, until=now + LIFE_S, alone=alone),
            shown.looks(plan.operations, plan.changes),
        )
        self._stop = False
        self._said = now

    def stop(self) -> None:
        """Ask the run to start nothing new and to end; may be called from a signal handler."""
        self._stop = True
        self._in_flight.wake()

    def events(self) -> Iterator[Event]:
        """Carry out the plan and yield what happens.

        Raises StalePlan if Azure has changed since it was made, and what reading Azure again raises; the lock is
        released before.
        """
        yield self._event("run-started", detail=f"{len(self.plan.operations)} operations")
        stale: ProvisionError | None = None
        while not self.progress.finished:
            if self._stop and not self.progress.stopping:
                self.progress = scheduler.stopped(self.progress, "the run was stopped")
                yield self._event("run-stopping", detail="starting nothing new")
                continue
            if scheduler.lapsed(self.progress, self._clock.now()):
                self.progress = scheduler.stopped(self.progress, "the lock ran out")
                yield self._event("lock-lost", detail="it ran out before it could be renewed; starting nothing new")
                continue
            if self.progress.locked and not self.progress.released and not self.progress.stopping:
                yield self._event("lock-held")
                stale = self._stale()
                if stale is not None:
                    self.progress = scheduler.given_up(self.progress, stale.message)
                self.progress = scheduler.released(self.progress)
                continue
            requests, wake_at = scheduler.next_steps(self.progress, self._clock.now())
            for id, request in requests:
                before = self.progress
                self.progress = scheduler.sent(self.progress, id, self._clock.now())
                self._in_flight.start(id, request)
                yield from self._told(before, id)
            beat_at = self._said + HEARTBEAT_S
            for id, outcome in self._in_flight.wait(min(wake_at, beat_at)):
                yield from self._advance(id, outcome)
            if self._clock.now() >= max(beat_at, self._said + HEARTBEAT_S):
                yield self._event("heartbeat", detail=self._summary())
        if stale is not None:
            raise stale
        yield self._event("run-ended", detail=self._summary())

    def _advance(self, id: str, outcome: Answer | ArmError) -> Iterator[Event]:
        before = self.progress
        self.progress = scheduler.advance(self.progress, id, outcome, self._clock.now())
        ask = before.states[id].ask if id != RENEWAL else None
        if ask is not None and ask.request.method in WRITES:
            yield self._written(ask.request, before.operations[id], outcome)
        if id == RENEWAL:
            failed = isinstance(outcome, ArmError)
            yield self._event("lock-not-renewed" if failed else "lock-renewed", detail=str(outcome) if failed else "")
            return
        yield from self._told(before, id)
        for other, state in self.progress.states.items():
            looks = self.progress.operations[other].kind == shown.KIND
            if other != id and not looks and state.status is not before.states[other].status:
                yield self._event("operation-skipped", self.progress.operations[other], state)

    def _told(self, before: Progress, id: str) -> Iterator[Event]:
        """Yield the event of what has just become of an operation, if it is worth one.

        A renewal is none, nor a look at what was done that sees it.
        """
        if id == RENEWAL:
            return
        operation, state, old = self.progress.operations[id], self.progress.states[id], before.states[id]
        if operation.kind == shown.KIND and not state.detail:
            return
        if state.status is not old.status:
            name = {Status.RUNNING: "operation-started", Status.DONE: "operation-succeeded"}
            yield self._event(name.get(state.status, "operation-failed"), operation, state)
        elif state.detail and state.detail != old.detail:
            yield self._event("operation-waiting", operation, state)

    def _stale(self) -> ProvisionError | None:
        """Return why the plan cannot be relied on: what it rests on has changed, or cannot be read."""
        try:
            read = self._read_again()
        except ProvisionError as error:
            return error
        now = {id: digest for id, digest in read.items() if id not in self._ignored}
        then = {id: digest for id, digest in self.plan.read.items() if id not in self._ignored}
        changed = sorted(id for id in now.keys() | then.keys() if now.get(id) != then.get(id))
        return StalePlan(tuple(changed)) if changed else None

    def _summary(self) -> str:
        counts = {status.value: len(self.progress.of(status)) for status in Status}
        return ", ".join(f"{count} {name}" for name, count in counts.items() if count)

    def _written(self, request: Request, operation: Operation, outcome: Answer | ArmError) -> Event:
        """Return the event of a write that was answered, with what Azure's support asks for."""
        code = f" {outcome.code}" if isinstance(outcome, ArmError) else ""
        told = self._event("write-answered", operation, detail=f"{request.method} {outcome.status}{code}")
        return replace(told, resource=str(request.id), correlation_id=outcome.correlation_id)

    def _event(
        self, name: str, operation: Operation | None = None, state: State | None = None, detail: str = ""
    ) -> Event:
        self._said = self._clock.now()
        return Event(
            at=self._said,
            run=self._run,
            event=name,
            operation=operation.id if operation else "",
            unit=operation.unit if operation else "",
            region=operation.region if operation else "",
            resource=str(operation.target) if operation else "",
            correlation_id=state.correlation_id if state else "",
            detail=detail or (state.detail if state else ""),
        )
