"""The order of a run: what starts when, what a failure takes with it, and what becomes of the lock."""

from __future__ import annotations

from dataclasses import replace

import pytest

from provision.apply import scheduler
from provision.apply.lock import LIFE_S
from provision.apply.pace import Pace
from provision.apply.scheduler import LOCK, RENEWAL, UNLOCK
from provision.arm import Answer, ArmError, Request
from tests.apply.runs import (
    HOME,
    LOCK_ID,
    POLL,
    START,
    THEIRS,
    Drive,
    Outcome,
    a_stack,
    an_operation,
    begun,
    lock_of,
    statuses,
)

BUSY = ArmError(429, "TooManyRequests", "Too many requests.", retry_after_s=7)


def done(id: str, request: Request, now: float) -> Outcome:
    return Answer(200)


def test_the_lock_is_taken_before_and_released_after_everything() -> None:
    drive = Drive(begun(a_stack("network"), a_stack("train", "network")), done)

    assert statuses(drive.run()) == dict.fromkeys((LOCK, "network", "train", UNLOCK), "done")
    assert drive.sent == [
        (0, LOCK, "GET"),
        (0, LOCK, "PUT"),
        (0, "network", "PUT"),
        (0, "train", "PUT"),
        (0, UNLOCK, "GET"),
        (0, UNLOCK, "DELETE"),
    ]


def test_only_the_group_that_holds_the_lock_is_written_before_it() -> None:
    home = an_operation("put-group", HOME, id="home")
    other = an_operation("put-group", HOME, id="other")

    drive = Drive(begun(home, other, home=("home",)), done)
    drive.run()

    assert [id for _, id, _ in drive.sent] == ["home", LOCK, LOCK, "other", UNLOCK, UNLOCK]


def test_nothing_starts_until_the_plan_was_seen_to_hold_under_the_lock() -> None:
    progress = begun(a_stack("network"))
    for outcome in (ArmError(404, "ResourceNotFound", ""), Answer(201)):
        progress = scheduler.advance(scheduler.sent(progress, LOCK, START), LOCK, outcome, START)

    assert progress.locked
    assert scheduler.next_steps(progress, START) == ([], START + 600)
    assert [id for id, _ in scheduler.next_steps(scheduler.released(progress), START)[0]] == ["network"]


def test_what_waits_for_nothing_starts_at_once_and_together() -> None:
    drive = Drive(begun(a_stack("a"), a_stack("b"), a_stack("c", "a")), done)
    while drive.progress.states["a"].status.value == "waiting":
        drive.step()

    assert statuses(drive.progress) == {LOCK: "done", "a": "done", "b": "done", "c": "waiting", UNLOCK: "waiting"}


def test_a_failure_takes_with_it_only_what_depends_on_it_and_the_lock_is_released() -> None:
    def azure(id: str, request: Request, now: float) -> Outcome:
        return ArmError(409, "OperationNotAllowed", "exceeding approved quota") if id == "a" else Answer(200)

    drive = Drive(begun(a_stack("a"), a_stack("b"), a_stack("c", "a"), a_stack("d", "c"), a_stack("e", "b")), azure)
    progress = drive.run()

    assert statuses(progress) == {
        LOCK: "done",
        "a": "failed",
        "b": "done",
        "c": "skipped",
        "d": "skipped",
        "e": "done",
        UNLOCK: "done",
    }
    assert progress.states["a"].detail == "OperationNotAllowed: exceeding approved quota"
    assert (progress.states["c"].detail, progress.states["d"].detail) == ("waits for: a", "waits for: c")
    assert drive.lock.tags is None


def test_a_refusal_that_passes_is_repeated_when_azure_says() -> None:
    answers: list[Outcome] = [BUSY, BUSY, Answer(200)]

    drive = Drive(begun(a_stack("a")), lambda id, request, now: answers.pop(0))
    drive.run()

    assert drive.work == [(0, "a", "PUT"), (7, "a", "PUT"), (14, "a", "PUT")]


def test_without_a_retry_after_the_pause_doubles_up_to_a_minute_and_ends_after_eight_attempts() -> None:
    drive = Drive(begun(a_stack("a")), lambda *_: ArmError(503, "ServiceUnavailable", "later"))
    progress = drive.run()

    assert [at for at, _, _ in drive.work] == [0, 5, 15, 35, 75, 135, 195, 255]
    assert (progress.states["a"].code, progress.states["a"].detail) == (
        "ServiceUnavailable",
        "ServiceUnavailable: later",
    )
    assert statuses(progress) == {LOCK: "done", "a": "failed", UNLOCK: "done"}


def test_an_operation_is_polled_at_the_interval_that_azure_names() -> None:
    def azure(id: str, request: Request, now: float) -> Outcome:
        if request.method == "PUT":
            return Answer(201, operation_url=POLL, retry_after_s=10)
        assert request.url == POLL
        return Answer(200, {"status": "Succeeded" if now >= START + 30 else "InProgress"}, retry_after_s=10)

    drive = Drive(begun(a_stack("a")), azure)
    drive.run()

    assert drive.work == [(0, "a", "PUT"), (10, "a", "GET"), (20, "a", "GET"), (30, "a", "GET")]


def test_where_azure_names_no_interval_polls_grow_from_five_to_fifteen_seconds() -> None:
    def azure(id: str, request: Request, now: float) -> Outcome:
        return Answer(200, {"status": "running" if now < START + 60 else "succeeded"}, operation_url=POLL)

    drive = Drive(begun(a_stack("a")), azure)
    drive.run()

    assert [round(at, 2) for at, _, _ in drive.work] == [0, 5, 11.25, 19.06, 28.83, 41.04, 56.04, 71.04]


def test_a_poll_follows_the_url_that_the_last_answer_named() -> None:
    urls: list[str] = []

    def azure(id: str, request: Request, now: float) -> Outcome:
        urls.append(request.url)
        named = {0: "first", 1: "second"}.get(len(urls) - 1, "")
        return Answer(202 if len(urls) < 4 else 200, operation_url=named)

    Drive(begun(a_stack("a")), azure).run()

    assert urls == ["", "first", "second", "second"]


def test_the_lock_is_renewed_every_ten_minutes_while_azure_works() -> None:
    def azure(id: str, request: Request, now: float) -> Outcome:
        return Answer(200, {"status": "succeeded" if now >= START + 1500 else "running"}, POLL, retry_after_s=100)

    drive = Drive(begun(a_stack("a")), azure)
    progress = drive.run()

    assert [at for at, id, _ in drive.sent if id == RENEWAL] == [600, 1200]
    assert progress.holder.until == START + 1200 + LIFE_S
    assert drive.lock.tags is None


def test_a_renewal_that_is_refused_is_tried_again_and_the_lock_lapses_if_none_gets_through() -> None:
    progress = begun(a_stack("a"))
    for outcome in (ArmError(404, "ResourceNotFound", ""), Answer(201)):
        progress = scheduler.advance(scheduler.sent(progress, LOCK, START), LOCK, outcome, START)
    now = START + 600
    while not scheduler.lapsed(progress, now):
        ((id, _),) = scheduler.next_steps(progress, now)[0]
        assert id == RENEWAL
        progress = scheduler.advance(scheduler.sent(progress, RENEWAL, now), RENEWAL, BUSY, now)
        now = scheduler.next_steps(progress, now)[1]

    assert now == START + LIFE_S


def test_a_run_that_stops_starts_nothing_new_leaves_azure_working_and_releases_the_lock() -> None:
    def azure(id: str, request: Request, now: float) -> Outcome:
        return Answer(200, {"status": "running"}, operation_url=POLL)

    drive = Drive(begun(a_stack("a"), a_stack("b", "a")), azure)
    while drive.now < START + 60:
        drive.step()
    drive.progress = scheduler.stopped(drive.progress, "the run was stopped")
    before = len(drive.work)

    progress = drive.run()

    assert statuses(progress) == {LOCK: "done", "a": "running", "b": "skipped", UNLOCK: "done"}
    assert progress.states["b"].detail == "the run was stopped"
    assert len(drive.work) == before
    assert drive.lock.tags is None


def test_a_run_that_stops_before_it_has_the_lock_sends_nothing() -> None:
    progress = scheduler.stopped(begun(a_stack("a")), "the run was stopped")

    assert progress.finished
    assert scheduler.next_steps(progress, START)[0] == []


def test_a_run_that_stops_while_its_lock_is_claimed_waits_for_the_answer_and_releases_it() -> None:
    progress = begun(a_stack("a"))
    progress = scheduler.advance(scheduler.sent(progress, LOCK, START), LOCK, ArmError(404, "NotFound", ""), START)
    progress = scheduler.stopped(scheduler.sent(progress, LOCK, START), "the run was stopped")
    assert not progress.finished
    assert scheduler.next_steps(progress, START)[0] == []

    progress = scheduler.advance(progress, LOCK, Answer(201), START)

    assert [(id, request.method) for id, request in scheduler.next_steps(progress, START)[0]] == [(UNLOCK, "GET")]


def test_a_stopping_run_ends_although_the_lock_cannot_be_released() -> None:
    drive = Drive(begun(a_stack("a")), lambda *_: Answer(200, {"status": "running"}, operation_url=POLL))
    while not drive.work:
        drive.step()
    drive.progress = scheduler.stopped(drive.progress, "the run was stopped")
    drive.lock = lambda request: ArmError(403, "AuthorizationFailed", "no")  # type: ignore[assignment] # Azure's side

    assert statuses(drive.run()) == {LOCK: "done", "a": "running", UNLOCK: "failed"}


def test_a_lock_that_another_run_has_taken_over_is_not_released() -> None:
    drive = Drive(begun(a_stack("a")), done)
    while not drive.work:
        drive.step()
    drive.lock.tags = lock_of(THEIRS).body["tags"]

    progress = drive.run()

    assert [method for _, id, method in drive.sent if id == UNLOCK] == ["GET"]
    assert progress.states[UNLOCK].detail.startswith("it is held by run run-2 on there:2")
    assert drive.lock.tags == lock_of(THEIRS).body["tags"]


def test_a_run_that_gets_no_lock_writes_nothing() -> None:
    drive = Drive(begun(a_stack("a"), a_stack("b", "a")), done)
    drive.lock.tags = lock_of(THEIRS).body["tags"]

    progress = drive.run()

    assert statuses(progress) == {LOCK: "failed", "a": "skipped", "b": "skipped", UNLOCK: "skipped"}
    assert (progress.states[LOCK].code, progress.wrote) == ("LockHeld", False)
    assert drive.sent == [(0, LOCK, "GET"), (10, LOCK, "GET")]


def test_what_was_given_up_is_never_sent_and_the_lock_is_released() -> None:
    drive = Drive(begun(a_stack("a"), a_stack("b", "a")), done)
    while not drive.progress.locked:
        drive.step()
    drive.progress = scheduler.given_up(drive.progress, "the plan is stale")

    assert statuses(drive.run()) == {LOCK: "done", "a": "skipped", "b": "skipped", UNLOCK: "done"}
    assert drive.work == []


@pytest.mark.parametrize("answer", [Answer(200, {"status": "running"}, POLL), Answer(202, {}, POLL)])
def test_an_operation_that_never_ends_is_given_up_after_hours(answer: Answer) -> None:
    drive = Drive(begun(a_stack("a")), lambda *_: answer)

    progress = drive.run()

    assert progress.states["a"].code == "NoEnd"
    assert drive.now - START == pytest.approx(8 * 3600, abs=60)
    assert statuses(progress) == {LOCK: "done", "a": "failed", UNLOCK: "done"}


def test_whatever_the_lock_is_refused_with_the_run_ends_within_minutes() -> None:
    drive = Drive(begun(a_stack("a")), done)
    drive.lock = lambda request: (  # type: ignore[assignment] # Azure's side
        ArmError(404, "ResourceGroupNotFound", "") if request.method == "GET" else ArmError(503, "Busy", "")
    )

    progress = drive.run()

    assert statuses(progress) == {LOCK: "failed", "a": "skipped", UNLOCK: "skipped"}
    assert drive.now - START <= 600


def test_operations_that_would_wait_for_ever_are_a_mistake_of_ours() -> None:
    with pytest.raises(AssertionError, match="an operation waits for none that is before it"):
        begun(a_stack("a", "b"), a_stack("b"))
    with pytest.raises(AssertionError, match="the lock waits for itself"):
        begun(a_stack("a"), a_stack("b", "a"), home=("b",))
    with pytest.raises(AssertionError, match="the lock waits for none that there is"):
        begun(a_stack("a"), home=("b",))


def test_the_lock_names_its_stack() -> None:
    assert LOCK_ID.name == "provision-lock-quick"


def test_while_a_budget_is_empty_writes_go_one_by_one_and_other_kinds_go_on() -> None:
    """Azure's bucket of writes holds two and gains one in five seconds."""
    tokens, since = 2.0, START

    def azure(id: str, request: Request, now: float) -> Outcome:
        nonlocal tokens, since
        if request.method == "GET":
            return Answer(200, {"status": "Succeeded"}, left=1000)
        tokens, since = min(2.0, tokens + (now - since) / 5), now
        if tokens < 1:
            return ArmError(429, "SubscriptionRequestsThrottled", "", retry_after_s=5, left=0)
        tokens -= 1
        return Answer(201, operation_url=POLL, retry_after_s=1, left=int(tokens))

    drive = Drive(begun(*(a_stack(name) for name in "abcdef")), azure)
    drive.progress = replace(drive.progress, paces={"writes": Pace(2)})
    progress = drive.run()

    assert set(statuses(progress).values()) == {"done"}
    writes = [at for at, _, method in drive.work if method == "PUT"]
    assert len([at for at in writes if at > 5]) == 4, "only the first that found nothing left was refused"
    assert drive.now - START <= 25


def test_the_lock_is_renewed_before_anything_else_goes_out() -> None:
    progress = begun(a_stack("a"), a_stack("b"))
    for outcome in (ArmError(404, "ResourceNotFound", ""), Answer(201)):
        progress = scheduler.advance(scheduler.sent(progress, LOCK, START), LOCK, outcome, START)
    progress = replace(scheduler.released(progress), paces={"writes": Pace(1)})

    assert [id for id, _ in scheduler.next_steps(progress, START + 600)[0]] == [RENEWAL, "a"]
