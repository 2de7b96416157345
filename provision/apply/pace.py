"""Decides how fast requests of one kind may go: reads, writes and deletions have a budget each, which refills.

Azure says with each answer how much is left. While nothing is left, requests go one by one, as far apart as Azure asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from provision.arm import Answer, ArmError

#: Codes of refusals for an empty budget of the whole subscription; others are about one resource, and its own business.
_EMPTY = frozenset({"SubscriptionRequestsThrottled", "TooManyRequests"})
#: Seconds between requests while nothing is left and no refusal has said more.
STEP_S = 1.0

_KINDS = {"GET": "reads", "LIST": "reads", "NODES": "reads", "DELETE": "deletes"}


@dataclass(frozen=True, slots=True)
class Pace:
    """One kind of request. `left`: what Azure said last, less what went out since; None until it has said anything.

    Where nothing is left, the next may go at `next_at`, in seconds since 1970, and each `step_s` after the one before.
    """

    left: int | None = None
    next_at: float = 0.0
    step_s: float = STEP_S

    def free_at(self) -> float:
        """Return when the next request may go."""
        return 0.0 if self.left is None or self.left > 0 else self.next_at

    def sent(self, now: float) -> Pace:
        """Return the pace after a request."""
        if self.left is None:
            return self
        if self.left > 0:
            return replace(self, left=self.left - 1)
        return replace(self, next_at=now + self.step_s)

    def answered(self, outcome: Answer | ArmError, now: float) -> Pace:
        """Return the pace after an answer."""
        if isinstance(outcome, ArmError) and outcome.status == 429 and outcome.code in _EMPTY:
            step_s = outcome.retry_after_s or STEP_S
            return Pace(0, now + step_s, step_s)
        return self if outcome.left is None else replace(self, left=outcome.left)


Paces = Mapping[str, Pace]


def kind_of(method: str) -> str:
    """Return which budget a method draws on."""
    return _KINDS.get(method, "writes")
