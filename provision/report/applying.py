"""What happens during an apply, as lines of text, and what it came to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime

from provision.apply.events import Event
from provision.apply.scheduler import LOCK, UNLOCK, Progress, State, Status
from provision.apply.shown import KIND
from provision.failures import remedy_for
from provision.plan.model import Operation
from provision.report.excerpt import Paint, printable
from provision.report.plan import kind_of

_VERBS = {
    "put-group": "write",
    "put-stack": "deploy",
    "delete": "delete",
    "delete-instances": "delete nodes of",
    "await-empty": "wait until interfaces leave",
    "delete-stack": "forget",
    "delete-group": "delete",
    "lock": "take the lock",
    "unlock": "release the lock",
    KIND: "look at",
}
_WORDS = {
    "operation-started": ("…", "0"),
    "operation-waiting": ("…", "33"),
    "operation-succeeded": ("✓", "32"),
    "operation-failed": ("✗", "31;1"),
    "operation-skipped": ("-", "33"),
}


def event_as_text(event: Event, progress: Progress, colour: bool = False) -> str:
    """Return an event as one line; empty for what people need not see."""
    paint = Paint(colour)
    at = _time(event.at)
    operation = progress.operations.get(event.operation)
    if operation is None or event.event not in _WORDS:
        if event.event in ("lock-renewed", "run-ended", "run-started", "lock-held", "write-answered"):
            return ""
        if event.event == "heartbeat":
            return printable(f"{at} still at work: {event.detail}")
        return printable(f"{at} {event.event.replace('-', ' ')}: {event.detail}".rstrip(": "))
    if not _worth_a_line(operation, event):
        return ""
    sign, code = _WORDS[event.event]
    took = ""
    if event.event == "operation-succeeded":
        took = _took(progress.states[event.operation])
    detail = f": {_detail(event.detail, progress)}" if event.detail else ""
    return f"{at} {paint(sign, code)} {printable(operation_as_text(operation))}{took}{printable(detail)}"


def _worth_a_line(operation: Operation, event: Event) -> bool:
    """Return whether people need an event: of the lock, only when it is not simply there and gone."""
    if operation.kind == "unlock":
        return event.event == "operation-failed"
    if event.event == "operation-skipped" and event.detail == f"waits for: {LOCK}":
        return False  # of a lock that could not be had the reason is told once, at the end
    return operation.kind != "lock" or event.event == "operation-failed" or bool(event.detail)


def _detail(detail: str, progress: Progress) -> str:
    """Return a detail with the operation that it names in words."""
    start, found, id = detail.partition("waits for: ")
    named = progress.operations.get(id) if found and not start else None
    return f"not begun, for this was not done: {operation_as_text(named)}" if named else detail


def operation_as_text(operation: Operation) -> str:
    """Return what an operation does, in a few words."""
    if operation.kind in ("lock", "unlock"):
        return _VERBS[operation.kind]
    place = f"{operation.region} " if operation.region else ""
    if operation.kind == "put-stack":
        return f"{place}deploy {operation.unit}"
    return f"{place}{_VERBS[operation.kind]} {kind_of(operation.target.type)} {operation.target.name}"


def event_as_json(event: Event) -> str:
    """Return an event as one line of JSON."""
    return json.dumps(event.as_dict(), ensure_ascii=False)


def outcome_as_text(progress: Progress, environment: str, elapsed_s: float, colour: bool = False) -> str:
    """Return what a run came to: what failed with its cause and its line, what was left, how to go on."""
    return "".join(f"{line}\n" for line in _outcome(progress, environment, elapsed_s, Paint(colour)))


def _outcome(progress: Progress, environment: str, elapsed_s: float, paint: Paint) -> Iterator[str]:
    failed = progress.of(Status.FAILED)
    of_lock = [id for id in (LOCK, UNLOCK) if progress.states[id].status is Status.FAILED]
    for operation in (*(progress.operations[id] for id in of_lock), *failed):
        state = progress.states[operation.id]
        told = printable(f"{operation_as_text(operation)} failed: {state.detail}")
        yield f"{paint('error', '31;1')}: {told}"
        yield printable(f"  resource: {operation.target}")
        if operation.origin:
            yield printable(f"  from: {operation.origin}")
        if state.correlation_id:
            yield printable(f"  correlation id: {state.correlation_id}")
        if remedy := remedy_for(state.detail):
            yield f"  fix: {remedy}"
        if operation.kind == "unlock":
            yield f"  the lock counts until {_time(progress.holder.until)}; then the next run takes it over"
    running = progress.of(Status.RUNNING)
    if running:
        yield "These go on in Azure without us:"
        yield from (printable(f"  {operation_as_text(operation)}") for operation in running)
    done, skipped = len(progress.of(Status.DONE)), len(progress.of(Status.SKIPPED))
    total = len(progress.planned)
    took = _duration(elapsed_s)
    if not failed and not running and not skipped:
        yield paint(f"{environment}: done, {done} of {total} operations in {took}", "32;1")
        return
    counts = f"{done} of {total} operations done, {len(failed)} failed, {skipped} not begun, in {took}"
    yield paint(f"{environment}: not finished: {counts}", "31;1")
    mend = "Mend what failed, then run" if failed else "Run"
    yield f"{mend} the same command again: it goes on from what Azure has, and makes nothing twice."


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(round(seconds), UTC).strftime("%H:%M:%S")


def _took(state: State) -> str:
    return f" ({_duration(state.ended - state.started)})" if state.ended > state.started else ""


def _duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60:02} s" if whole < 7200 else f"{whole // 3600} h {whole % 3600 // 60:02} min"
