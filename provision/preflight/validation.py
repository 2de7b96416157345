"""What Azure itself says of what is to be deployed: its validation, policies included, one request a group."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from provision.arm import ResourceId, group_id, innermost
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Status
from provision.render import Unit
from provision.source import Path

RULE = Rule(
    id="azure-refuses",
    severity=Severity.ERROR,
    why="Azure's own validation finds what it would refuse at deployment: policies, quotas, locks, properties",
    link="https://learn.microsoft.com/azure/azure-resource-manager/templates/deployment-tutorial-local-template",
    what="what Azure's validation refuses of the units that would be deployed",
    remedy="do what Azure's message says",
)
_DEPLOYMENTS = "Microsoft.Resources/deployments"
#: What a validation says of a resource that another unit of the same run is still to make.
_STILL_TO_COME = frozenset({"invalidresourcereference", "resourcenotfound", "notfound", "parentresourcenotfound"})


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    for number, member in enumerate(members):
        written = {(op.region, op.unit) for op in member.plan.operations if op.kind == "put-stack"}
        groups: dict[str, list[Unit]] = {}
        for unit in member.units:
            if (unit.region, unit.name) in written:
                groups.setdefault(unit.group, []).append(unit)
        for name, units in groups.items():
            group = group_id(member.subscription, name)
            at = units[0].origin
            if group.key not in member.observed.groups:
                rows = [_later(name, at, number)]
                yield Item(f"group {name}", at, (), lambda rows=rows: rows, number)
                continue
            for index, part in enumerate(_parts(units, catalog)):
                path = f"{group}/providers/{_DEPLOYMENTS}/{units[0].stack}-check-{index}/validate"
                yield Item(
                    f"group {name}",
                    at,
                    (Question(path, _DEPLOYMENTS, body=_body(part)),),
                    lambda found, name=name, part=part, number=number: _rows(found, name, part, number),
                    number,
                )


def _parts(units: Sequence[Unit], catalog: Catalog) -> Iterator[list[Unit]]:
    """Yield the units in portions that each fit into one template."""
    most, size = catalog.limits["template_resources"], catalog.limits["template_bytes"] * 9 // 10
    part: list[Unit] = []
    count = length = 0
    for unit in units:
        resources = len(unit.template["resources"])
        weight = len(json.dumps(unit.template))
        if part and (count + resources > most or length + weight > size):
            yield part
            part, count, length = [], 0, 0
        part, count, length = [*part, unit], count + resources, length + weight
    if part:
        yield part


def _body(units: Iterable[Unit]) -> Mapping[str, Any]:
    listed = list(units)
    template = {**listed[0].template, "resources": [each for unit in listed for each in unit.template["resources"]]}
    properties = {
        "mode": "Incremental",
        "template": template,
        "parameters": {"provision": {"value": {}}},
        # Roles are a check of their own, so that who may only read can have this one made.
        "validationLevel": "ProviderNoRbac",
    }
    return {"properties": properties}


def _later(group: str, at: Path, member: int) -> Row:
    message = "is still to be made, and Azure validates nothing in a group that there isn't"
    return Row(RULE.id, f"group {group}", Status.PASS, message, at, member=member)


def _rows(found: Mapping[str, Any] | None, group: str, units: Sequence[Unit], member: int) -> Iterator[Row]:
    error = (found or {}).get("error")
    stated = {str(resource["name"]).lower(): unit for unit in units for resource in unit.template["resources"]}
    told = 0
    for code, message, target in dict.fromkeys(innermost(error)) if error else ():
        name = ResourceId(target).full_name.lower() if target.startswith("/") else target.lower()
        if code.lower() in _STILL_TO_COME and _names(message, stated):
            continue
        told += 1
        unit = stated.get(name) or next((unit for key, unit in stated.items() if f"'{key}'" in message.lower()), None)
        subject = f"{unit.name} in {unit.region}" if unit else f"group {group}"
        at = unit.origin if unit else units[0].origin
        yield Row(RULE.id, subject, Status.FAIL, f"{code}: {message}", at, "do what Azure says", member)
    if not told:
        count = len(stated)
        yield Row(
            RULE.id,
            f"group {group}",
            Status.PASS,
            f"Azure would take all {count} resources",
            units[0].origin,
            "",
            member,
        )


def _names(message: str, stated: Iterable[str]) -> bool:
    """Return whether a message is about something that this run states."""
    text = message.lower()
    return any(part in text for name in stated for part in {name, name.rpartition("/")[2]})


VALIDATION = Check(RULE, _items)
