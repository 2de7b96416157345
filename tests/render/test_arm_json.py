"""Values come back from ARM JSON as they went in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provision.render.arm_json import literal, parsed, text_of, unescaped
from provision.render.bicep import Identifier
from tests.support.nasty import NASTY

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", '"plain"'),
        ("[x]", '"[[x]"'),
        ("[[x]]", '"[[[x]]"'),
        ("[a]b", '"[a]b"'),
        ("a]", '"a]"'),
        ("[", '"["'),
        ('"}, "x": {', '"\\"}, \\"x\\": {"'),
        ("東京", '"東京"'),
        (True, "true"),
        (None, "null"),
        (-1, "-1"),
        ((), "[]"),
        (("[x]", 1), '["[[x]", 1]'),
        ({"[k]": {"a": False}}, '{"[[k]": {"a": false}}'),
    ],
)
def test_a_value_is_written_as_json_without_an_expression(value: Any, text: str) -> None:
    assert literal(value) == text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "a value of type float has no literal in ARM JSON"),
        (b"x", "a value of type bytes has no literal in ARM JSON"),
        ({"a": [object()]}, "a value of type object has no literal in ARM JSON"),
        ({1: 2}, "a key of type int has no literal in ARM JSON"),
        (Identifier("subnet"), "subnet is a symbol of Bicep; ARM JSON takes a resource id"),
    ],
)
def test_what_has_no_literal_is_refused(value: Any, message: str) -> None:
    with pytest.raises(TypeError) as raised:
        literal(value)
    assert str(raised.value) == message


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="surrogates not allowed"):
        literal("\ud83d")


@pytest.mark.parametrize("text", NASTY)
def test_a_nasty_text_comes_back_as_it_was_as_a_value_and_as_a_key(text: str) -> None:
    assert unescaped(parsed(f'{{"it": {literal(text)}, "map": {literal({text: text})}}}')) == {
        "it": text,
        "map": {text: text},
    }


@given(VALUES)
def test_every_value_comes_back_as_it_was(value: Any) -> None:
    assert unescaped(parsed(f'{{"it": {literal(value)}}}')) == {"it": value}


@given(st.text())
def test_no_text_is_an_expression_to_arm(text: str) -> None:
    written = json.loads(literal(text))

    # ARM's own rule: `[…]` is evaluated unless it begins with `[[`; then the first bracket goes.
    evaluated = written.startswith("[") and written.endswith("]") and not written.startswith("[[")
    assert not evaluated
    assert (written[1:] if written.startswith("[[") and written.endswith("]") else written) == text


def test_a_key_that_stands_twice_is_refused_at_any_depth() -> None:
    with pytest.raises(ValueError, match=r'^the key "b" stands twice in one object$'):
        parsed('{"a": [{"b": 1, "c": 2, "b": 1}]}')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the template is no JSON object"),
        ("1", "the template is no JSON object"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": -Infinity}', "-Infinity is no JSON number"),
        ("", "Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_what_is_no_json_object_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the message is compared whole
        parsed(text)
    assert str(raised.value) == message


def test_an_expression_has_no_plain_value() -> None:
    with pytest.raises(ValueError, match="is an expression, which only ARM can evaluate"):
        unescaped({"a": ["[parameters('x')]"]})


def test_a_template_is_written_with_two_spaces_its_own_order_and_one_final_newline() -> None:
    assert text_of({"b": ["é"], "a": {}}) == '{\n  "b": [\n    "é"\n  ],\n  "a": {}\n}\n'
