"""Findings as SARIF 2.1.0, for code scanning services.

Format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html (read 2026-11-30).
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from provision import __version__
from provision.errors import FileError
from provision.findings import Finding, Rule, Severity
from provision.report.formats import Report
from provision.source import is_file

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
#: Under this name a service knows a finding again when its line has moved.
_FINGERPRINT = "provision/v1"
#: What would begin or end a link in a message's text.
_LINK = re.compile(r"[\\\[\]]")


def sarif_of(report: Report) -> str:
    """Return a log of one run: every rule that was applied, every finding, those that are suppressed marked as such."""
    indices = {rule.id: index for index, rule in enumerate(report.rules)}
    seen: Counter[str] = Counter()
    results = [_result(finding, indices, seen) for finding in report.findings]
    for each in report.suppressed:
        until = f" (until {each.until})" if each.until else ""
        suppression = {"kind": "external", "status": "accepted", "justification": each.reason + until}
        results.append({**_result(each.finding, indices, seen), "suppressions": [suppression]})
    run = {
        "tool": {
            "driver": {
                "name": "provision",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in report.rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not report.unreadable,
                "toolExecutionNotifications": [_notification(error) for error in report.unreadable],
            }
        ],
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    link = {"helpUri": rule.link} if rule.link else {}
    text = f"{rule.why}. To fix: {rule.remedy}."
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.what},
        "fullDescription": {"text": rule.why},
        "help": {"text": text},
        **link,
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, indices: dict[str, int], seen: Counter[str]) -> dict[str, Any]:
    key = "\0".join((finding.rule, posixpath.normpath(finding.file), finding.path))
    seen[key] += 1
    index = {"ruleIndex": indices[finding.rule]} if finding.rule in indices else {}
    told = f"{finding.message}. To fix: {finding.fix}" if finding.fix else finding.message
    return {
        "ruleId": finding.rule,
        **index,
        "level": _LEVELS[finding.severity],
        "message": {"text": _LINK.sub(r"\\\g<0>", told)},
        "locations": list(_locations(finding.file, finding.line, finding.column, finding.path, finding.source_line)),
        "partialFingerprints": {_FINGERPRINT: hashlib.sha256(f"{key}\0{seen[key]}".encode()).hexdigest()},
    }


def _locations(file: str, line: int, column: int, path: str, source_line: str) -> Iterator[dict[str, Any]]:
    """Yield where it is: in a file, and by its path in the environment. What came as an argument has no file."""
    location: dict[str, Any] = {}
    if is_file(file):
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
        if line > 0:
            snippet = {"snippet": {"text": source_line}} if source_line else {}
            physical["region"] = {"startLine": line, **({"startColumn": column} if column > 0 else {}), **snippet}
        location["physicalLocation"] = physical
    if path:
        location["logicalLocations"] = [{"fullyQualifiedName": path}]
    if location:
        yield location


def _notification(error: FileError) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": error.message},
        "locations": list(_locations(error.file, error.line, error.column, "", error.source_line)),
    }


def _uri(file: str) -> str:
    """Return a file's path as a URI: relative to where the tool ran, or absolute with its scheme."""
    path = quote(file.replace("\\", "/"))
    return f"file://{path}" if path.startswith("/") else path
