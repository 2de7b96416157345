"""What Azure itself says of what is to be deployed: its validation, policies included, one request a group."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from provision.arm import GROUPS, ResourceId, group_id, innermost, resource_id
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.plan import Operation
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
_OF_SUBSCRIPTION = "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#"
#: What a validation says of a resource that another unit of the same run is still to make.
_STILL_TO_COME = frozenset({"invalidresourcereference", "resourcenotfound", "notfound", "parentresourcenotfound"})


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    for number, member in enumerate(members):
        places = {wanted.name.lower(): wanted.at for wanted in member.groups}
        made = {op.target.key: op for op in member.plan.operations if op.kind == "put-group"}
        written = {(op.region, op.unit) for op in member.plan.operations if op.kind == "put-stack"}
        groups: dict[ResourceId, list[Unit]] = {op.target: [] for op in made.values()}
        for unit in member.units:
            if (unit.region, unit.name) in written:
                groups.setdefault(group_id(member.subscription, unit.group), []).append(unit)
        ours = frozenset(str(each["name"]).lower() for unit in member.units for each in unit.template["resources"])
        for count, (group, units) in enumerate(groups.items()):
            there = group.key in member.observed.groups
            if there and not units:
                continue  # only its tags change
            if not there and group.key not in made:
                continue  # a given group that there isn't, which is another check's business
            make = None if there else made[group.key]
            for index, part in enumerate(_parts(units, catalog) if units else [units]):
                at = places.get(group.name.lower(), part[0].origin if part else ("name",))
                name = f"provision-check-{number}-{count}-{index}"
                yield _item(name, group, make, part, ours, catalog, at, number)


def _item(
    name: str,
    group: ResourceId,
    make: Operation | None,
    units: Sequence[Unit],
    ours: frozenset[str],
    catalog: Catalog,
    at: Path,
    member: int,
) -> Item:
    """Return the validation of units in a group; where it is still to be made, of both, from the subscription.

    `name`: of the deployment that is validated, another for each question; `ours`: the names of all that the run makes.
    """
    stated = {_id(group, resource).key: unit for unit in units for resource in unit.template["resources"]}
    if make is None:
        scope, body = str(group), _in_group(units)
    else:
        scope = f"/subscriptions/{group.subscription}"
        body = _with_group(group, make.body or {}, units, catalog)
    path = f"{scope}/providers/{_DEPLOYMENTS}/{name}/validate"
    return Item(
        f"group {group.name}",
        at,
        (Question(path, _DEPLOYMENTS, body=body),),
        lambda found: _rows(found, group, make is not None, stated, ours, at, member),
        member,
    )


def _id(group: ResourceId, resource: Mapping[str, Any]) -> ResourceId:
    return resource_id(group.subscription, group.group, resource["type"], *str(resource["name"]).split("/"))


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


def _in_group(units: Sequence[Unit]) -> Mapping[str, Any]:
    """Return what is sent to have units validated in their group."""
    return {
        "properties": {
            "mode": "Incremental",
            "template": {
                **units[0].template,
                "resources": [each for unit in units for each in unit.template["resources"]],
            },
            "parameters": {"provision": {"value": {}}},
            # Roles are a check of their own, so that who may only read can have this one made.
            "validationLevel": "ProviderNoRbac",
        }
    }


def _with_group(
    group: ResourceId, body: Mapping[str, Any], units: Sequence[Unit], catalog: Catalog
) -> Mapping[str, Any]:
    """Return what is sent to have a group validated, and in it the units, as the deployment that would follow."""
    versions = catalog.api_versions
    made = {"type": GROUPS, "apiVersion": versions[GROUPS], "name": group.name, **body}
    inner = [
        {
            "type": _DEPLOYMENTS,
            "apiVersion": versions[_DEPLOYMENTS],
            "name": "provision-check-inside",
            "resourceGroup": group.name,
            "dependsOn": [str(group)],
            "properties": {
                "mode": "Incremental",
                "expressionEvaluationOptions": {"scope": "inner"},
                **{key: value for key, value in _in_group(units)["properties"].items() if key != "validationLevel"},
            },
        }
        for _ in units[:1]
    ]
    template = {"$schema": _OF_SUBSCRIPTION, "contentVersion": "1.0.0.0", "resources": [made, *inner]}
    properties = {"mode": "Incremental", "template": template, "validationLevel": "ProviderNoRbac"}
    return {"location": body["location"], "properties": properties}


def _rows(
    found: Mapping[str, Any] | None,
    group: ResourceId,
    to_be_made: bool,
    stated: Mapping[str, Unit],
    ours: frozenset[str],
    at: Path,
    member: int,
) -> Iterator[Row]:
    error = (found or {}).get("error")
    units = {ResourceId(id).full_name: unit for id, unit in stated.items()}
    told = 0
    for code, message, target in dict.fromkeys(innermost(error)) if error else ():
        name = ResourceId(target).full_name.lower() if target.startswith("/") else target.lower()
        if code.lower() in _STILL_TO_COME and _names(message, ours):
            continue
        told += 1
        unit = next((unit for key, unit in units.items() if _is_about(key, name, message.lower())), None)
        subject = f"{unit.name} in {unit.region}" if unit else f"group {group.name}"
        blamed = unit.origin if unit else at
        yield Row(RULE.id, subject, Status.FAIL, f"{code}: {message}", blamed, "do what Azure says", member)
    if told:
        return
    subject = f"group {group.name}"
    left_out = _left_out(found, stated) if to_be_made and not error else 0
    if left_out:
        message = (
            f"Azure looked at {len(stated) - left_out} of {len(stated)} resources, as the group is still to be made; "
            "what a policy denies of the others shows at apply"
        )
        yield Row(RULE.id, subject, Status.WARN, message, at, "make the group first, and check again", member)
        return
    what = f"the group and all {len(stated)} resources in it" if to_be_made else f"all {len(stated)} resources"
    told_of = what if stated else "the group"
    yield Row(RULE.id, subject, Status.PASS, f"Azure would take {told_of}", at, "", member)


def _left_out(found: Mapping[str, Any] | None, stated: Mapping[str, Unit]) -> int:
    """Return how many resources Azure does not say that it has validated: it may stop at a group that isn't there."""
    validated = ((found or {}).get("properties") or {}).get("validatedResources") or ()
    return len(stated.keys() - {str(each.get("id")).lower() for each in validated})


def _is_about(full_name: str, target: str, message: str) -> bool:
    """Return whether an error is about a resource: of a child, a policy names the last segment only."""
    last = full_name.rpartition("/")[2]
    return target in (full_name, last) or any(f"'{name}'" in message for name in (full_name, last))


def _names(message: str, stated: Iterable[str]) -> bool:
    """Return whether a message is about something that this run states."""
    text = message.lower()
    return any(part in text for name in stated for part in {name, name.rpartition("/")[2]})


VALIDATION = Check(RULE, _items)
