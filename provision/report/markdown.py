"""Findings as Markdown, for a comment on a pull request or the summary of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator

from provision.findings import Finding, Severity
from provision.report.findings import summary_of
from provision.report.formats import Report
from provision.source import place

_SIGNS = {Severity.ERROR: "❌ error", Severity.WARNING: "⚠️ warning", Severity.INFO: "ℹ️ info"}  # noqa: RUF001 - a sign
_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+!|~$@])")
#: A comment on GitHub holds 65,536 characters; what comes behind this many is counted only.
_MOST = 60_000


def markdown_of(report: Report) -> str:
    """Return a heading that counts, a table of the findings, and behind it each finding's reason and fix."""
    head = f"### provision validate: {summary_of(report)}\n"
    for error in report.unreadable:
        head += f"\n❌ `{_code(place(error.file, error.line))}` could not be read: {escaped(error.message)}\n"
    if not report.findings:
        return head
    table = "\n| | where | what | rule |\n|---|---|---|---|\n"
    details = "".join(_within(_MOST // 2, map(_detail, report.findings), ""))
    rows = "".join(_within(_MOST // 2, map(_row, report.findings), "| | | … {} more findings | |\n"))
    return f"{head}{table}{rows}\n<details><summary>Why, and how to fix it</summary>\n\n{details}\n</details>\n"


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
