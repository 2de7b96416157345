"""What somebody may have meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provision.near import distance, nearest


@pytest.mark.parametrize(
    ("a", "b", "far"),
    [
        ("", "", 0),
        ("a", "", 1),
        ("abc", "abc", 0),
        ("abc", "abd", 1),
        ("abc", "acb", 1),
        ("abc", "ab", 1),
        ("ab", "cd", 2),
    ],
)
def test_a_swap_counts_as_one_step(a: str, b: str, far: int) -> None:
    assert distance(a, b) == far


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_it_is_as_far_there_as_back_and_nothing_is_nearer_than_equal(a: str, b: str, c: str) -> None:
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a + c, b + c) <= distance(a, b)


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("East US", "eastus"),
        ("east-us-2", "eastus2"),
        ("eatsus", "eastus"),
        ("SouthCentralUS", "southcentralus"),
        ("mars", None),
        ("", None),
    ],
)
def test_case_and_punctuation_do_not_count(word: str, near: str | None) -> None:
    assert nearest(word, ["eastus", "eastus2", "southcentralus"]) == near
