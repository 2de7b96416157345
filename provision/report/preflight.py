"""The checks before the first write, as one table for people, as findings, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from provision.environment import Suppressed, unused_suppression
from provision.findings import Finding, Problem, Rule, Severity, finding_of
from provision.preflight import CHECKS, Member, Row, Status, unused
from provision.report.excerpt import Paint, printable
from provision.source import Source, dotted

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
        sign, code = ("accepted", "36") if row.accepted else _SIGNS[row.status]
        lines.append(f"{paint(f'{sign:8}', code)}  {printable(f'{row.subject}: {row.message}')}")
        if row.accepted:
            until = f", until {row.accepted.until}" if row.accepted.until else ""
            lines.append(f"{'':10}because: {printable(row.accepted.reason)}{until}")
        elif row.fix and row.status is not Status.PASS:
            lines.append(f"{'':10}fix: {printable(row.fix)}")
    return "".join(f"{line}\n" for line in (*lines, counted(rows)))


def counted(rows: Sequence[Row]) -> str:
    """Return in one line how many rows there are of each outcome."""
    counting = [row for row in rows if not row.accepted]
    named = {
        "failed": sum(row.status is Status.FAIL for row in counting),
        "could not run": sum(row.status is Status.COULD_NOT_RUN for row in counting),
        "warned": sum(row.status is Status.WARN for row in counting),
        "accepted": len(rows) - len(counting),
        "passed": sum(row.status is Status.PASS for row in counting),
    }
    counts = ", ".join(f"{count} {name}" for name, count in named.items() if count)
    return f"checked against Azure: {counts or 'nothing to check'}"


def sign_of(row: Row) -> str:
    """Return in a word or two how a row ended."""
    return "accepted" if row.accepted else _SIGNS[row.status][0]


def findings_in(rows: Sequence[Row], sources: Sequence[Source]) -> tuple[tuple[Finding, ...], tuple[Suppressed, ...]]:
    """Return what did not pass as findings, each at the path that is to blame, and apart from them what is accepted.

    `sources` are by member.
    """
    found: list[Finding] = []
    accepted: list[Suppressed] = []
    for row in rows:
        if row.status is not Status.PASS:
            rule = replace(_RULES[row.rule], severity=_SEVERITIES[row.status])
            problem = Problem(row.at, f"{row.subject}: {row.message}", row.fix)
            finding = finding_of(rule, problem, sources[row.member])
            if row.accepted:
                accepted.append(Suppressed(finding, row.accepted.reason, row.accepted.until))
            else:
                found.append(finding)
    return tuple(found), tuple(accepted)


def unused_in(rows: Sequence[Row], members: Sequence[Member], sources: Sequence[Source]) -> tuple[Finding, ...]:
    """Return a finding for each entry of a file that suppresses a check which finds nothing there."""
    found = []
    for member, number in unused(rows, members):
        entry = members[member].suppress[number]
        message = f"{entry.rule} finds nothing at {entry.at}"
        found.append(unused_suppression(number, message, "take the suppression out", sources[member]))
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
            "path": dotted(row.at),
            **({"numbers": dict(row.numbers)} if row.numbers else {}),
            **({"request": row.request} if row.request else {}),
            **({"accepted": row.accepted.reason} if row.accepted else {}),
        }
        for row in rows
    ]


def preflight_rules() -> tuple[Rule, ...]:
    """Return the checks as rules, to be explained."""
    return tuple(_RULES.values())
