"""What SARIF 2.1.0 demands of the objects that we write, held against what we write.

No package that we found on PyPI, in Debian or on npm carries the published schema (looked 2026-12-01), so that part
of it which is about these objects is restated here, from section 3 of the specification. All else is
refused, so that a new property has to be looked up there first.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest

from provision.findings import Severity
from provision.report.formats import shown
from provision.rules import all_rules
from tests.report.test_findings import a_finding
from tests.report.test_formats import ARGUMENT, ODD, WHOLE, a_report


def an_object(required: str = "", **properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has no other properties than these."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required.split(),
        "properties": properties,
    }


def a_list(of: dict[str, Any], *, unique: bool = False) -> dict[str, Any]:
    return {"type": "array", "items": of, "uniqueItems": unique}


TEXT: dict[str, Any] = {"type": "string"}
URI: dict[str, Any] = {"type": "string", "pattern": "^[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]*$"}
POSITIVE: dict[str, Any] = {"type": "integer", "minimum": 1}
LEVEL: dict[str, Any] = {"enum": ["none", "note", "warning", "error"]}
MULTIFORMAT = an_object("text", text=TEXT, markdown=TEXT)
MESSAGE = an_object("text", text=TEXT)
REGION = an_object(startLine=POSITIVE, startColumn=POSITIVE, snippet=an_object(text=TEXT))
LOCATION = an_object(
    physicalLocation=an_object("artifactLocation", artifactLocation=an_object(uri=URI), region=REGION),
    logicalLocations=a_list(an_object(fullyQualifiedName=TEXT), unique=True),
)
RULE = an_object(
    "id",
    id=TEXT,
    shortDescription=MULTIFORMAT,
    fullDescription=MULTIFORMAT,
    help=MULTIFORMAT,
    helpUri=URI,
    defaultConfiguration=an_object(level=LEVEL),
)
SUPPRESSION = an_object(
    "kind",
    kind={"enum": ["inSource", "external"]},
    status={"enum": ["accepted", "underReview", "rejected"]},
    justification=TEXT,
)
RESULT = an_object(
    "message",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    message=MESSAGE,
    locations=a_list(LOCATION),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    suppressions=a_list(SUPPRESSION, unique=True),
)
NOTIFICATION = an_object("message", level=LEVEL, message=MESSAGE, locations=a_list(LOCATION, unique=True))
DRIVER = an_object(
    "name",
    name=TEXT,
    version=TEXT,
    semanticVersion={"type": "string", "pattern": r"^\d+\.\d+\.\d+([-+].*)?$"},
    rules=a_list(RULE, unique=True),
)
RUN = an_object(
    "tool",
    tool=an_object("driver", driver=DRIVER),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=a_list(
        an_object(
            "executionSuccessful",
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications=a_list(NOTIFICATION),
        )
    ),
    results=a_list(RESULT),
)
LOG = an_object("version runs", **{"$schema": URI, "version": {"enum": ["2.1.0"]}, "runs": a_list(RUN)})


EMPTY = a_report()
ALL_RULES = a_report(*(a_finding(severity) for severity in Severity), ODD, ARGUMENT, rules=all_rules())
ABSOLUTE = a_report(a_finding(file="/srv/a b/é.yaml"), a_finding(file="<stdin>"), a_finding(line=0, column=0))


@pytest.mark.parametrize("report", [EMPTY, WHOLE, ALL_RULES, ABSOLUTE], ids=["empty", "whole", "rules", "absolute"])
def test_a_log_is_valid(report: Any) -> None:
    log = json.loads(shown("sarif", report))

    jsonschema.Draft202012Validator(LOG).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        if "ruleIndex" in result:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    for uri in re.findall(r'"uri": "([^"]*)"', shown("sarif", report)):
        assert urlsplit(uri).scheme in ("", "file")
        assert re.fullmatch(r"(?:[^%]|%[0-9A-F]{2})*", uri)


def test_what_the_schema_does_not_know_is_refused() -> None:
    log = json.loads(shown("sarif", WHOLE))
    log["runs"][0]["results"][0]["severity"] = "error"

    with pytest.raises(jsonschema.ValidationError, match="'severity' was unexpected"):
        jsonschema.Draft202012Validator(LOG).validate(log)
