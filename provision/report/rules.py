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
