"""Findings in each format, whole: what a code scanning service, a CI server or a reviewer gets to see."""

from __future__ import annotations

import dataclasses
import json
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from provision.environment import Suppressed
from provision.errors import FileError
from provision.findings import Finding, Severity
from provision.report.formats import FORMATS, Report, shown
from provision.rules import all_rules
from tests.conftest import Golden
from tests.report.test_findings import a_finding

EXPECTED = Path(__file__).parent / "expected"
SUFFIXES = {"text": "txt", "json": "json", "sarif": "sarif", "junit": "xml", "github": "github.txt", "markdown": "md"}
ODD = a_finding(
    Severity.WARNING,
    file="environments/a b, c: 100%.yaml",
    message="the name `x|y` is <b>odd</b>\x1b[31m & [long](http://x)\n::error::no command",
)
ARGUMENT = a_finding(Severity.INFO, file="--set pools.train.nodes=3", line=1, column=1, source_line="3")


def a_report(*findings: Finding, **more: Any) -> Report:
    files = tuple(dict.fromkeys(finding.file for finding in findings))
    return Report(findings, more.pop("suppressed", ()), more.pop("files", files), **more)


WHOLE = a_report(
    a_finding(),
    ODD,
    ARGUMENT,
    suppressed=(Suppressed(a_finding(Severity.WARNING, line=20), "capacity only here", date(2027, 3, 1)),),
    unreadable=(FileError("none.yaml", "there is no such file", fix="check the path"),),
    rules=tuple(rule for rule in all_rules() if rule.id == "job-exceeds-placement-group"),
    files=("environments/train.yaml", "environments/a b, c: 100%.yaml", "clean.yaml"),
)


def test_every_format_has_its_expected_text() -> None:
    assert set(SUFFIXES) == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_is_told_in_full(name: str, golden: Golden) -> None:
    golden(EXPECTED / f"report.{SUFFIXES[name]}", shown(name, WHOLE))


@pytest.mark.parametrize("name", FORMATS)
def test_no_findings_are_told_too(name: str, golden: Golden) -> None:
    golden(EXPECTED / f"clean.{SUFFIXES[name]}", shown(name, a_report(files=("clean.yaml",))))


def results_of(report: Report) -> list[dict[str, Any]]:
    (run,) = json.loads(shown("sarif", report))["runs"]
    results: list[dict[str, Any]] = run["results"]
    return results


def test_a_finding_in_sarif_is_known_again_when_its_line_moves_and_told_from_its_twin() -> None:
    here, moved, other = a_finding(line=3), a_finding(line=9), a_finding(file="b.yaml")

    def prints(*findings: Finding) -> list[str]:
        return [result["partialFingerprints"]["provision/v1"] for result in results_of(a_report(*findings))]

    assert prints(here) == prints(moved)
    assert len({*prints(here, moved, other)}) == 3


def test_every_rule_stands_in_sarif_and_every_result_points_at_its_own() -> None:
    rules = all_rules()
    report = a_report(*(dataclasses.replace(a_finding(), rule=rule.id) for rule in rules), rules=rules)
    (run,) = json.loads(shown("sarif", report))["runs"]

    described = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in described] == [rule.id for rule in rules]
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in described)
    assert [described[result["ruleIndex"]]["id"] for result in run["results"]] == [r["ruleId"] for r in run["results"]]


def test_what_fails_the_run_is_a_failure_in_junit_and_the_rest_is_not() -> None:
    findings = (a_finding(), a_finding(Severity.WARNING), a_finding(Severity.INFO))

    def failures(*failing: Severity) -> str | None:
        text = shown("junit", a_report(*findings, failing=frozenset(failing)))
        return ElementTree.fromstring(text.encode()).get("failures")

    assert failures(Severity.ERROR) == "1"
    assert failures(Severity.ERROR, Severity.WARNING) == "2"


def test_github_gets_ten_annotations_of_a_kind_and_the_rest_in_the_log() -> None:
    findings = [a_finding(line=line) for line in range(1, 13)] + [a_finding(Severity.WARNING)] * 10
    lines = shown("github", a_report(*findings)).splitlines()

    assert sum(line.startswith("::error ") for line in lines) == 10
    assert sum(line.startswith("::warning ") for line in lines) == 10
    assert "::error title=and more::3 more findings of this kind stand in the log of this step" in lines
    assert sum(line.startswith(" environments/train.yaml:") for line in lines) == 3
    assert lines[-1] == "12 errors, 10 warnings in 1 file"


def test_markdown_stays_within_what_a_comment_holds() -> None:
    text = shown("markdown", a_report(*(a_finding(line=line) for line in range(1, 2000))))

    assert len(text) < 65_536
    assert "more findings" in text
