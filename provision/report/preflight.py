"""The checks before the first write, as one table for people, as findings, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from provision.findings import Finding, Problem, Rule, Severity, finding_of
from provision.preflight import CHECKS, Row, Status
from provision.report.excerpt import Paint, printable
from provision.source import Source

_SIGNS = {
    Status.PASS: ("ok", "32"),
    Status.WARN: ("warn", "33;1"),
    Status.FAIL: ("FAIL", "31;1"),
    Status.COULD_NOT_RUN: ("NOT RUN", "35;1"),
}
_SEVERITIES = {Status.WARN: Severity.WARNING, Status.FAIL: Severity.ERROR, Status.COULD_NOT_RUN: Severity.ERROR}
_RULES: Mapping[str, Rule] = {check.rule.id: check.rule for check in CHECKS}


def table_of(rows: Sequence[Row], colour: bool = False, *, only_worse: bool = False) -> str:
    """Return a line for each row, what failed with its fix, and a last line that counts.

    With `only_worse` what passed is only counted.
    """
    paint = Paint(colour)
    lines = []
    for row in rows:
        if only_worse and row.status is Status.PASS:
            continue
        sign, code = _SIGNS[row.status]
        lines.append(f"{paint(f'{sign:8}', code)}  {printable(f'{row.subject}: {row.message}')}")
        if row.fix and row.status is not Status.PASS:
            lines.append(f"{'':10}fix: {printable(row.fix)}")
    counts = ", ".join(
        f"{count} {name}"
        for status, name in (
            (Status.FAIL, "failed"),
            (Status.COULD_NOT_RUN, "could not run"),
            (Status.WARN, "warned"),
            (Status.PASS, "passed"),
        )
        if (count := sum(row.status is status for row in rows))
    )
    return "".join(f"{line}\n" for line in (*lines, f"checked against Azure: {counts or 'nothing to check'}"))


def findings_in(rows: Sequence[Row], sources: Sequence[Source]) -> tuple[Finding, ...]:
    """Return what did not pass as findings, each at the path that is to blame; `sources` are by member."""
    found = []
    for row in rows:
        if row.status is not Status.PASS:
            rule = replace(_RULES[row.rule], severity=_SEVERITIES[row.status])
            problem = Problem(row.at, f"{row.subject}: {row.message}", row.fix)
            found.append(finding_of(rule, problem, sources[row.member]))
    return tuple(found)


def rows_as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows in the published shape."""
    return [
        {
            "check": row.rule,
            "subject": row.subject,
            "status": row.status.value,
            "message": row.message,
            "fix": row.fix,
            **({"numbers": dict(row.numbers)} if row.numbers else {}),
            **({"request": row.request} if row.request else {}),
        }
        for row in rows
    ]


def preflight_rules() -> tuple[Rule, ...]:
    """Return the checks as rules, to be explained."""
    return tuple(_RULES.values())
