"""The exit codes, and which one a run over several environments ends with."""

from __future__ import annotations

from collections.abc import Iterable

DONE = 0
COULD_NOT_RUN = 1
DIFFERENCES = 2
FINDINGS = 3
CANNOT_WORK_NOW = 4
NOT_CHECKED = 5
REFUSED = 6
DEGRADED = 7
USAGE = 64
INTERRUPTED = 130

#: The worst first: what was written comes before what could not run, which comes before what is merely wrong.
_ORDER = (DEGRADED, COULD_NOT_RUN, REFUSED, NOT_CHECKED, CANNOT_WORK_NOW, FINDINGS, DIFFERENCES, DONE)


def worst(codes: Iterable[int]) -> int:
    """Return the code that counts, of several environments'; 0 when there are none."""
    return min(codes, key=_ORDER.index, default=DONE)
