"""Plans of one run in the formats that `plan` has: as text, as JSON, and as Markdown for a pull request."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from provision.plan.document import document_of
from provision.plan.model import Plan
from provision.preflight import Row
from provision.report.markdown import escaped
from provision.report.plan import plan_as_text, verdict
from provision.report.preflight import rows_as_json, table_of

#: A comment on GitHub holds 65,536 characters; of a longer plan the beginning is shown, where its dangers stand.
_MOST = 60_000


def plans_shown(name: str, plans: Sequence[Plan], rows: Sequence[Row], *, colour: bool = False) -> str:
    """Return plans in one of the formats of `plan`; `rows` are of the checks, each with its plan's number."""
    if name == "text":
        return "".join(plan_as_text(plan, colour) for plan in plans)
    of_plans = [[row for row in rows if row.member == number] for number in range(len(plans))]
    if name == "markdown":
        most = _MOST // len(plans)
        return "\n".join(_markdown(plan, of_plan, most) for plan, of_plan in zip(plans, of_plans, strict=True))
    documents = [
        {**document_of(plan), "checks": rows_as_json(of_plan)} for plan, of_plan in zip(plans, of_plans, strict=True)
    ]
    whole = documents[0] if len(documents) == 1 else {"format_version": 1, "plans": documents}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _markdown(plan: Plan, rows: Sequence[Row], most: int) -> str:
    what = "provision destroy" if plan.destroys else "provision plan"
    text = plan_as_text(plan)
    if len(text) > most:
        text = f"{text[:most].rpartition(chr(10))[0]}\n… the rest is too long for a comment\n"
    checks = table_of(rows, only_worse=True)
    return (
        f"### {what}: {escaped(plan.environment)}: {escaped(verdict(plan))}\n\n"
        f"{_fenced(checks)}\n<details><summary>The whole plan</summary>\n\n{_fenced(text)}\n</details>\n"
    )


def _fenced(text: str) -> str:
    """Return text as a block of code, whatever backquotes stand in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}{fence}\n"
