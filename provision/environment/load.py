"""Reads an environment file: text → model, with everything that is wrong with it said at once.

What YAML it may use is decided in `yaml_values.py`, what it is put together from in `compose.py` and `variables.py`,
how the model's errors are told to people in `explain.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from provision.environment.checks import is_laid_out, problems_in
from provision.environment.compose import composed
from provision.environment.explain import Mistake, mistakes_in
from provision.environment.model import Environment
from provision.environment.placeholders import placeholders_in
from provision.environment.problems import INVALID_VALUE, PLACEHOLDER, WRONG_TYPE
from provision.environment.scalars import plain
from provision.environment.settings import Setting
from provision.environment.shells import with_shell_told
from provision.environment.tree import CUT, at, edited
from provision.environment.variables import filled
from provision.environment.walk import Values
from provision.findings import Finding, finding_of, has_errors, in_order
from provision.source import Path, Source, is_within

#: What the rules see where the top of the file is wrong; they look at none of it.
_STAND_INS = {"version": 1, "name": "environment", "subscription": "00000000-0000-0000-0000-000000000000"}

#: What is cut away may leave a part without a key that it needs, which is then cut away too, and so on outwards.
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Written:
    """What a file comes to as it is written, `x-…` keys and all that the model leaves out among it."""

    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file that was read. `environment` is None when a finding is an error.

    `readable` is what is left of it without its mistakes, so that rules can look at the rest; nothing else may.
    `data` is what the model was made of: everything composed, variables filled in, no defaults.
    """

    source: Source
    data: Mapping[str, Any]
    environment: Environment | None
    readable: Environment | None
    findings: tuple[Finding, ...]


def load(
    file: str, read: Callable[[str], str], variables: Mapping[str, str] | None = None, settings: Iterable[Setting] = ()
) -> Loaded:
    """Return what an environment file holds, composed. Raises FileError when it is no map of keys and values."""
    values = composed(file, read, settings)
    data, from_variables, unfilled = filled(values.data, variables or {})
    values = replace(values, data=data)
    problems = [*unfilled, *((PLACEHOLDER, problem) for problem in placeholders_in(data))]
    problems = [(rule, problem) for rule, problem in problems if problem.at not in values.reported]
    settled = values.reported | {problem.at for _, problem in problems}
    unread = [problem.at for _, problem in problems]
    environment, mistakes = _environment(values)
    if retyped := _retyped(values, from_variables, mistakes):
        values = replace(values, data=retyped)
        environment, mistakes = _environment(values)
    problems += [
        (mistake.rule, mistake.problem)
        for mistake in mistakes  # of a value that is already reported only the key is looked at
        if mistake.problem.on_key or not is_within(mistake.problem.at, settled)
    ]
    readable = environment if not problems else _readable(values, unread, mistakes)
    if readable is not None:
        problems += [(INVALID_VALUE, problem) for problem in problems_in(readable)]
        readable = readable if is_laid_out(readable) else None
    told = [(rule, with_shell_told(problem, values.data)) for rule, problem in problems]
    findings = in_order((*values.findings, *(finding_of(rule, problem, values.source) for rule, problem in told)))
    return Loaded(values.source, values.data, None if has_errors(findings) else environment, readable, findings)


def _retyped(values: Values, variables: Collection[Path], mistakes: Iterable[Mistake]) -> Any:
    """Return the data with the numbers and truth values that variables hold where such are wanted; None without."""
    paths = {mistake.problem.at for mistake in mistakes if mistake.rule is WRONG_TYPE} & set(variables)
    meant = {path: plain(at(values.data, path)) for path in paths}
    edits = {path: value for path, value in meant.items() if isinstance(value, (bool, int, float))}
    return edited(values.data, edits) if edits else None


def _environment(values: Values) -> tuple[Environment | None, tuple[Mistake, ...]]:
    """Return the model of a file's values, or the mistakes that stand in its way."""
    try:
        return Environment.model_validate(values.data), ()
    except ValidationError as error:
        return None, mistakes_in(error.errors(include_url=False), values)


def _readable(values: Values, cut: Iterable[Path], mistakes: Iterable[Mistake]) -> Environment | None:
    """Return the model of what is right in a file; None when too little is."""
    cuts = {*cut, *(mistake.cut for mistake in mistakes)}
    rest = values.data
    for _ in range(_ROUNDS):
        rest = edited(rest, dict.fromkeys(cuts, CUT)) if () not in cuts else {}
        environment, mistakes = _environment(replace(values, data={**_STAND_INS, **rest}))
        if environment is not None:
            return environment
        cuts = {mistake.cut for mistake in mistakes}
    return None
