"""The line of a file with a caret under the word that matters, and file errors as text."""

from __future__ import annotations

import pytest

from provision.errors import FileError, ProvisionError
from provision.report.excerpt import Paint, error_as_text, excerpt


@pytest.mark.parametrize(
    ("line", "column", "marked"),
    [
        ("name: train # ours", 7, "train"),
        ("name: train # ours", 1, "name"),
        ("East US: {}", 1, "East US"),
        ('name: "a # b" # c', 7, '"a # b"'),
        ("name: 'it''s' # c", 7, "'it''s'"),
        ("tags: {a: b, c: d}", 11, "b"),
        ("tags: {a: b, c: d}", 7, "{"),
        ("list: [10.0.0.0/8, x]", 8, "10.0.0.0/8"),
        ("image: a:b:c:latest", 8, "a:b:c:latest"),
        ("note: ${NAME}", 7, "${NAME}"),
        ("size: <your size>", 7, "<your size>"),
        ('name: "open', 7, '"'),
        ("zone:", 6, "^"),
        ("naïve: wörd", 8, "wörd"),
    ],
)
def test_the_caret_is_as_long_as_what_it_points_at(line: str, column: int, marked: str) -> None:
    assert excerpt(3, column, line, Paint(False)) == (
        f"    3 | {line}\n      | {' ' * (column - 1)}{'^' * len(marked)}\n"
    )


def test_an_empty_line_is_not_shown() -> None:
    assert excerpt(3, 1, "  ", Paint(False)) == ""


def test_an_error_of_a_file_names_its_place() -> None:
    error = FileError("env.yaml", "no such thing", line=2, column=3, source_line="  thing: x", fix="write another")

    assert error_as_text(error) == (
        "env.yaml:2:3: error: no such thing\n    2 |   thing: x\n      |   ^^^^^\n  fix: write another\n"
    )


def test_an_error_without_a_place_is_one_line() -> None:
    assert error_as_text(FileError("env.yaml", "there is no such file")) == "env.yaml: error: there is no such file\n"
    assert error_as_text(ProvisionError("it is so")) == "error: it is so\n"
