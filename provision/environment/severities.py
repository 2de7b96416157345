"""Decides how much findings count in an environment that says otherwise than the rules do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from provision.environment.problems import SEVERITY_NOT_SETTABLE
from provision.environment.suppressions import AGAINST_AZURE
from provision.findings import Finding, Problem, Severity, finding_of
from provision.near import nearest
from provision.source import Source

_KEY = "severity"


def weighed(
    findings: Iterable[Finding], severities: Mapping[str, str], rules: Mapping[str, bool], source: Source
) -> list[Finding]:
    """Return the findings with the severities that the environment gives them, and what is wrong with those.

    `rules`: every rule's id, and whether what it finds can be lived with; the severity of others is fixed.
    """
    given = {id: Severity(value) for id, value in severities.items() if rules.get(id)}
    counted = [replace(each, severity=given.get(each.rule, each.severity)) for each in findings]
    return [*counted, *_wrong(severities, rules, source)]


def _wrong(severities: Mapping[str, str], rules: Mapping[str, bool], source: Source) -> Iterator[Finding]:
    for id in severities:
        if rules.get(id):
            continue
        if id in AGAINST_AZURE:
            message = f"{id} is a check against Azure: it passes or fails, and has no severity to be set"
            fix = "take it out; an entry under suppress accepts what it finds"
            yield finding_of(SEVERITY_NOT_SETTABLE, Problem((_KEY, id), message, fix, on_key=True), source)
            continue
        near = None if id in rules else nearest(id, rules)
        message = (
            f"the severity of {id} is fixed: nothing can go on with what it reports"
            if id in rules
            else f"there is no rule {id}" + (f"; did you mean {near}?" if near else "")
        )
        fix = f"write {near}" if near else "take it out; `provision explain` lists the rules"
        yield finding_of(SEVERITY_NOT_SETTABLE, Problem((_KEY, id), message, fix, on_key=True), source)
