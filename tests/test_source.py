"""Where the values of a file stand."""

from __future__ import annotations

import pytest

from provision.source import Path, Position, Source, dotted, is_within, lines_of, place


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("name",), "name"),
        (("pools", "train", "nodes"), "pools.train.nodes"),
        (("network", "ssh_from", 0), "network.ssh_from[0]"),
    ],
)
def test_a_path_is_written_as_people_write_it(path: Path, text: str) -> None:
    assert dotted(path) == text


def test_lines_end_where_yaml_ends_them_and_nowhere_else() -> None:
    assert lines_of("a\r\nb\rc\nd\x85e\u2028f\x0bg\n") == ["a", "b", "c", "d", "e", "f\x0bg", ""]
    assert lines_of("") == [""]


def test_a_path_that_the_file_lacks_stands_where_its_nearest_parent_does() -> None:
    places: dict[Path, Position] = {(): Position(1, 1, "f"), ("a",): Position(2, 3, "base")}
    source = Source("f", {"f": ["a:"], "base": ["", "  b: 1"]}, places, {("a",): Position(1, 1, "f")})

    assert source.position(("a", "x", "y")) == Position(2, 3, "base")
    assert source.position(("a", "x"), key=True) == Position(1, 1, "f")
    assert source.position(("z",)) == Position(1, 1, "f")
    assert source.located(("a", "x")) == "f:1 a.x"


def test_a_line_is_one_of_the_file_that_the_position_names() -> None:
    source = Source("f", {"f": ["a:"], "base": ["", "  b: 1"]}, {}, {})

    assert source.line(Position(2, 3, "base")) == "  b: 1"
    assert [source.line(Position(n, 1, "f")) for n in (0, 1, 2)] == ["", "a:", ""]
    assert source.line(Position(1, 1, "g")) == ""


def test_a_place_in_an_argument_is_the_argument() -> None:
    assert place("env.yaml", 14, 3) == "env.yaml:14:3"
    assert place("env.yaml", 14) == "env.yaml:14"
    assert place("env.yaml", 0) == "env.yaml"
    assert place("--set pools.train.nodes=3", 1, 19) == "--set pools.train.nodes=3"


def test_a_path_is_within_itself_and_what_leads_to_it() -> None:
    assert [is_within(("a", "b"), {other}) for other in (("a", "b"), ("a",), (), ("b",), ("a", "b", "c"))] == [
        *(True, True, True),
        *(False, False),
    ]
    assert not is_within((), set())
