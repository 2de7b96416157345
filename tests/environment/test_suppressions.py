"""Findings that the file accepts: by rule and path, for a reason, until a day."""

from __future__ import annotations

from datetime import date

import pytest

from provision.adapters.files import load_catalog
from provision.pipeline import Checked, check
from tests.support.worlds import KEY, QUICK

LATEST = "    image: microsoft-dsvm:ubuntu-hpc:2204:latest\n"
TODAY = date(2026, 11, 30)


def checked(*suppressions: str, text: str = QUICK + LATEST, today: date | None = TODAY) -> Checked:
    text += "suppress:\n" + "".join(f"  - {{{each}, reason: known}}\n" for each in suppressions)
    return check("env.yaml", lambda path: text if path == "env.yaml" else KEY, load_catalog(), today=today)


def rules(result: Checked) -> list[str]:
    ours = ("image-version-latest", "suppression-expired", "suppression-unused", "job-exceeds-placement-group")
    return [finding.rule for finding in result.findings if finding.rule in ours]


@pytest.mark.parametrize("at", ["pools", "pools.train", "pools.train.image"])
def test_a_finding_at_or_beneath_the_path_is_suppressed_with_its_reason(at: str) -> None:
    result = checked(f"rule: image-version-latest, at: {at}, until: 2026-12-01")

    assert rules(result) == []
    assert [(each.finding.rule, each.finding.path, each.reason, each.until) for each in result.suppressed] == [
        ("image-version-latest", "pools.train.image", "known", date(2026, 12, 1))
    ]


@pytest.mark.parametrize("at", ["pools.tra", "pools.train.image.x", "pools.other", "regions"])
def test_another_path_suppresses_nothing_and_is_told(at: str) -> None:
    assert rules(checked(f"rule: image-version-latest, at: {at}")) == ["image-version-latest", "suppression-unused"]


@pytest.mark.parametrize(
    ("until", "found"),
    [
        ("2026-11-30", []),
        ("2026-11-29", ["image-version-latest", "suppression-expired"]),
    ],
)
def test_the_last_day_still_counts_and_the_next_is_an_error(until: str, found: list[str]) -> None:
    result = checked(f"rule: image-version-latest, at: pools, until: {until}")

    assert rules(result) == found
    assert (result.environment is None) == bool(found)


def test_without_a_date_of_today_nothing_is_expired() -> None:
    assert rules(checked("rule: image-version-latest, at: pools, until: 2020-01-01", today=None)) == []


def test_an_error_that_is_suppressed_does_not_stop_a_run() -> None:
    text = QUICK + "    job_size: 200\n"

    assert checked(text=text + LATEST).environment is None
    assert checked("rule: job-exceeds-placement-group, at: pools", text=text).topology is not None


@pytest.mark.parametrize("rule", ["unknown-key", "wrong-type", "size-unknown"])
def test_what_nothing_can_go_on_with_is_not_suppressed(rule: str) -> None:
    text = QUICK.replace("Standard_ND96isr_H100_v5", "Standard_Nothing") + "    speed: 9\n    protect: 1\n"
    result = checked(f"rule: {rule}, at: pools", text=text)

    assert rule in [finding.rule for finding in result.findings]
    assert result.suppressed == ()


def test_while_the_file_has_mistakes_no_suppression_is_called_unused() -> None:
    assert rules(checked("rule: image-version-latest, at: pools.none", text=QUICK + "    speed: 9\n")) == []


@pytest.mark.parametrize(
    ("until", "rule", "message"),
    [
        ("2026-02-30", "invalid-value", "suppress[0].until is 2026-02-30, a day that there isn't"),
        ("soon", "wrong-type", 'suppress[0].until is the text "soon"; a date is wanted'),
        ("20261130", "wrong-type", "suppress[0].until is the number 20261130; a date is wanted"),
    ],
)
def test_a_last_day_that_is_none_is_told(until: str, rule: str, message: str) -> None:
    result = checked(f"rule: image-version-latest, at: pools, until: {until}")

    assert [(f.rule, f.message) for f in result.findings if f.path == "suppress[0].until"] == [(rule, message)]
