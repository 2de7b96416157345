"""Findings as JUnit XML, which every CI server shows as tests: a suite for each file, a case for each finding.

Format: https://github.com/testmoapp/junitxml (read 2026-11-30).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from provision.findings import Finding
from provision.report.formats import Report
from provision.source import place

#: What XML 1.0 cannot hold, not even escaped.
_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_of(report: Report) -> str:
    """Return suites in which a finding that fails the run is a failure, and what could not be read an error."""
    root = Element("testsuites", name="provision validate")
    files = dict.fromkeys((*report.files, *(finding.file for finding in report.findings)))
    for file in files:
        suite = SubElement(root, "testsuite", name=_text(file))
        found = [finding for finding in report.findings if finding.file == file]
        for finding in found:
            _case(suite, finding, failing=finding.severity in report.failing)
        for each in report.suppressed:
            if each.finding.file == file:
                case = SubElement(suite, "testcase", classname=_text(file), name=_name(each.finding))
                SubElement(case, "skipped", message=_text(f"suppressed: {each.reason}"))
        if not len(suite):
            SubElement(suite, "testcase", classname=_text(file), name="no findings")
        _count(suite, suite.iter("testcase"))
    if report.checks is not None:
        # Those that did not pass are findings, which stand with their files.
        suite = SubElement(root, "testsuite", name="checks against Azure")
        for row in report.checks:
            if row.status is row.status.PASS:
                name = _text(f"{row.rule} of {row.subject}")
                case = SubElement(suite, "testcase", classname="checks against Azure", name=name)
                SubElement(case, "system-out").text = _text(row.message)
        _count(suite, suite.iter("testcase"))
    for error in report.unreadable:
        suite = SubElement(root, "testsuite", name=_text(error.file))
        case = SubElement(suite, "testcase", classname=_text(error.file), name="can be read")
        SubElement(case, "error", message=_text(error.message), type="unreadable").text = _text(error.fix)
        _count(suite, suite.iter("testcase"))
    _count(root, root.iter("testcase"))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _case(suite: Element, finding: Finding, *, failing: bool) -> None:
    where = place(finding.file, finding.line, finding.column)
    told = "\n".join(
        line
        for line in (
            f"{where}: {finding.severity}: {finding.message}",
            f"why: {finding.why}",
            finding.link,
            f"fix: {finding.fix}",
        )
        if line
    )
    case = SubElement(suite, "testcase", classname=_text(finding.file), name=_name(finding))
    if failing:
        SubElement(case, "failure", message=_text(finding.message), type=finding.rule).text = _text(told)
    else:
        SubElement(case, "system-out").text = _text(told)


def _name(finding: Finding) -> str:
    return _text(f"{finding.rule} at {finding.path or 'the top'}:{finding.line}")


def _count(element: Element, cases: Iterable[Element]) -> None:
    found = list(cases)
    element.set("tests", str(len(found)))
    for what, child in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(what, str(sum(case.find(child) is not None for case in found)))


def _text(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
