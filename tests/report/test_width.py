"""Long lines on narrow terminals."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provision.report.plan import plan_as_text
from provision.report.width import fitted
from tests.support.worlds import QUICK, World, plan, standing


def test_a_long_line_goes_on_further_in() -> None:
    line = "  + create       scale set        quick-train-0  2 nodes, 16 GPUs  [quick.yaml:9 pools.train]"

    assert fitted(line, 60) == (
        "  + create       scale set        quick-train-0  2 nodes, 16\n      GPUs  [quick.yaml:9 pools.train]"
    )
    assert fitted(line, 200) == line


def test_colour_takes_no_room() -> None:
    line = f"\x1b[31;1m{'a' * 30}\x1b[0m {'b' * 20}"

    assert fitted(line, 51) == line
    assert fitted(line, 50) == f"\x1b[31;1m{'a' * 30}\x1b[0m\n    {'b' * 20}"


@given(st.text(st.sampled_from("ab \x1b[31m\n"), max_size=300), st.integers(-1, 120))
def test_nothing_but_spaces_and_line_ends_is_lost(text: str, columns: int) -> None:
    assert re.sub(r"\s", "", fitted(text, columns)) == re.sub(r"\s", "", text)


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
@pytest.mark.parametrize("colour", [False, True])
def test_a_plan_fits_into_a_terminal_but_for_long_words(columns: int, colour: bool) -> None:
    for made in (plan(QUICK, World()), plan(QUICK.replace("nodes: 2", "nodes: 1"), standing())):
        for line in fitted(plan_as_text(made, colour), columns).splitlines():
            plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
            assert len(plain) <= columns or " " not in plain.strip()
