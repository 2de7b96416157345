"""Findings as text for people and as JSON for other tools."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from provision.environment import Suppressed
from provision.findings import Finding, Severity
from provision.report.excerpt import Paint, excerpt, printable
from provision.report.formats import Report
from provision.source import place

_WIDTH = 110
_COLOURS = {Severity.ERROR: "31;1", Severity.WARNING: "33;1", Severity.INFO: "36;1"}


def text_of(report: Report, colour: bool) -> str:
    """Return a report as text; nothing where no file could be looked at."""
    if not report.files:
        return ""
    text = as_text(report.findings, colour, files=len(report.files), suppressed=len(report.suppressed))
    if report.checks is None:
        return text
    from provision.report.preflight import table_of

    return f"{table_of(report.checks, colour)}\n{text}"


def json_of(report: Report) -> str:
    """Return a report as a JSON document."""
    if report.checks is None:
        return as_json(report.findings, files=len(report.files), suppressed=report.suppressed)
    from provision.report.preflight import rows_as_json

    rows = rows_as_json(report.checks)
    return as_json(report.findings, files=len(report.files), suppressed=report.suppressed, checks=rows)


def summary_of(report: Report) -> str:
    """Return the line that counts what a report tells."""
    return _summary(report.findings, len(report.files), len(report.suppressed), Paint(False))


def as_text(findings: Sequence[Finding], colour: bool = False, files: int | None = None, suppressed: int = 0) -> str:
    """Return findings as text, each with its line, reason and fix, and a last line that counts them.

    `files`: how many were looked at; without it, how many have findings. `suppressed`: how many are not shown.
    """
    paint = Paint(colour)
    return (
        "".join(f"{_as_text(finding, paint)}\n" for finding in findings)
        + _summary(findings, files, suppressed, paint)
        + "\n"
    )


def as_json(
    findings: Sequence[Finding],
    files: int | None = None,
    suppressed: Sequence[Suppressed] = (),
    checks: Sequence[Mapping[str, Any]] | None = None,
) -> str:
    """Return findings as a JSON document in the published shape, with a newline at its end."""
    document = {
        "format_version": 1,
        **({} if checks is None else {"checks": checks}),
        "findings": [finding.as_dict() for finding in findings],
        "suppressed": [
            {**each.finding.as_dict(), "reason": each.reason, "until": each.until and each.until.isoformat()}
            for each in suppressed
        ],
        "summary": {
            "errors": _count(findings, Severity.ERROR),
            "warnings": _count(findings, Severity.WARNING),
            "files": _files(findings) if files is None else files,
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _as_text(finding: Finding, paint: Paint) -> str:
    severity = finding.severity
    head = f"{paint(severity.value, _COLOURS[severity])}: {printable(finding.message)} [{finding.rule}]"
    return (
        f"{paint(printable(place(finding.file, finding.line, finding.column)), '1')}: {head}\n"
        + excerpt(finding.line, finding.column, finding.source_line, paint)
        + _wrapped("why", finding.why, paint)
        + (f"       {finding.link}\n" if finding.link else "")
        + _wrapped("fix", finding.fix, paint)
    )


def _wrapped(label: str, text: str, paint: Paint) -> str:
    """Return `  why: …`, further lines indented to the text; nothing when there is no text."""
    if not text:
        return ""
    first, *more = textwrap.wrap(printable(text), _WIDTH - 7, break_long_words=False, break_on_hyphens=False)
    return f"  {paint(label, '1')}: {first}\n" + "".join(f"       {line}\n" for line in more)


def _summary(findings: Sequence[Finding], files: int | None, suppressed: int, paint: Paint) -> str:
    counts = [
        paint(_number(count, severity.value), _COLOURS[severity])
        for severity in Severity
        if (count := _count(findings, severity))
    ]
    where = _number(_files(findings) if files is None else files, "file")
    hidden = f", {suppressed} suppressed" if suppressed else ""
    return f"{', '.join(counts) or 'no findings'} in {where}{hidden}"


def _count(findings: Sequence[Finding], severity: Severity) -> int:
    return sum(finding.severity is severity for finding in findings)


def _files(findings: Sequence[Finding]) -> int:
    return len({finding.file for finding in findings})


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
