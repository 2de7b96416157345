"""Unquoted values: what all readers of YAML agree on is taken, what they differ on is not."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from provision.environment.scalars import Ambiguous, plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("true", True), ("false", False), ("null", None), ("~", None), ("", None)],
        *[("0", 0), ("16", 16), ("-7", -7), ("1.5", 1.5), ("-0.5", -0.5), ("7.10", 7.1)],
        *[
            (text, text)
            for text in ("22.04.2", "1.2.3.4", "10.0.0.0/8", "nope", "yess", "nothing", "a1", "-", "+", ".")
        ],
        *[(text, text) for text in ("1-2", "2h30", "1a", "0x", "1e", "12:", "2026-11", "v1.0", "None", "-x", "::1")],
    ],
)
def test_what_everybody_reads_alike_is_taken(text: str, value: object) -> None:
    assert plain(text) == value
    assert type(plain(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "reading", "plainly"),
    [
        *[(word, "true", "true") for word in ("yes", "Yes", "YES", "y", "Y", "on", "On", "ON", "True", "TRUE")],
        *[(word, "false", "false") for word in ("no", "No", "NO", "n", "N", "off", "Off", "OFF", "False", "FALSE")],
        ("020222", "the octal number 8338", "8338"),
        ("0755", "the octal number 493", "493"),
        ("-017", "the octal number -15", "-15"),
        ("0o17", "the octal number 15", "15"),
        ("09", "the number 9", "9"),
        ("+5", "the number 5", "5"),
        ("1_000", "the number 1000", "1000"),
        ("0x1F", "the hexadecimal number 31", "31"),
        ("0b101", "the binary number 5", "5"),
        ("1e3", "the number 1000.0", "1000"),
        ("1.5e3", "the number 1500.0", "1500"),
        ("1.", "the number 1.0", "1"),
        (".5", "the number 0.5", "0.5"),
        ("12:30", "the base-60 number 750", "750"),
        ("-1:30", "the base-60 number -90", "-90"),
        ("1:30.5", "the base-60 number 90.5", "90.5"),
        ("2026-11-30", "a date", ""),
        ("2026-11-30T10:00:00Z", "a date", ""),
        (".inf", "infinity", ""),
        ("-.Inf", "infinity", ""),
        (".NaN", "not a number", ""),
        ("9" * 20, "a number too large for most readers", ""),
    ],
)
def test_what_some_read_otherwise_is_ambiguous(text: str, reading: str, plainly: str) -> None:
    assert plain(text) == Ambiguous(text, reading, plainly)


@given(st.text(alphabet="0123456789abeEoxXnNyYfFtTrRuUlLsS.+-_:~", min_size=1, max_size=12))
def test_what_is_taken_is_what_yaml_reads_and_the_rest_is_told(text: str) -> None:
    value = plain(text)
    if isinstance(value, Ambiguous):
        return
    loader = yaml.SafeLoader("")
    tag = loader.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]  # so in the stubs
    node = yaml.ScalarNode(tag, text)

    assert loader.construct_object(node) == value


@given(st.text(alphabet="0123456789eEoxb._+-:", max_size=400))
def test_no_number_however_odd_raises(text: str) -> None:
    plain(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1" * 200_000, True),
        ("0" + "1" * 5000, True),
        ("0x" + "f" * 5000, True),
        ("1" * 200 + "e5", True),
        ("0" + "1" * 200_000 + "x", False),
        ("1_" * 100_000 + "x", False),
        ("a" * 200_000, False),
    ],
    ids=lambda value: str(value)[:9],
)
def test_of_a_very_long_text_only_what_is_a_number_is_ambiguous_and_at_once(text: str, number: bool) -> None:
    assert plain(text) == (Ambiguous(text, "a number too large for most readers", "") if number else text)
