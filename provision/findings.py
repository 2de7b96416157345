"""What a check is and what it yields. Which checks there are stands in `rules/` and `environment/problems.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from provision.source import Path, Position, Source, dotted

_LONGEST = 600  # letters of a message or of a fix


class Severity(StrEnum):
    """How much a finding counts; `--fail-on` names the least that fails a run."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule yields: where in the environment file, what, and how to fix it.

    `on_key`: it is the key that is wrong, not its value. `secret`: its line in the file is never shown. `member`: which
    environment of a run it is about, where a rule looks at several.
    """

    at: Path
    message: str
    fix: str
    on_key: bool = False
    secret: bool = False
    member: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """A check with a permanent id. `check` is called with the `subject` and the catalog and yields problems.

    A rule without a check is one that the loader applies while it reads; it stands here to be explained.
    `suppressible` is False where the topology leaves out, or empty, what the rule reports.
    `what` says what the rule finds, `remedy` what to do about it in general; a finding has its own `fix`.
    """

    id: str
    severity: Severity
    why: str
    link: str
    what: str
    remedy: str
    suppressible: bool = True
    subject: type | None = None
    check: Callable[..., Iterator[Problem]] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem with its rule and its place, as shown. `path` is dotted; line and column count from 1."""

    rule: str
    severity: Severity
    file: str
    line: int
    column: int
    path: str
    message: str
    why: str
    link: str
    fix: str
    source_line: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the finding in the published shape."""
        return {
            "rule": self.rule,
            "severity": self.severity.value,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "path": self.path,
            "message": self.message,
            "why": self.why,
            "link": self.link,
            "fix": self.fix,
        }


def rule(
    *,
    id: str,
    subject: type,
    severity: Severity,
    why: str,
    link: str,
    remedy: str = "do what the finding says",
    suppressible: bool = True,
) -> Callable[[Callable[..., Iterator[Problem]]], Rule]:
    """Return a decorator that makes a function `(subject, catalog) -> problems` a rule; it registers nothing.

    What the rule finds is told by the function's docstring, behind its "Yield".
    """

    def of(check: Callable[..., Iterator[Problem]]) -> Rule:
        what = (check.__doc__ or "").partition(". ")[0].partition("\n\n")[0].removeprefix("Yield ").rstrip(".")
        return Rule(
            id=id,
            severity=severity,
            why=why,
            link=link,
            what=what,
            remedy=remedy,
            suppressible=suppressible,
            subject=subject,
            check=check,
        )

    return of


def finding_of(rule: Rule, problem: Problem, source: Source) -> Finding:
    """Return the finding that a rule's problem is in a file, at the place where its path stands."""
    return finding_at(rule, problem, source, source.position(problem.at, key=problem.on_key))


def finding_at(rule: Rule, problem: Problem, source: Source, position: Position) -> Finding:
    """Return the finding of a problem whose place its path can't give: a second key, a second document."""
    return Finding(
        rule=rule.id,
        severity=rule.severity,
        file=position.file,
        line=position.line,
        column=position.column,
        path=dotted(problem.at),
        message=_readable(problem.message),
        why=rule.why,
        link=rule.link,
        fix=_readable(problem.fix),
        source_line="" if problem.secret else source.line(position),
    )


def _readable(text: str) -> str:
    """Return a message that somebody can read: one that repeats a megabyte of the file is cut in its middle."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings by file, then position, then rule; one that several paths led to only once."""
    found = {(f.file, f.line, f.column, f.rule, f.message): f for f in findings}
    return tuple(found[key] for key in sorted(found))


def has_errors(findings: Iterable[Finding]) -> bool:
    """Return whether any of the findings is an error."""
    return any(finding.severity is Severity.ERROR for finding in findings)
