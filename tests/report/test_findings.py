"""Findings as text and as JSON."""

from __future__ import annotations

import json

from provision.findings import Finding, Severity
from provision.report.findings import as_json, as_text


def a_finding(
    severity: Severity = Severity.ERROR,
    file: str = "environments/train.yaml",
    line: int = 14,
    column: int = 15,
    message: str = "pool train runs jobs of 128 nodes; one placement group in eastus holds 100",
    why: str = "InfiniBand joins only VMs of one placement group, and Azure caps it at 100 VMs until it is raised",
    link: str = "https://learn.microsoft.com/azure/virtual-machines/setup-infiniband",
    fix: str = "lower job_size to 100, or set placement_group_limit to what support has granted (up to 300)",
    source_line: str = "    job_size: 128",
) -> Finding:
    return Finding(
        rule="job-exceeds-placement-group",
        severity=severity,
        file=file,
        line=line,
        column=column,
        path="pools.train.job_size",
        message=message,
        why=why,
        link=link,
        fix=fix,
        source_line=source_line,
    )


def test_a_finding_says_where_what_why_and_how_to_fix_it() -> None:
    assert as_text([a_finding()]) == (
        "environments/train.yaml:14:15: error: pool train runs jobs of 128 nodes; "
        "one placement group in eastus holds 100 [job-exceeds-placement-group]\n"
        "   14 |     job_size: 128\n"
        "      |               ^^^\n"
        "  why: InfiniBand joins only VMs of one placement group, and Azure caps it at 100 VMs until it is raised\n"
        "       https://learn.microsoft.com/azure/virtual-machines/setup-infiniband\n"
        "  fix: lower job_size to 100, or set placement_group_limit to what support has granted (up to 300)\n"
        "\n"
        "1 error in 1 file\n"
    )


def test_the_last_line_counts() -> None:
    findings = [a_finding(), a_finding(Severity.WARNING), a_finding(file="b.yaml")]

    assert as_text(findings).splitlines()[-1] == "2 errors, 1 warning in 2 files"
    assert as_text([], files=3) == "no findings in 3 files\n"


def test_long_reasons_are_wrapped_under_their_beginning() -> None:
    text = as_text([a_finding(why="word " * 40, link="", fix="")])

    assert text.splitlines()[3:5] == ["  why: " + ("word " * 20).rstrip(), "       " + ("word " * 20).rstrip()]


def test_a_long_line_is_cut_around_what_it_is_about() -> None:
    line = "a: {" + "x: 1, " * 40 + "bad: 2}"
    text = as_text([a_finding(column=line.index("bad") + 1, source_line=line)])

    shown, caret = text.splitlines()[1:3]
    assert shown == "   14 | …" + line[-120:]
    assert shown[caret.index("^") :] == "bad: 2}"
    assert caret.strip(" |") == "^^^"


def test_nothing_that_steers_a_terminal_reaches_it() -> None:
    text = as_text([a_finding(message="name is \x1b[2J\u202e\r", file="a\x1bb.yaml", source_line="a: \x1b[31m")])

    assert text.splitlines()[:2] == [
        "a\\x1bb.yaml:14:15: error: name is \\x1b[2J\\u202e\\r [job-exceeds-placement-group]",
        "   14 | a:  [31m",
    ]


def test_colour_changes_nothing_but_colour() -> None:
    coloured = as_text([a_finding(), a_finding(Severity.WARNING)], colour=True)
    plain = coloured
    for code in ("\x1b[1m", "\x1b[31;1m", "\x1b[33;1m", "\x1b[0m"):
        assert code in coloured
        plain = plain.replace(code, "")

    assert plain == as_text([a_finding(), a_finding(Severity.WARNING)])


def test_json_has_the_published_shape() -> None:
    document = json.loads(as_json([a_finding()], files=2))

    assert document == {
        "format_version": 1,
        "findings": [
            {
                "rule": "job-exceeds-placement-group",
                "severity": "error",
                "file": "environments/train.yaml",
                "line": 14,
                "column": 15,
                "path": "pools.train.job_size",
                "message": "pool train runs jobs of 128 nodes; one placement group in eastus holds 100",
                "why": "InfiniBand joins only VMs of one placement group, and Azure caps it at 100 VMs until it "
                "is raised",
                "link": "https://learn.microsoft.com/azure/virtual-machines/setup-infiniband",
                "fix": "lower job_size to 100, or set placement_group_limit to what support has granted (up to 300)",
            }
        ],
        "suppressed": [],
        "summary": {"errors": 1, "warnings": 0, "files": 2},
    }
