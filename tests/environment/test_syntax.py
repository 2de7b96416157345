"""What is no YAML, or no map, ends with one error that a person can act on."""

from __future__ import annotations

import pytest

from provision.errors import FileError
from provision.report.excerpt import error_as_text
from tests.environment.texts import loaded

TEXTS = {
    "": """\
env.yaml: error: the file holds nothing
  fix: begin with `version: 1`; `provision schema` prints all keys
""",
    "# only a comment\n": """\
env.yaml: error: the file holds nothing
  fix: begin with `version: 1`; `provision schema` prints all keys
""",
    "- version: 1\n": """\
env.yaml:1:1: error: the file does not hold a map of keys and values
    1 | - version: 1
      | ^^^^^^^^^
  fix: begin with `version: 1`; `provision schema` prints all keys
""",
    "just text\n": """\
env.yaml:1:1: error: the file does not hold a map of keys and values
    1 | just text
      | ^^^^^^^^^
  fix: begin with `version: 1`; `provision schema` prints all keys
""",
    "pools:\n\ttrain: 1\n": """\
env.yaml:2:1: error: YAML allows no tab for indentation
    2 |  train: 1
      | ^
  fix: use spaces
""",
    'name: "train\nversion: 1\n': """\
env.yaml:1:7: error: the quote that opens here is never closed
    1 | name: "train
      |       ^
  fix: close the quote
""",
    "tags: {a: b\nname: c\n": """\
env.yaml:1:7: error: the bracket that opens here is not closed, or a comma is missing
    1 | tags: {a: b
      |       ^
  fix: close the bracket, or put a comma between the values
""",
    "note: a: b\n": """\
env.yaml:1:8: error: a second `: ` in one line, or a line that is indented too far
    1 | note: a: b
      |        ^
  fix: quote the value, or check the indentation
""",
    "version: 1\nname\nregions: {}\n": """\
env.yaml:2:1: error: this line has no `: ` after its key
    2 | name
      | ^^^^
  fix: write `key: value`, with a space after the colon
""",
    "pools:\n    a: 1\n  b: 2\n": """\
env.yaml:3:3: error: this line does not line up with those above it
    3 |   b: 2
      |   ^
  fix: indent it exactly as its neighbours
""",
    "owner: @me\n": """\
env.yaml:1:8: error: an unquoted value can't begin with @
    1 | owner: @me
      |        ^^^
  fix: quote it
""",
    "pool: *train\n": """\
env.yaml:1:7: error: this alias has no anchor of that name before it
    1 | pool: *train
      |       ^^^^^^
  fix: define it with &, or quote the value
""",
    'path: "C:\\keys"\n': """\
env.yaml:1:10: error: this backslash in double quotes is no escape that YAML knows
    1 | path: "C:\\keys"
      |          ^^^^^^
  fix: use single quotes, or write the backslash twice
""",
    "name: tr\x07ain\n": """\
env.yaml:1:9: error: the control character U+0007, which YAML does not allow
    1 | name: tr\ufffdain
      |         ^^^^
  fix: delete it
""",
    "\ufeff\ufeffversion: 1\n": """\
env.yaml:1:1: error: byte 3: a second byte-order mark
    1 | \ufffdversion: 1
      | ^^^^^^^^
  fix: save the file as UTF-8 without a byte-order mark
""",
    "version: 1\r\nname: \ufeffx\r\n": """\
env.yaml:2:7: error: a byte-order mark inside the file
    2 | name: \ufffdx
      |       ^^
  fix: save the file as UTF-8 without a byte-order mark
""",
}


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:20]))
def test_what_is_no_yaml_is_told_in_words_and_with_its_place(text: str) -> None:
    with pytest.raises(FileError) as raised:
        loaded(text=text)

    assert error_as_text(raised.value) == TEXTS[text]


def test_a_few_lines_of_aliases_that_unfold_to_millions_of_values_are_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    with pytest.raises(FileError) as raised:
        loaded(text="\n".join(lines))

    assert raised.value.message == "the aliases of the file unfold to more than 250,000 values"


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a: " + "[" * 60 + "]" * 60, 53, "maps and lists are nested more than 50 deep"),
        ("[" * 100_000, 1001, "maps and lists are nested too deeply"),
    ],
)
def test_maps_and_lists_that_are_nested_beyond_use_are_refused(text: str, column: int, message: str) -> None:
    with pytest.raises(FileError) as raised:
        loaded(text=text)

    assert (raised.value.column, raised.value.message) == (column, message)
