"""A plan and a status in several formats at once: the text for the log, a file for each that goes on with it."""

from __future__ import annotations

import json

from tests.e2e.conftest import Azure, Shell
from tests.support.worlds import QUICK


def test_a_plan_goes_to_the_terminal_and_to_files_at_once(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    shown = ["--format=text", "--format=json=plan.json", "--format=markdown=plan.md"]

    assert provision("plan", *shown, "--set", "tags.owner='```'", "quick.yaml") == 0

    assert provision.out.startswith("Plan for quick in subscription ")
    document = json.loads((provision.folder / "plan.json").read_text("utf-8"))
    assert document["environment"] == "quick"
    assert {row["status"] for row in document["checks"]} == {"pass"}
    markdown = (provision.folder / "plan.md").read_text("utf-8")
    assert markdown.startswith(
        "### provision plan: quick: 8 to create; nodes 0 → 2\n\n```text\nchecked against Azure: "
    )
    inside = markdown.partition("<summary>The whole plan</summary>")[2]
    assert inside.startswith("\n\n````text\n" + provision.out.splitlines()[0])


def test_a_long_plan_in_markdown_stays_within_what_a_comment_holds(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK.replace("nodes: 2", "nodes: 9000").replace("ml}", "ml, more: " + "x" * 200 + "}"))

    provision("plan", "--skip-check=all", "--format=markdown", "quick.yaml", "--set", "pools.train.domain_size=20")

    assert len(provision.out) < 65_536
    assert "… the rest is too long for a comment" in provision.out


def test_a_status_goes_to_the_terminal_and_to_a_file_at_once(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)
    assert provision("apply", "--yes", "quick.yaml") == 0

    assert provision("status", "--format", "text", "--format", "json=status.json", "quick.yaml") == 0

    assert provision.out.startswith("quick: 2 of 2 nodes run and are healthy\n")
    assert json.loads((provision.folder / "status.json").read_text("utf-8"))["summary"]["healthy"] == 2


def test_a_format_that_there_is_not_is_refused_with_those_that_there_are(azure: Azure, provision: Shell) -> None:
    provision.write(QUICK)

    assert provision("plan", "--format", "sarif", "quick.yaml") == 64
    assert "'sarif' is not one of text, json, markdown" in provision.err
    assert provision("status", "--format", "markdown", "quick.yaml") == 64
