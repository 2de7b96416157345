"""Decides what an unquoted YAML value means: only what every reader agrees on; the rest is ambiguous."""

from __future__ import annotations

import re
from dataclasses import dataclass

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)", re.ASCII)
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+", re.ASCII)
_MAYBE_NUMBER = re.compile(r"[-+.0-9]")

#: A text that is longer is tried against nothing but this: the other patterns take long over long texts.
_LONGEST = 100
_LONG_NUMBER = re.compile(r"[-+]?(0x[0-9a-fA-F_]+|(0[ob])?[0-9_.]+([eE][-+]?[0-9]+)?)", re.ASCII)

#: What some reader of YAML 1.1 or 1.2 takes for something other than text, in the order of trial.
_COERCED = (
    ("true", re.compile(r"yes|Yes|YES|y|Y|on|On|ON|True|TRUE")),
    ("false", re.compile(r"no|No|NO|n|N|off|Off|OFF|False|FALSE")),
    ("a date", re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt\s].*)?")),
    ("octal", re.compile(r"[-+]?0[0-7_]+")),
    ("octal", re.compile(r"[-+]?0o[0-7_]+")),
    ("decimal", re.compile(r"[-+]?[0-9][0-9_]*")),
    ("hexadecimal", re.compile(r"[-+]?0x[0-9a-fA-F_]+")),
    ("binary", re.compile(r"[-+]?0b[01_]+")),
    ("base 60", re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")),
    ("infinity", re.compile(r"[-+]?\.(inf|Inf|INF)")),
    ("not a number", re.compile(r"\.(nan|NaN|NAN)")),
    ("float", re.compile(r"[-+]?([0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?")),
)
_MAYBE_WORD = frozenset("yYoOtTnNfF")
_BASES = {"octal": 8, "decimal": 10, "hexadecimal": 16, "binary": 2}


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """An unquoted value that readers disagree on: as typed, what some make of it, and how that is written plainly.

    `plainly` is empty when this format has no such value.
    """

    text: str
    reading: str
    plainly: str


def plain(text: str) -> str | int | float | bool | Ambiguous | None:
    """Return what an unquoted scalar means."""
    if text == "true":
        return True
    if text == "false":
        return False
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text[0] in _MAYBE_WORD and len(text) <= len("false"):
        return _ambiguous(text)
    if _MAYBE_NUMBER.match(text) is None:
        return text
    if len(text) > _LONGEST:
        return Ambiguous(text, "a number too large for most readers", "") if _LONG_NUMBER.fullmatch(text) else text
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= 19 else Ambiguous(text, "a number too large for most readers", "")
    if _DECIMAL.fullmatch(text):
        return float(text)
    return _ambiguous(text)


def _ambiguous(text: str) -> str | Ambiguous:
    for kind, pattern in _COERCED:
        if pattern.fullmatch(text) is None:
            continue
        if kind in ("true", "false"):
            return Ambiguous(text, kind, kind)
        if kind in _BASES:
            digits = re.sub(r"[+_]|(?<=0)[ob]|0[xX]", "", text)
            number = str(int(digits, _BASES[kind]))
            named = "the number" if kind == "decimal" else f"the {kind} number"
            return Ambiguous(text, f"{named} {number}", number)
        if kind == "base 60":
            number = _from_base_60(text.replace("_", ""))
            return Ambiguous(text, f"the base-60 number {number}", number)
        if kind == "float":
            value = repr(float(text.replace("_", "")))
            return Ambiguous(text, f"the number {value}", value.removesuffix(".0") if "e" not in value else "")
        return Ambiguous(text, kind, "")
    return text


def _from_base_60(text: str) -> str:
    sign, parts = ("-" if text.startswith("-") else ""), text.lstrip("+-").split(":")
    *whole, last = parts
    total = 0.0 if "." in last else 0
    for part in whole:
        total = total * 60 + int(part)
    return f"{sign}{total * 60 + (float(last) if '.' in last else int(last))}"
