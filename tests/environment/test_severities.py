"""How much a finding counts where the environment says otherwise than the rule."""

from __future__ import annotations

import pytest

from provision.adapters.files import load_catalog
from provision.findings import Severity
from provision.pipeline import Checked, check
from tests.support.worlds import KEY, QUICK

LATEST = "    image: microsoft-dsvm:ubuntu-hpc:2204:latest\n"


def checked(text: str) -> Checked:
    return check("env.yaml", lambda path: text if path == "env.yaml" else KEY, load_catalog())


def severities(result: Checked) -> dict[str, Severity]:
    return {finding.rule: finding.severity for finding in result.findings}


@pytest.mark.parametrize("severity", Severity)
def test_a_rules_findings_count_as_the_environment_says(severity: Severity) -> None:
    result = checked(f"{QUICK}{LATEST}severity: {{image-version-latest: {severity.value}}}\n")

    assert severities(result)["image-version-latest"] is severity
    assert severities(result)["no-way-in"] is Severity.WARNING
    assert (result.topology is None) is (severity is Severity.ERROR)


def test_what_nothing_can_go_on_with_stays_an_error() -> None:
    result = checked(f"{QUICK.replace('southcentralus', 'nowhere')}severity: {{region-unknown: info}}\n")

    assert severities(result)["region-unknown"] is Severity.ERROR
    assert severities(result)["severity-not-settable"] is Severity.WARNING


def test_a_severity_that_there_is_not_is_told() -> None:
    assert severities(checked(f"{QUICK}severity: {{no-way-in: fatal}}\n"))["invalid-value"] is Severity.ERROR
