"""Findings as Markdown, for a comment on a pull request or the summary of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from provision.findings import Finding, Severity
from provision.report.findings import summary_of
from provision.report.formats import Report
from provision.source import place

if TYPE_CHECKING:
    from provision.preflight import Row

_SIGNS = {Severity.ERROR: "❌ error", Severity.WARNING: "⚠️ warning", Severity.INFO: "ℹ️ info"}  # noqa: RUF001 - a sign
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+!|~$@])")
#: A comment on GitHub holds 65,536 characters; what comes behind this many is counted only.
_MOST = 60_000


def markdown_of(report: Report) -> str:
    """Return a heading that counts, a table of the findings, and behind it each finding's reason and fix."""
    head = f"### provision validate: {summary_of(report)}\n"
    for error in report.unreadable:
        head += f"\n❌ `{_code(place(error.file, error.line))}` could not be read: {escaped(error.message)}\n"
    checks = "" if report.checks is None else _checks(report.checks)
    if not report.findings:
        return head + checks
    table = "\n| | where | what | rule |\n|---|---|---|---|\n"
    details = "".join(_within(_MOST // 3, map(_detail, report.findings), ""))
    rows = "".join(_within(_MOST // 3, map(_row, report.findings), "| | | … {} more findings | |\n"))
    return f"{head}{table}{rows}{checks}\n<details><summary>Why, and how to fix it</summary>\n\n{details}\n</details>\n"


def _checks(rows: Sequence[Row]) -> str:
    """Return the checks against Azure, what passed too, in a table that is folded away."""
    from provision.report.preflight import counted, sign_of

    lines = (f"| {sign_of(row)} | {escaped(row.subject)} | {escaped(row.message)} |\n" for row in rows)
    told = "".join(_within(_MOST // 3, lines, "| | | … {} more checks |\n"))
    return (
        f"\n<details><summary>{escaped(counted(rows))}</summary>\n\n"
        f"| | checked | outcome |\n|---|---|---|\n{told}\n</details>\n"
    )


def _within(most: int, texts: Iterator[str], more: str) -> Iterator[str]:
    """Yield texts as long as there is room for them; behind them, how many there was none for."""
    left = 0
    for text in texts:
        most -= len(text)
        if most >= 0:
            yield text
        else:
            left += 1
    if left:
        yield more.format(left)


def _row(finding: Finding) -> str:
    where = _code(place(finding.file, finding.line, finding.column))
    return f"| {_SIGNS[finding.severity]} | `{where}` | {escaped(finding.message)} | {escaped(finding.rule)} |\n"


def _detail(finding: Finding) -> str:
    where = _code(place(finding.file, finding.line, finding.column))
    link = f" ([source]({finding.link}))" if finding.link else ""
    fix = f" Fix: {escaped(finding.fix)}." if finding.fix else ""
    return f"- `{where}` **{escaped(finding.rule)}**: {escaped(finding.why)}{link}.{fix}\n"


def escaped(text: str) -> str:
    """Return text in one line, without anything that Markdown would read as its own."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    """Return text as it may stand between backquotes in a table."""
    return " ".join(text.split()).replace("`", "'").replace("|", "\\|")
