"""How virtual time passes. Outside the core, which is only ever told the time."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float: ...

    def advance_to(self, moment: float) -> None:
        """Move to `moment`; never back."""

    def real_seconds(self, virtual: float) -> float:
        """Return how long as many seconds of this clock are for those who live by the time of day."""


class VirtualClock:
    """Stands still until it is moved."""

    def __init__(self, now: float) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def advance_to(self, moment: float) -> None:
        self._now = max(self._now, moment)

    def real_seconds(self, virtual: float) -> float:
        return virtual


class RealClock:
    """Passes by itself, `speed` virtual seconds a second, and can be moved forward besides."""

    def __init__(self, now: float, speed: float) -> None:
        self._from = now
        self._since = time.monotonic()
        self.speed = speed

    def now(self) -> float:
        return self._from + (time.monotonic() - self._since) * self.speed

    def advance_to(self, moment: float) -> None:
        self._from += max(0.0, moment - self.now())

    def real_seconds(self, virtual: float) -> float:
        return virtual / self.speed
