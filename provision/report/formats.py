"""In which formats findings can be had: one function each, imported when asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from provision.environment import Suppressed
from provision.errors import FileError
from provision.findings import Finding, Rule, Severity

if TYPE_CHECKING:
    from provision.preflight import Row


@dataclass(frozen=True, slots=True)
class Report:
    """What a run of checks has to tell.

    `files` are those that were looked at, `unreadable` what kept others from that. `failing` are the severities that
    fail the run. `rules` are all that were applied, by id; a format that describes rules describes these.
    `checks` are the rows of the checks against Azure, None where none were made; what did not pass is a finding too.
    """

    findings: tuple[Finding, ...]
    suppressed: tuple[Suppressed, ...]
    files: tuple[str, ...]
    unreadable: tuple[FileError, ...] = ()
    failing: frozenset[Severity] = frozenset({Severity.ERROR})
    rules: tuple[Rule, ...] = ()
    checks: tuple[Row, ...] | None = None

    @property
    def failed(self) -> bool:
        """Return whether some finding fails the run."""
        return any(finding.severity in self.failing for finding in self.findings)


#: By name: the module beside this one whose `<name>_of` makes it.
_MODULES = {
    "text": "findings",
    "json": "findings",
    "sarif": "sarif",
    "junit": "junit",
    "github": "github",
    "markdown": "markdown",
}
FORMATS = tuple(_MODULES)


def shown(name: str, report: Report, *, colour: bool = False) -> str:
    """Return a report in one of `FORMATS`, with a newline at its end; colour is for text only."""
    make: Callable[..., str] = getattr(import_module(f"provision.report.{_MODULES[name]}"), f"{name}_of")
    return make(report, colour) if name == "text" else make(report)
