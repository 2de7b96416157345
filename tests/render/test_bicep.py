"""Values come back from Bicep as they went in, read by its grammar."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provision.render.bicep import Identifier, laid_out, literal
from tests.render.test_arm_json import VALUES
from tests.support.bicep import Symbol, value_of
from tests.support.nasty import NASTY


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "'plain'"),
        ("it's", "'it\\'s'"),
        ("[x]", "'[x]'"),
        ("a\\b", "'a\\\\b'"),
        ("${x} $ $x", "'\\${x} $ $x'"),
        ("a\nb\rc\td", "'a\\nb\\rc\\td'"),
        ("\x00\x7f\u2028", "'\\u{0}\\u{7f}\\u{2028}'"),
        ("東京 🚀", "'東京 🚀'"),
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (-1, "-1"),
        ((), "[]"),
        ({}, "{}"),
        (["a", 1], "[\n'a'\n1\n]"),
        ({"a": 1, "b-c": {}, "if": []}, "{\na: 1\n'b-c': {}\n'if': []\n}"),
        ([Identifier("natGateway")], "[\nnatGateway\n]"),
    ],
)
def test_a_value_is_written_as_bicep_writes_it(value: Any, text: str) -> None:
    assert literal(value) == text


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (1.5, TypeError, "a value of type float has no literal in Bicep"),
        ({1: 2}, TypeError, "a key of type int has no literal in Bicep"),
        (2**63, ValueError, "9223372036854775808 does not fit into the 64 bits of Bicep's integers"),
        (Identifier("a b"), ValueError, "'a b' is no symbol of Bicep"),
    ],
)
def test_what_has_no_literal_is_refused(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        literal(value)
    assert str(raised.value) == message


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="surrogates not allowed"):
        literal("\ud83d")


@pytest.mark.parametrize("text", NASTY)
def test_a_nasty_text_comes_back_as_it_was_as_a_value_and_as_a_key(text: str) -> None:
    assert value_of(literal([text, {text: text}])) == [text, {text: text}]


@given(st.text())
def test_every_text_comes_back_as_it_was(text: str) -> None:
    assert value_of(literal(text)) == text


@given(VALUES)
def test_every_value_comes_back_as_it_was(value: Any) -> None:
    assert value_of(literal(value)) == value


@given(VALUES)
def test_laying_out_changes_no_value_and_nothing_the_second_time(value: Any) -> None:
    text = laid_out(f"var it = {literal(value)}")

    assert value_of(text.removeprefix("var it = ")) == value
    assert laid_out(text) == text


def test_a_symbol_is_read_back_as_a_symbol() -> None:
    (found,) = value_of(literal([Identifier("natGateway")]))

    assert isinstance(found, Symbol)


def test_lines_are_indented_by_their_depth_and_empty_lines_do_not_pile_up() -> None:
    text = """

// a comment with { a brace
resource a 'type@version' = {
name: '{ [ // not these'
      tags: {}


  list: [
'x'
    {
a: 1 /* { */
}
        ]
}
"""
    assert (
        laid_out(text)
        == """\
// a comment with { a brace
resource a 'type@version' = {
  name: '{ [ // not these'
  tags: {}

  list: [
    'x'
    {
      a: 1 /* { */
    }
  ]
}
"""
    )


def test_a_string_over_several_lines_stays_as_it_is() -> None:
    text = "var a = {\n  b: '''\n first {\n   second\n'''\n}\n"

    assert laid_out(text) == text
