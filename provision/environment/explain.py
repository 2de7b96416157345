"""Decides how the model's errors are told to people: which rule, where, in which words, with which fix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from provision.environment.levels import LATER, SETTLED, SYNONYMS, example_of, keys_at, levels_with, written
from provision.environment.model import PATTERNS, UnfitError
from provision.environment.problems import INVALID_VALUE, MISSING_KEY, UNKNOWN_KEY, WRONG_TYPE
from provision.environment.walk import Values
from provision.findings import Problem, Rule
from provision.near import nearest
from provision.source import Path, dotted

_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "dict_type": "a map",
    "model_type": "a map",
    "tuple_type": "a list",
    "date_type": "a date",
}

_LONGEST = 60  # letters of a value that a message repeats; the line itself is shown below


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing wrong with a value. `cut`: what must go for the rest to be readable."""

    rule: Rule
    problem: Problem
    cut: Path


def mistakes_in(errors: Iterable[Any], values: Values) -> tuple[Mistake, ...]:
    """Return one mistake for each of pydantic's errors."""
    return tuple(_mistake(error, values) for error in errors)


def _mistake(error: Mapping[str, Any], values: Values) -> Mistake:
    kind: str = error["type"]
    on_key = error["loc"][-1:] == ("[key]",)
    path, also_map = _path(error["loc"], values.data)
    if kind == "missing":
        path = (*path, error["loc"][-1])
        return Mistake(MISSING_KEY, _missing(path), path[:-1] if len(path) > 1 else path)
    if kind == "extra_forbidden":
        return Mistake(UNKNOWN_KEY, _unknown(path), path)
    shown = _shown(error["input"], values.typed.get(path))
    if kind in _WANTED:
        wanted = _WANTED[kind] + (", or a map from region to number," if also_map else "")
        fix = _retyped(error["input"], values.typed.get(path), kind) or _write(wanted, path)
        return Mistake(WRONG_TYPE, Problem(path, f"{dotted(path)} is {shown}; {wanted} is wanted", fix), path)
    if kind == "literal_error":
        rule, problem = _literal(error, path, shown, also_map)
        return Mistake(rule, problem, path)
    name = f"the name {path[-1]} can't be used" if on_key else f"{dotted(path)} is {shown}"
    message, fix = _invalid(error, name, path)
    return Mistake(INVALID_VALUE, Problem(path, message, fix, on_key), path)


def _path(loc: tuple[str | int, ...], data: Any) -> tuple[Path, bool]:
    """Return the part of pydantic's location that is a path in the file, and whether a map was allowed there too.

    What else stands in a location: `[key]`, the field that is missing, the chosen branch of a union, "(…)".
    """
    path: Path = ()
    for part in loc:
        if isinstance(data, (Mapping, tuple)) and part != "[key]":
            try:
                data = data[part]  # type: ignore[index]  # a map's part is text, a tuple's a number
            except (KeyError, IndexError, TypeError):
                continue
            path = (*path, part)
    return path, "(single)" in loc


def _missing(path: Path) -> Problem:
    where = dotted(path[:-1]) or "the environment"
    line = f"{path[-1]}: {example_of(path)}".removesuffix(": ")
    return Problem(path, f"{where} has no `{path[-1]}`", f"add `{line}`", on_key=True)


def _unknown(path: Path) -> Problem:
    key, known = str(path[-1]), keys_at(path[:-1])
    message = f"{dotted(path[:-1]) or 'the top of the file'} has no key `{key}`"
    if near := nearest(key, known):
        return Problem(path, f"{message}; did you mean `{near}`?", f"write `{near}`", True)
    if (ours := SYNONYMS.get(key)) is not None and ours in known:
        return Problem(path, f"{message}; provision calls it `{ours}`", f"write `{ours}`", True)
    if key in SETTLED:
        return Problem(path, f"`{key}` can't be chosen: {SETTLED[key]}", "leave it out", True)
    if key in LATER:
        return Problem(path, f"`{key}` is not supported yet", "leave it out; a later version is to read it", True)
    if ours is not None and (places := levels_with(ours)):
        where = " or ".join(places)
        return Problem(path, f"{message}; provision calls it `{ours}`, in {where}", f"write `{ours}` in {where}", True)
    if places := levels_with(key):
        where = " or ".join(places)
        return Problem(path, f"{message}; it belongs in {where}", f"move it to {where}", True)
    return Problem(path, message, f"the keys here are {', '.join(known)}; your own may stand at the top as `x-…`", True)


def _literal(error: Mapping[str, Any], path: Path, shown: str, also_map: bool) -> tuple[Rule, Problem]:
    value, expected = error["input"], error["ctx"]["expected"]
    allowed = [text or number for text, number in re.findall(r"'([^']*)'|(\d+)", expected)]
    texts = "'" in expected
    words = [written(word) for word in allowed] if texts else allowed
    instead = _either([*words, example_of(path)] if also_map else words)
    if not isinstance(value, bool) and isinstance(value, str) != texts and str(value) in allowed:
        wanted, fix = ("text", f'quote it: "{value}"') if texts else ("a number", f"write {value}, without quotes")
        return WRONG_TYPE, Problem(path, f"{dotted(path)} is {shown}; {wanted} is wanted", fix)
    near = nearest(value, allowed) if isinstance(value, str) else None
    message = f"{dotted(path)} is {shown}; it must be {instead}" + (f"; did you mean {near}?" if near else "")
    return INVALID_VALUE, Problem(path, message, f"write {near or instead}")


def _invalid(error: Mapping[str, Any], name: str, path: Path) -> tuple[str, str]:
    context = error.get("ctx", {})
    match error["type"]:
        case "value_error":
            unfit = context["error"]
            return f"{dotted(path)} {unfit}", unfit.fix if isinstance(unfit, UnfitError) else ""
        case "string_pattern_mismatch":
            words, example = PATTERNS[context["pattern"]]
            return f"{name}; it must be {words}", f"write something like {example}"
        case "string_too_short" | "string_too_long":
            least, most = context.get("min_length"), context.get("max_length")
            if least == 1:
                return f"{dotted(path)} is empty", f"write something like {example_of(path)}"
            bound = f"at least {least}" if least else f"at most {most}"
            return f"{name}; it must have {bound} characters", f"write one with {bound} characters"
        case "too_short":
            return f"{dotted(path)} is empty", f"add one, such as {example_of(path)}"
        case "greater_than_equal":
            return f"{name}; it must be {context['ge']} or more", f"write {context['ge']} or more"
        case "less_than_equal":
            return f"{name}; it must be {context['le']} or less", f"write {context['le']} or less"
    return f"{name}: {error['msg']}", ""


def _shown(value: Any, typed: str | None) -> str:
    """Return a value in words, with its text as it was typed."""
    if isinstance(value, str):
        return f'the text "{value if len(value) <= _LONGEST else value[:_LONGEST] + "…"}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"the number {typed or value}"
    if value is None:
        return "nothing"
    return "a map" if isinstance(value, Mapping) else "a list"


def _retyped(value: Any, typed: str | None, kind: str) -> str:
    """Return how to write a scalar so that it has the wanted type; empty when it can't."""
    if kind == "string_type" and typed and value is not None:
        return f'quote it: "{typed}"'
    if kind == "bool_type" and isinstance(value, str) and value.lower() in ("true", "false"):
        return f"write {value.lower()}, without quotes"
    if kind in ("int_type", "float_type") and isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?", value):
        return f"write {value}, without quotes"
    if kind == "int_type" and isinstance(value, float) and value.is_integer():
        return f"write {int(value)}"
    return ""


def _either(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _write(wanted: str, path: Path) -> str:
    if wanted == "a map":
        return "write its keys on the lines below it, indented"
    example = example_of(path)
    return f"write {wanted.rstrip(',')}" + (f", such as {example}" if example else "")
