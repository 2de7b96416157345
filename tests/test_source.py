"""Where the values of a file stand."""

from __future__ import annotations

import pytest

from provision.source import Path, Position, Source, dotted, lines_of


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
    source = Source("f", "a:\n  b: 1\n", {(): Position(1, 1), ("a",): Position(2, 3)}, {("a",): Position(1, 1)})

    assert source.position(("a", "x", "y")) == (2, 3)
    assert source.position(("a", "x"), key=True) == (1, 1)
    assert source.position(("z",)) == (1, 1)
    assert [source.line(n) for n in (0, 1, 2, 9)] == ["", "a:", "  b: 1", ""]
