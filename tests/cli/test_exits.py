"""Of several environments the worst counts."""

from __future__ import annotations

import pytest

from provision.cli.exits import worst


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ([], 0),
        ([0, 0], 0),
        ([0, 2], 2),
        ([2, 3], 3),
        ([4, 3, 2], 4),
        ([4, 5], 5),
        ([5, 6], 6),
        ([1, 6], 1),
        ([1, 7, 6], 7),
    ],
)
def test_the_worst_code_counts(codes: list[int], code: int) -> None:
    assert worst(codes) == code
