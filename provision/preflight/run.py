"""Asks what the checks want to know, each question once and side by side, and lets the checks judge the answers.

A question without an answer costs only the rows that rest on it: they say that they could not run, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from provision.arm import ArmError, Reader
from provision.catalog import Catalog
from provision.errors import ProvisionError
from provision.preflight.checks import CHECKS
from provision.preflight.model import Check, Item, LoginQuestion, Member, Question, Row, Status

_PARALLEL = 16
#: Seconds after which a check goes without an answer.
TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why there is no answer, and what would help."""

    reason: str
    fix: str


def rows_of(
    members: tuple[Member, ...],
    reader_of: Mapping[str, Reader],
    catalog: Catalog,
    *,
    checks: Sequence[Check] = CHECKS,
    timeout_s: float = TIMEOUT_S,
) -> tuple[Row, ...]:
    """Return the rows of all checks, in the checks' order; `reader_of` is by subscription."""
    found: dict[str, list[Row]] = {check.rule.id: [] for check in checks}
    answers: dict[Question | LoginQuestion, Any | Unanswered] = {}
    items = [(check.rule.id, item) for check in checks for item in check.items(members, catalog)]
    while items:
        asked = dict.fromkeys(question for _, item in items for question in item.questions)
        answers |= _answers([question for question in asked if question not in answers], reader_of, timeout_s)
        further: list[tuple[str, Item]] = []
        for id, item in items:
            for each in _judged(id, item, [answers[question] for question in item.questions]):
                if isinstance(each, Row):
                    found[id].append(each)
                else:
                    further.append((id, each))
        items = further
    return tuple(row for rows in found.values() for row in rows)


def _judged(id: str, item: Item, given: list[Any | Unanswered]) -> Iterable[Row | Item]:
    missing = next((answer for answer in given if isinstance(answer, Unanswered)), None)
    if missing is None:
        return item.judge(*given)
    message = f"this could not be checked: {missing.reason}"
    return [Row(id, item.subject, Status.COULD_NOT_RUN, message, item.at, missing.fix, item.member)]


def _answers(
    questions: list[Question | LoginQuestion], reader_of: Mapping[str, Reader], timeout_s: float
) -> dict[Question | LoginQuestion, Any | Unanswered]:
    if not questions:
        return {}
    futures: dict[Question | LoginQuestion, Future[Any]] = {
        question: Future() for question in questions if question.subscription.lower() in reader_of
    }
    waiting: SimpleQueue[Question | LoginQuestion] = SimpleQueue()
    for question in futures:
        waiting.put(question)

    def work() -> None:
        with suppress(Empty):
            while True:
                question = waiting.get_nowait()
                if futures[question].set_running_or_notify_cancel():
                    reader = reader_of[question.subscription.lower()]
                    try:
                        futures[question].set_result(_asked(reader, question))
                    except BaseException as error:
                        futures[question].set_exception(error)

    # Not a pool of `concurrent.futures`: Python waits for its threads at the end, also for what hangs.
    for _ in range(min(_PARALLEL, len(futures))):
        Thread(target=work, daemon=True).start()
    wait(futures.values(), timeout_s)
    for future in futures.values():
        future.cancel()
    late = Unanswered(f"Azure did not answer within {timeout_s:.0f} s", "try again")
    strange = Unanswered("it is in a subscription that this run does not read", "check it by hand")
    return {
        question: strange
        if question not in futures
        else futures[question].result()
        if futures[question].done() and not futures[question].cancelled()
        else late
        for question in questions
    }


def _asked(reader: Reader, question: Question | LoginQuestion) -> Any | Unanswered:
    try:
        return question.asked_of(reader)
    except ArmError as error:
        if error.status == 404 and question.may_be_absent:
            return None
        fix = "have a role given that may read it" if error.status in (401, 403) else error.fix or "try again later"
        return Unanswered(f"{error.code}: {error.text}", fix)
    except ProvisionError as error:
        return Unanswered(error.message, error.fix)
