"""What Azure itself says of the rendered units before it is asked to deploy them: its validate, policies included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from provision.arm import group_id, innermost
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Status
from provision.render import Unit

RULE = Rule(
    id="azure-refuses",
    severity=Severity.ERROR,
    why="Azure's own validation finds what it would refuse at deployment: policies, quotas, locks, properties",
    link="https://learn.microsoft.com/azure/azure-resource-manager/templates/deployment-tutorial-local-template",
    what="each unit that Azure's validation refuses",
    remedy="do what Azure's message says",
)
_DEPLOYMENTS = "Microsoft.Resources/deployments"


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    for number, member in enumerate(members):
        written = {(op.region, op.unit) for op in member.plan.operations if op.kind == "put-stack"}
        for unit in member.units:
            if (unit.region, unit.name) not in written:
                continue
            group = group_id(member.topology.subscription, unit.group)
            subject = f"{unit.name} in {unit.region}"
            if group.key not in member.observed.groups:
                yield Item(subject, unit.origin, (), lambda u=unit, s=subject, n=number: [_later(u, s, n)], number)
                continue
            body = {
                "properties": {
                    "mode": "Incremental",
                    "template": unit.template,
                    "parameters": {"provision": {"value": {}}},
                }
            }
            path = f"{group}/providers/{_DEPLOYMENTS}/{unit.stack}/validate"
            yield Item(
                subject,
                unit.origin,
                (Question(path, _DEPLOYMENTS, body=body),),
                lambda found, u=unit, s=subject, n=number: _rows(found, u, s, n),
                number,
            )


def _later(unit: Unit, subject: str, member: int) -> Row:
    message = "its group is still to be made, and Azure validates nothing in a group that there isn't"
    return Row(RULE.id, subject, Status.PASS, message, unit.origin, member=member)


def _rows(found: Mapping[str, Any] | None, unit: Unit, subject: str, member: int) -> Iterator[Row]:
    error = (found or {}).get("error")
    if not error:
        yield Row(RULE.id, subject, Status.PASS, "Azure would take it", unit.origin, member=member)
        return
    for code, message, target in dict.fromkeys(innermost(error)):
        told = f"{code}: {message}" + (f" ({target})" if target and target not in message else "")
        yield Row(RULE.id, subject, Status.FAIL, told, unit.origin, "do what Azure says", member)


VALIDATION = Check(RULE, _items)
