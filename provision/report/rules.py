"""Rules as text: one in full, or all in a list."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from provision.findings import Rule

_WIDTH = 110


def explained(rule: Rule) -> str:
    """Return what a rule finds, why that matters and where it is written, and what to do about it."""
    link = f"         {rule.link}\n" if rule.link else ""
    return (
        f"{rule.id}: {rule.severity.value}\n"
        f"{_paragraph('finds', rule.what)}{_paragraph('why', rule.why)}{link}{_paragraph('fix', rule.remedy)}"
    )


def listed(rules: Sequence[Rule]) -> str:
    """Return one line a rule: id, severity, what it finds."""
    width = max((len(rule.id) for rule in rules), default=0)
    return "".join(f"{rule.id:{width}}  {rule.severity.value:7}  {rule.what}\n" for rule in rules)


def _paragraph(label: str, text: str) -> str:
    lines = textwrap.wrap(" ".join(text.split()), _WIDTH - 9, break_long_words=False, break_on_hyphens=False)
    indent = "\n" + " " * 9
    return f"  {label + ':':6} {indent.join(lines)}\n"


def page_of(rule: Rule, wrong: str, told: str) -> str:
    """Return a rule's page in Markdown; `wrong` is a file that it finds fault with, `told` what is said of it."""
    suppress = (
        "A finding that is known and accepted is suppressed by rule and path in `suppress`, with a reason and a day."
        if rule.suppressible
        else "It can't be suppressed: nothing can go on with what it reports."
    )
    link = f"\nSource: <{rule.link}>\n" if rule.link else ""
    return (
        f"# {rule.id}\n\n"
        f"Severity: {rule.severity.value}. Finds {rule.what}.\n\n"
        f"**Why:** {rule.why}.\n{link}\n"
        f"**How to fix it:** {rule.remedy}.\n\n{suppress}\n\n"
        f"## Example\n\n```yaml\n{wrong.rstrip()}\n```\n\n```text\n{told.rstrip()}\n```\n"
    )


def index_of(rules: Sequence[Rule]) -> str:
    """Return the page that lists all rules in Markdown."""
    rows = "".join(f"| [{rule.id}]({rule.id}.md) | {rule.severity.value} | {rule.what} |\n" for rule in rules)
    return (
        "# Rules\n\nWhat `provision validate` checks. `provision explain RULE` tells the same in a terminal.\n\n"
        f"| rule | severity | finds |\n|---|---|---|\n{rows}"
    )
