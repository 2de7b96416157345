"""Requests in flight: in threads beside each other, or at once and in order; and the clock that waits with them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from provision.adapters.flight import InlineInFlight, SystemClock, ThreadsInFlight, VirtualClock, WaitingClock
from provision.arm import Answer, Arm, ArmError, InFlight, Request, ResourceId, group_id
from provision.errors import Unreachable

ID = group_id("s", "rg")
GET = Request("GET", ID)


class Away:
    """An Azure that answers as a test says."""

    def __init__(self, send: Callable[[Request], Answer]) -> None:
        self._send = send

    def send(self, request: Request) -> Answer:
        return self._send(request)

    def groups(self, subscription: str) -> list[dict[str, Any]]:
        return []

    def marked(self, subscription: str) -> list[dict[str, Any]]:
        """Return nothing."""
        return []

    def listed(self, group: ResourceId, type: str) -> list[dict[str, Any]]:
        return []

    def instances(self, scale_set: ResourceId) -> list[dict[str, Any]]:
        return []

    def found(self, id: ResourceId, api_version: str) -> dict[str, Any] | None:
        """Return nothing."""
        return None


def fine(request: Request) -> Answer:
    return Answer(200)


def a_virtual_clock() -> tuple[VirtualClock, list[float]]:
    """Return a clock at 1000 and the times that it was moved to."""
    moved: list[float] = []

    def move(to: float) -> float:
        moved.append(to)
        return to

    return VirtualClock(1000.0, move), moved


def everything_of(in_flight: InFlight, count: int) -> dict[str, Answer | ArmError]:
    found: dict[str, Answer | ArmError] = {}
    while len(found) < count:
        found.update(in_flight.wait(0.0))
    return found


def test_requests_in_threads_run_beside_each_other() -> None:
    both = threading.Barrier(2, timeout=10)

    def together(request: Request) -> Answer:
        both.wait()  # passes only when two requests are under way at once
        return Answer(200)

    in_flight = ThreadsInFlight(Away(together), a_virtual_clock()[0], parallel=2)
    in_flight.start("a", GET)
    in_flight.start("b", GET)

    assert everything_of(in_flight, 2) == {"a": Answer(200), "b": Answer(200)}
    in_flight.close()


def test_no_more_requests_run_at_once_than_allowed() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def counted(request: Request) -> Answer:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        with lock:
            running -= 1
        return Answer(200)

    in_flight = ThreadsInFlight(Away(counted), a_virtual_clock()[0], parallel=3)
    for number in range(50):
        in_flight.start(str(number), GET)

    assert len(everything_of(in_flight, 50)) == 50
    assert most <= 3
    in_flight.close()


@pytest.mark.parametrize("kind", [ThreadsInFlight, InlineInFlight])
def test_a_refusal_is_an_outcome(kind: Callable[[Arm, WaitingClock], InFlight]) -> None:
    error = ArmError(409, "Conflict", "why")

    def refuse(request: Request) -> Answer:
        raise error

    in_flight = kind(Away(refuse), a_virtual_clock()[0])
    in_flight.start("a", GET)

    assert in_flight.wait(0.0) == [("a", error)]


@pytest.mark.parametrize("kind", [ThreadsInFlight, InlineInFlight])
def test_a_credential_that_gives_no_token_is_an_outcome_that_may_pass(
    kind: Callable[[Arm, WaitingClock], InFlight],
) -> None:
    def refuse(request: Request) -> Answer:
        raise Unreachable("Azure gives no token: expired", fix="log in (az login)")

    in_flight = kind(Away(refuse), a_virtual_clock()[0])
    in_flight.start("a", GET)

    ((key, outcome),) = in_flight.wait(0.0)
    assert isinstance(outcome, ArmError)
    assert (key, str(outcome)) == ("a", "Unreachable: Azure gives no token: expired; log in (az login)")


def test_a_mistake_of_ours_in_a_thread_comes_out_of_wait() -> None:
    def mistaken(request: Request) -> Answer:
        raise KeyError("properties")

    in_flight = ThreadsInFlight(Away(mistaken), a_virtual_clock()[0])
    in_flight.start("a", GET)

    with pytest.raises(KeyError, match="properties"):
        in_flight.wait(0.0)
    in_flight.close()


def test_a_mistake_of_ours_inline_comes_out_at_once() -> None:
    def mistaken(request: Request) -> Answer:
        raise KeyError("properties")

    with pytest.raises(KeyError, match="properties"):
        InlineInFlight(Away(mistaken), a_virtual_clock()[0]).start("a", GET)


@pytest.mark.parametrize("kind", [ThreadsInFlight, InlineInFlight])
def test_virtual_time_moves_only_when_nothing_is_in_flight(kind: Callable[[Arm, WaitingClock], InFlight]) -> None:
    clock, moved = a_virtual_clock()
    in_flight = kind(Away(fine), clock)

    in_flight.start("a", GET)
    assert in_flight.wait(2000.0) == [("a", Answer(200))]
    assert (moved, clock.now()) == ([], 1000.0)

    assert in_flight.wait(2000.0) == []
    assert (moved, clock.now()) == ([2000.0], 2000.0)


def test_virtual_time_never_moves_back() -> None:
    clock, moved = a_virtual_clock()

    clock.sleep_until(999.0)

    assert (moved, clock.now()) == ([], 1000.0)


def test_a_wait_in_flight_ends_when_it_is_woken() -> None:
    go = threading.Event()

    def slow(request: Request) -> Answer:
        go.wait(10)
        return Answer(200)

    in_flight = ThreadsInFlight(Away(slow), a_virtual_clock()[0])
    in_flight.start("a", GET)
    in_flight.wake()

    assert in_flight.wait(2000.0) == []
    go.set()
    assert in_flight.wait(2000.0) == [("a", Answer(200))]
    in_flight.close()


def test_a_wait_by_the_time_of_day_ends_when_it_is_woken_or_the_time_has_come() -> None:
    clock = SystemClock()
    in_flight = ThreadsInFlight(Away(fine), clock)
    in_flight.wake()

    assert in_flight.wait(clock.now() + 3600) == []
    assert in_flight.wait(clock.now() - 1) == []
    in_flight.close()


def test_a_clock_of_the_day_does_not_wait_for_what_is_past() -> None:
    clock = SystemClock()

    clock.sleep_until(clock.now() - 1)

    assert clock.now() > 1_700_000_000


def test_inline_requests_are_answered_in_their_order_and_need_no_waking() -> None:
    in_flight = InlineInFlight(Away(fine), a_virtual_clock()[0])
    for key in "ba":
        in_flight.start(key, GET)
    in_flight.wake()

    assert in_flight.wait(0.0) == [("b", Answer(200)), ("a", Answer(200))]
