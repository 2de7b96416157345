"""Findings as GitHub's workflow commands, which show them at their lines in a pull request.

GitHub shows at most ten errors, ten warnings and ten notices of a step and drops the rest in silence:
https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands (read 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from provision.errors import FileError
from provision.findings import Finding, Severity
from provision.report.excerpt import printable
from provision.report.findings import summary_of
from provision.report.formats import Report
from provision.source import is_file, place

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_MOST = 10


def github_of(report: Report) -> str:
    """Return a command for each finding; past ten of a kind the last tells of the others, which stand in the log."""
    lines = [_unreadable(error) for error in report.unreadable]
    for severity in Severity:
        found = [finding for finding in report.findings if finding.severity is severity]
        room = _MOST - (len(lines) if severity is Severity.ERROR else 0)
        lines += _commands(found, max(1, room), _COMMANDS[severity])
    if report.checks is not None:
        from provision.report.preflight import counted

        lines.append(counted(report.checks))
    return "".join(f"{line}\n" for line in (*lines, summary_of(report)))


def _commands(findings: Sequence[Finding], room: int, command: str) -> Iterator[str]:
    shown = findings if len(findings) <= room else findings[: room - 1]
    for finding in shown:
        text = "\n".join(line for line in (finding.message, finding.why, finding.link, f"fix: {finding.fix}") if line)
        yield _command(command, _at(finding), finding.rule, text)
    if rest := findings[len(shown) :]:
        yield _command(command, {}, "and more", f"{len(rest)} more findings of this kind stand in the log of this step")
        for finding in rest:
            where = place(finding.file, finding.line, finding.column)
            yield _printed(f"{where}: {finding.severity}: {finding.message} [{finding.rule}]")


def _at(finding: Finding) -> dict[str, str]:
    if not is_file(finding.file):
        return {}
    return {"file": finding.file, "line": str(finding.line), "col": str(finding.column)}


def _unreadable(error: FileError) -> str:
    where = {"file": error.file, **({"line": str(error.line)} if error.line else {})} if is_file(error.file) else {}
    return _command("error", where, "unreadable", "\n".join(filter(None, (error.message, error.fix))))


def _command(command: str, where: dict[str, str], title: str, text: str) -> str:
    properties = ",".join(f"{name}={_property(value)}" for name, value in {**where, "title": title}.items())
    return f"::{command} {properties}::{_data(text)}"


def _data(text: str) -> str:
    return "%0A".join(printable(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _printed(text: str) -> str:
    """Return a line of the log that nothing in a finding can turn into a command."""
    return " " + printable(" ".join(text.split()))
