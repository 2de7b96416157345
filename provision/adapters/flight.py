"""The ports `Clock` and `InFlight`: threads and the time of day, or the simulator's clock, or, in tests, neither."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from provision.arm import Answer, Arm, ArmError, Request
from provision.errors import ProvisionError


class WaitingClock(Protocol):
    """A clock that can also be waited by."""

    def now(self) -> float:
        """Return the seconds since 1970."""

    def sleep_until(self, time_s: float) -> None:
        """Return when it is `time_s`."""

    def real_seconds_until(self, time_s: float) -> float | None:
        """Return how long that is for us; None of a clock that does not go by itself."""


class SystemClock:
    """The time of day."""

    def now(self) -> float:
        """Return the seconds since 1970."""
        return time.time()

    def sleep_until(self, time_s: float) -> None:
        """Sleep until `time_s`, in steps, so that a clock that jumps does not make it sleep for hours."""
        while (left := self.real_seconds_until(time_s)) > 0:
            time.sleep(min(left, 5.0))

    def real_seconds_until(self, time_s: float) -> float:
        """Return the seconds from now."""
        return max(0.0, time_s - self.now())


class RunningClock(SystemClock):
    """A simulator's clock that goes by itself, `speed` seconds of its own in one of ours."""

    def __init__(self, now: float, speed: float) -> None:
        self._from = now
        self._since = time.monotonic()
        self._speed = speed

    def now(self) -> float:
        """Return the simulator's time in seconds since 1970."""
        return self._from + (time.monotonic() - self._since) * self._speed

    def real_seconds_until(self, time_s: float) -> float:
        """Return our seconds from now."""
        return super().real_seconds_until(time_s) / self._speed


class VirtualClock:
    """A simulator's clock, which stands still until somebody moves it; times in seconds since 1970."""

    def __init__(self, now: float, move: Callable[[float], float]) -> None:
        self._move = move
        self._now = now

    def now(self) -> float:
        """Return the simulator's time when it was last moved."""
        return self._now

    def sleep_until(self, time_s: float) -> None:
        """Move the simulator's time."""
        if time_s > self._now:
            self._now = self._move(time_s)

    def real_seconds_until(self, time_s: float) -> None:
        """Return None: it stands still."""
        return None


#: A clock that jumps must not keep a run asleep.
_LONGEST_WAIT_S = 60.0

Outcome = tuple[str, "Answer | ArmError"]


def _outcome(arm: Arm, key: str, request: Request) -> Outcome:
    """Return what became of a request; a credential that fails in the middle of a run may work again."""
    try:
        return key, arm.send(request)
    except ArmError as error:
        return key, error
    except ProvisionError as error:
        told = f"{error.message}; {error.fix}" if error.fix else error.message
        return key, ArmError(0, "Unreachable", told)


class ThreadsInFlight:
    """Requests in threads, `parallel` at once. A virtual clock moves only when nothing is in flight.

    What is no outcome of a request but a mistake of ours comes out of `wait`.
    """

    def __init__(self, arm: Arm, clock: WaitingClock, parallel: int = 16) -> None:
        self._arm = arm
        self._clock = clock
        self._pool = ThreadPoolExecutor(parallel, thread_name_prefix="arm")
        self._answered: queue.SimpleQueue[Outcome | Exception | None] = queue.SimpleQueue()
        self._flying = 0

    def start(self, key: str, request: Request) -> None:
        """Send a request from a thread."""
        self._flying += 1

        def run() -> None:
            try:
                self._answered.put(_outcome(self._arm, key, request))
            except Exception as error:  # a thread that died in silence would be waited for without end
                self._answered.put(error)

        self._pool.submit(run)

    def wait(self, until: float) -> list[Outcome]:
        """Return what has been answered: at least one answer, or nothing at the time `until` or after `wake`."""
        timeout = self._clock.real_seconds_until(until)
        if timeout is None and not self._flying:
            self._clock.sleep_until(until)
            return []
        if timeout is not None:
            timeout = min(timeout, _LONGEST_WAIT_S)
        outcomes: list[Outcome] = []
        try:
            self._take(self._answered.get(timeout=timeout), outcomes)
            while True:
                self._take(self._answered.get_nowait(), outcomes)
        except queue.Empty:
            return outcomes

    def wake(self) -> None:
        """Make `wait` return; a SimpleQueue may be filled from a signal handler."""
        self._answered.put(None)

    def close(self) -> None:
        """Wait for the requests that have been sent; send no other."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _take(self, answered: Outcome | Exception | None, outcomes: list[Outcome]) -> None:
        if answered is None:
            return
        self._flying -= 1
        if isinstance(answered, Exception):
            raise answered
        outcomes.append(answered)


class InlineInFlight:
    """Requests that are answered at once, in their order: for tests, and for what must be repeatable."""

    def __init__(self, arm: Arm, clock: WaitingClock) -> None:
        self._arm = arm
        self._clock = clock
        self._answered: list[Outcome] = []

    def start(self, key: str, request: Request) -> None:
        """Send a request and keep its answer."""
        self._answered.append(_outcome(self._arm, key, request))

    def wait(self, until: float) -> list[Outcome]:
        """Return the answers that are there; with none, move the clock to `until`."""
        if not self._answered:
            self._clock.sleep_until(until)
        outcomes, self._answered = self._answered, []
        return outcomes

    def wake(self) -> None:
        """Do nothing: nothing here waits."""
