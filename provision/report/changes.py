"""The table of changes as a page of documentation: what a change of each property means, why, and who says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from provision.catalog.changes import UNKNOWN, Policies, Policy, TypePolicies

_HEAD = """\
# What a change means

<!-- Made from provision/catalog/changes.yaml, by `pytest tests/contracts/test_changes.py --update-golden`. -->

`provision plan` names each change in Azure's terms by the rows below, as they were known on {read_on}. A row covers its
property and all beneath it. The longest path wins, and of one path the first row whose condition holds.

| action | what happens | consent |
|---|---|---|
| `update` | in place; running nodes are not touched | |
| `update-model` | the set's model changes; running nodes keep the old one until somebody upgrades them | |
| `roll` | the same where the upgrade mode is not `Manual`: Azure upgrades the nodes, one batch after the other | |
| `deallocate` | all nodes have to be deallocated before the apply, or Azure refuses it | `--allow deallocate` |
| `scale-in` | nodes are deleted, the set stays | `--allow delete` |
| `replace` | Azure refuses it in place: the resource is deleted and made again | `--allow replace` |

**A property without a row is the worst case**, `replace`, and its plan says so: {unknown}.
Of a resource that a unit of your own makes, `in_place` says which properties you know better about.

**What is no change:** Azure's defaults and what only Azure sets; the casing of ids, regions and what is marked
*no case*; the order of lists that have none (*set*, or elements told apart *by* a key). Of a list or map marked
*others' stay*, elements that are neither stated nor recorded are somebody else's, and are sent along. What is marked
*never shown* Azure doesn't give back, so it is compared with what was sent last.
"""


def changes_as_markdown(policies: Policies) -> str:
    """Return the page: how it is read, then one table for each type in the table's order, then the sources."""
    head = _HEAD.format(read_on=policies.read_on, unknown=f"*{UNKNOWN.why}*")
    types = "".join(_section(rows) for rows in policies.types.values())
    sources = "".join(f"- **{key}**: {what}\n" for key, what in policies.sources.items())
    return f"{head}{types}\n## Sources\n\n{sources}"


def _section(rows: TypePolicies) -> str:
    lines = "".join(_row(row) for found in rows.rows.values() for row in found)
    carried = ", ".join(f"`{path}`" for path in rows.carried)
    merges = (
        "A PUT merges deeply: what is left out is kept, and taking away means stating null. " if rows.merges else ""
    )
    taken_over = f"Taken over from Azure where others have set it: {carried}. " if carried else ""
    about = (merges + taken_over).strip()
    head = f"\n## {rows.name}\n\n[Azure's page]({rows.link})\n\n" + (f"{about}\n\n" if about else "")
    return f"{head}| property | when | action | why | compares | source |\n|---|---|---|---|---|---|\n{lines}"


def _row(row: Policy) -> str:
    action = "update-model, roll" if row.action == "model" else row.action
    cells = (f"`{row.path}`", _when(row), action, row.why, ", ".join(_comparing(row)), row.source)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _when(row: Policy) -> str:
    parts = []
    if isinstance(row.when, str):
        parts.append({"same-network": "within its virtual network"}.get(row.when, row.when))
    elif row.when is not None:
        parts += [f"{end} {_value(value)}" for end, value in row.when.items()]
    parts += [f"`{path}` is {_value(value)}" for path, value in row.beside.items()]
    return ", ".join(parts)


def _comparing(row: Policy) -> Iterator[str]:
    if row.key:
        yield f"by `{row.key}`"
    if row.set or row.words:
        yield "set"
    if row.fold:
        yield "no case"
    if row.keep or row.members or row.words:
        yield "others' stay"
    if row.hidden:
        yield "never shown"
    if row.default is not None:
        yield f"nothing is {_value(row.default)}"


def _value(value: Any) -> str:
    return "nothing" if value is None else f"`{value if isinstance(value, str) else json.dumps(value)}`"
