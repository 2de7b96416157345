"""Changing nested values at many paths at once."""

from __future__ import annotations

from typing import Any

import pytest

from provision.environment.tree import CUT, at, edited

DATA = {"a": {"b": (1, {"c": 2}, 3)}, "d": 4}


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ({}, DATA),
        ({("d",): 5}, {**DATA, "d": 5}),
        ({("a", "b", 0): CUT, ("a", "b", 2): 9}, {"a": {"b": ({"c": 2}, 9)}, "d": 4}),
        ({("a", "b", 1, "c"): CUT, ("d",): CUT}, {"a": {"b": (1, {}, 3)}}),
        ({("a",): CUT, ("a", "b"): 1}, {"d": 4}),
        ({("x",): 1, ("d", "e"): 1, ("a", "b", 7): 1}, DATA),
    ],
)
def test_values_are_changed_or_taken_out_and_what_is_not_there_changes_nothing(
    edits: dict[tuple[str | int, ...], Any], after: Any
) -> None:
    assert edited(DATA, edits) == after


def test_a_value_is_found_by_its_path() -> None:
    assert at(DATA, ("a", "b", 1, "c")) == 2
