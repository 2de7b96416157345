"""What nobody means: megabytes in one value, numbers without measure, thousands of mistakes. Told soon and in short."""

from __future__ import annotations

import time

import pytest

from provision.adapters.files import load_catalog
from provision.pipeline import Checked, check
from provision.report.findings import as_text
from tests.support.worlds import KEY, QUICK

LONG = "x" * 1_000_000


def checked(text: str) -> Checked:
    return check("env.yaml", lambda path: text if path == "env.yaml" else KEY, load_catalog())


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        ("name: quick", f"name: {LONG}", "invalid-value"),
        ("name: quick", f"name: '{' ' * 1_000_000}'", "invalid-value"),
        ("owner: ml", f"owner: {LONG}", "tag-not-allowed"),
        ("owner: ml", "owner: '" + "{{" * 500_000 + "'", "tag-not-allowed"),
        ("owner: ml", "owner: '" + "${" * 500_000 + "'", "tag-not-allowed"),
        ("203.0.113.0/24", LONG, "invalid-value"),
        ("Standard_ND96isr_H100_v5", LONG, "size-unknown"),
        ("nodes: 2", "nodes: " + "1" * 1_000_000, "ambiguous-scalar"),
        ("nodes: 2", "nodes: 0" + "1" * 1_000_000 + "x", "wrong-type"),
        ("tags: {owner: ml}", f"? {LONG}\n: x", "unsupported-yaml"),
        ("nodes: 2", "nodes: 1000000000000", "invalid-value"),
        ("nodes: 2", "nodes: -1", "invalid-value"),
    ],
    ids=lambda value: value[:14],
)
def test_a_value_beyond_measure_is_told_soon_and_in_short(before: str, after: str, rule: str) -> None:
    began = time.perf_counter()
    findings = [finding for finding in checked(QUICK.replace(before, after)).findings if finding.rule == rule]

    assert len(findings) == 1
    assert len(as_text(findings)) < 3000
    assert time.perf_counter() - began < 10


def test_scale_sets_beyond_measure_are_counted_and_not_laid_out() -> None:
    pools = "".join(
        f"  p{n}: {{size: Standard_ND96isr_H100_v5, nodes: 10000, domain_size: 1, ssh_public_key_file: key.pub}}\n"
        for n in range(100)
    )
    found = [finding for finding in checked(QUICK + pools).findings if finding.path == "pools"]

    assert [(finding.rule, finding.message) for finding in found] == [
        ("invalid-value", "the pools come to 1,000,001 scale sets; at most 500,000 are laid out")
    ]


def test_thousands_of_mistakes_are_all_told() -> None:
    began = time.perf_counter()
    findings = checked(QUICK + "".join(f"  p{n}: {{size: 3, node: 3}}\n" for n in range(2000))).findings

    assert sum(finding.rule == "unknown-key" for finding in findings) == 2000
    assert time.perf_counter() - began < 30
