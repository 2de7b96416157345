"""What a list of instances can be narrowed to: the filters that Compute takes there, and whether views are wanted."""

from __future__ import annotations

import re
from collections.abc import Callable

from provision.simulator.compute import instance_views
from provision.simulator.refusals import errors
from provision.simulator.state import instances
from provision.simulator.state.world import ScaleSet

Test = Callable[[ScaleSet, int, float], bool]

_STARTS = re.compile(
    r"startswith\(\s*instanceView/statuses/code\s*,\s*'([^']*)'\s*\)\s+eq\s+(true|false)", re.IGNORECASE
)
_LATEST = re.compile(r"properties/latestModelApplied\s+eq\s+(true|false)", re.IGNORECASE)
_STATE = re.compile(r"properties/provisioningState\s+(eq|ne)\s+'([^']*)'", re.IGNORECASE)


def matching(row: ScaleSet, numbers: list[int], text: str, now: float) -> list[int]:
    """Return the instances that a `$filter` lets through; refuse one that Compute's documentation does not have."""
    if not text.strip():
        return numbers
    tests = [_test(part.strip()) for part in re.split(r"\s+and\s+", text, flags=re.IGNORECASE)]
    return [number for number in numbers if all(test(row, number, now) for test in tests)]


def wants_view(expand: str, select: str) -> bool:
    """Return whether the instance view is asked for; refuse other expansions and selections."""
    for name, value in (("$expand", expand), ("$select", select)):
        if value and value.lower() != "instanceview":
            raise errors.bad_parameter(name, f"The value '{value}' of parameter '{name}' is invalid.")
    return bool(expand or select)


def _test(text: str) -> Test:
    if found := _STARTS.fullmatch(text):
        prefix, wanted = found[1].lower(), found[2].lower() == "true"
        return lambda row, number, now: wanted == any(code.startswith(prefix) for code in _codes(row, number, now))
    if found := _LATEST.fullmatch(text):
        latest = found[1].lower() == "true"
        return lambda row, number, now: latest == (instances.model_of(row, number) == row.model)
    if found := _STATE.fullmatch(text):
        same, state = found[1].lower() == "eq", found[2].lower()
        return lambda row, number, now: same == (instances.state(row, number, now).lower() == state)
    raise errors.bad_parameter("$filter", f"The value '{text}' of parameter '$filter' is invalid.")


def _codes(row: ScaleSet, number: int, now: float) -> list[str]:
    view = instance_views.instance_view(row, number, now)
    return [str(status["code"]).lower() for status in view["statuses"]]
