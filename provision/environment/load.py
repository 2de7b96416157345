"""Reads an environment file: text → model, with everything that is wrong with it said at once.

What YAML it may use is decided in `yaml_values.py`, how the model's errors are told to people in `explain.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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
    findings = list(values.findings)
    reported = set(values.reported)
    for problem in placeholders_in(values.data):
        if problem.at not in reported:
            findings.append(finding_of(PLACEHOLDER, problem, values.source))
            reported.add(problem.at)
    environment, mistakes = _environment(values)
    for mistake in mistakes:
        if not any(mistake.problem.at[: len(path)] == path for path in reported):
            findings.append(finding_of(mistake.rule, mistake.problem, values.source))
    if environment is not None:
        findings += (finding_of(INVALID_VALUE, problem, values.source) for problem in problems_in(environment))
    return Loaded(values.source, None if has_errors(findings) else environment, environment, in_order(findings))


def _environment(values: Values) -> tuple[Environment | None, tuple[Mistake, ...]]:
    """Return the model of what is right in the file, None when too little is, and the mistakes in the rest."""
    try:
        return Environment.model_validate(values.data), ()
    except ValidationError as error:
        mistakes = mistakes_in(error.errors(include_url=False), values)
    rest = values.data
    for path in sorted({mistake.cut for mistake in mistakes}, key=str, reverse=True):  # a list's last item first
        rest = _without(rest, path)
    try:
        return Environment.model_validate({**_STAND_INS, **rest}), mistakes
    except ValidationError:
        return None, mistakes


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
