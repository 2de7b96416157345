"""Reads an environment file: text → model, with everything that is wrong with it said at once.

What YAML it may use is decided in `yaml_values.py`, how the model's errors are told to people in `explain.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from provision.environment.checks import problems_in
from provision.environment.explain import Mistake, mistakes_in
from provision.environment.model import Environment
from provision.environment.placeholders import placeholders_in
from provision.environment.problems import INVALID_VALUE, PLACEHOLDER
from provision.environment.yaml_values import Values, values_of
from provision.findings import Finding, finding_of, has_errors, in_order
from provision.source import Path, Source

#: What the rules see where the top of the file is wrong; they look at none of it.
_STAND_INS = {"version": 1, "name": "environment", "subscription": "00000000-0000-0000-0000-000000000000"}

#: What is cut away may leave a part without a key that it needs, which is then cut away too, and so on outwards.
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file that was read. `environment` is None when a finding is an error.

    `readable` is what is left of it without its mistakes, so that rules can look at the rest; nothing else may.
    """

    source: Source
    environment: Environment | None
    readable: Environment | None
    findings: tuple[Finding, ...]


def load(file: str, text: str) -> Loaded:
    """Return what a file's text holds. Raises FileError when it can't be read as a map of keys and values."""
    values = values_of(file, text)
    placeholders = [problem for problem in placeholders_in(values.data) if problem.at not in values.reported]
    reported = values.reported | {problem.at for problem in placeholders}
    environment, mistakes = _environment(values)
    problems = [(PLACEHOLDER, problem) for problem in placeholders]
    problems += [
        (mistake.rule, mistake.problem)
        for mistake in mistakes  # of a value that is already reported only the key is looked at
        if mistake.problem.on_key or not _inside(mistake.problem.at, reported)
    ]
    readable = environment if not problems else _readable(values, (problem.at for problem in placeholders), mistakes)
    if readable is not None:
        problems += [(INVALID_VALUE, problem) for problem in problems_in(readable)]
    findings = in_order((*values.findings, *(finding_of(rule, problem, values.source) for rule, problem in problems)))
    return Loaded(values.source, None if has_errors(findings) else environment, readable, findings)


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
        for path in sorted(cuts, key=lambda path: [str(part).rjust(9) for part in path], reverse=True):
            rest = _without(rest, path)  # a list's last item first, so that the others keep their numbers
        environment, mistakes = _environment(replace(values, data={**_STAND_INS, **rest}))
        if environment is not None:
            return environment
        cuts = {mistake.cut for mistake in mistakes}
    return None


def _inside(path: Path, others: Set[Path]) -> bool:
    """Return whether a path is one of the others or leads on from one."""
    return any(path[:end] in others for end in range(len(path) + 1))


def _without(data: Any, path: Path) -> Any:
    """Return data without the value at a path."""
    if not path:
        return {}
    head, *rest = path
    if isinstance(data, Mapping) and head in data:
        if not rest:
            return {key: value for key, value in data.items() if key != head}
        return {**data, head: _without(data[head], tuple(rest))}
    if isinstance(data, tuple) and isinstance(head, int) and head < len(data):
        kept = (_without(data[head], tuple(rest)),) if rest else ()
        return (*data[:head], *kept, *data[head + 1 :])
    return data
