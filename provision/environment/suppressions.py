"""Decides which findings are not shown as such, because the environment file accepts them for a reason and a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from provision.environment.model import Suppression
from provision.environment.problems import SUPPRESSION_EXPIRED, SUPPRESSION_UNUSED
from provision.findings import Finding, Problem, finding_of
from provision.near import nearest
from provision.source import Source

#: The checks against Azure, which a file may suppress like rules; of one that was not made nobody knows whether it
#: finds anything. They stand here because reading a file has to know them and nothing else of `preflight/`.
AGAINST_AZURE = frozenset(
    {
        "azure-refuses",
        "deployment-history-full",
        "feature-not-registered",
        "group-not-free",
        "image-not-there",
        "lock-in-the-way",
        "login-too-short",
        "permission-missing",
        "provider-not-registered",
        "quota-too-small",
        "size-restricted",
        "subnet-full",
    }
)


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that is accepted: why, and until when."""

    finding: Finding
    reason: str
    until: date | None

    def told(self) -> str:
        """Return it in a line: the rule, where, why and until when."""
        until = f", until {self.until}" if self.until else ""
        return f"{self.finding.rule} at {self.finding.path}: {self.reason}{until}"


def suppressed(
    findings: Iterable[Finding],
    suppressions: tuple[Suppression, ...],
    rules: Mapping[str, bool],
    source: Source,
    *,
    today: date | None,
    whole: bool,
) -> tuple[list[Finding], list[Suppressed]]:
    """Return the findings that count, those of the suppressions among them, and the ones that are suppressed.

    `rules`: every rule's id, and whether it can be suppressed. Without `today` no suppression is expired. `whole`: the
    rules have seen all of the environment, so that a suppression that nothing matches is one too many.
    """
    counting: list[Finding] = []
    accepted: list[Suppressed] = []
    used: set[int] = set()
    valid = [
        (number, each)
        for number, each in enumerate(suppressions)
        if not _expired(each, today) and rules.get(each.rule, False)
    ]
    for finding in findings:
        matching = [(number, each) for number, each in valid if covers(each, finding.rule, finding.path)]
        used.update(number for number, _ in matching)
        if matching:
            accepted.append(Suppressed(finding, matching[0][1].reason, matching[0][1].until))
        else:
            counting.append(finding)
    for number, each in enumerate(suppressions):
        at = ("suppress", number)
        if _expired(each, today):
            message = f"the suppression of {each.rule} at {each.at} ended on {each.until}"
            fix = "mend what it suppressed, or write a later day and why"
            counting.append(finding_of(SUPPRESSION_EXPIRED, Problem((*at, "until"), message, fix), source))
        elif whole and number not in used and each.rule not in AGAINST_AZURE:
            counting.append(unused(number, *_unused(each, rules), source))
    return counting, accepted


def unused(number: int, message: str, fix: str, source: Source) -> Finding:
    """Return the finding that a file's suppression of this number suppresses nothing."""
    return finding_of(SUPPRESSION_UNUSED, Problem(("suppress", number), message, fix), source)


def covers(suppression: Suppression, rule: str, path: str) -> bool:
    """Return whether a rule's finding at a path is of the suppression's rule and at or beneath its path."""
    at = suppression.at
    return rule == suppression.rule and (path == at or (path.startswith(at) and path[len(at)] in ".["))


def _expired(suppression: Suppression, today: date | None) -> bool:
    return today is not None and suppression.until is not None and suppression.until < today


def _unused(suppression: Suppression, rules: Mapping[str, bool]) -> tuple[str, str]:
    """Return why a suppression suppresses nothing, and what to do."""
    id = suppression.rule
    if id in rules:
        if not rules[id]:
            return f"{id} can't be suppressed: nothing can go on with what it reports", "take it out, and mend that"
        return f"there is no finding of {id} at {suppression.at}", "take the suppression out"
    near = nearest(id, {*rules, *AGAINST_AZURE})
    message = f"there is no rule {id}" + (f"; did you mean {near}?" if near else "")
    return message, f"write {near}" if near else "take it out; `provision explain` lists the rules"
