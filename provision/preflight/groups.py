"""Whether each resource group can be made or used: not somebody else's, not on its way out, in the right place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provision.arm import GROUPS
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.plan.observed import mark_of
from provision.preflight.model import Check, Item, Member, Question, Row, Status

RULE = Rule(
    id="group-not-free",
    severity=Severity.ERROR,
    why="a group's name is unique in its subscription, its location never changes, and nothing can be made in one that "
    "is being deleted",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/manage-resource-groups-portal",
    what="each resource group that is not ours, being deleted, in another place, or given and not there",
    remedy="rename the environment, wait for the deletion, or have the group made",
)


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    for number, member in enumerate(members):
        if not member.groups:
            continue  # a saved plan has been checked, and holds what it rests on
        question = Question(f"/subscriptions/{member.subscription}/resourcegroups", GROUPS)
        yield Item(
            "resource groups",
            ("name",),
            (question,),
            lambda groups, number=number, member=member: _rows(groups, number, member),
            number,
        )


def _rows(groups: Iterable[Mapping[str, Any]], number: int, member: Member) -> Iterator[Row]:
    there = {str(body["name"]).lower(): body for body in groups}
    for wanted in member.groups:
        status, message, fix = _judged(
            there.get(wanted.name.lower()), wanted.location, wanted.given, member.environment
        )
        yield Row(RULE.id, f"group {wanted.name}", status, message, wanted.at, fix, number)


def _judged(body: Mapping[str, Any] | None, location: str, given: bool, environment: str) -> tuple[Status, str, str]:
    if body is None:
        if given:
            return (
                Status.FAIL,
                "there is no such group, or it may not be seen",
                "have its owner make it, or check its name",
            )
        return Status.PASS, "is free, and will be made", ""
    state = str((body.get("properties") or {}).get("provisioningState", ""))
    if state.lower() == "deleting":
        return Status.FAIL, "is being deleted", "wait until it is gone, which takes minutes"
    if given:
        return Status.PASS, "is there", ""
    if mark_of(body) != environment:
        return (
            Status.FAIL,
            "exists and is not ours",
            "take it over with provision adopt, give it in resource_group, or rename",
        )
    place = str(body.get("location", "")).replace(" ", "").lower()
    if place != location:
        return Status.FAIL, f"stands in {place}, and would have to stand in {location}", "delete it, or rename"
    return Status.PASS, "is ours", ""


GROUPS_FREE = Check(RULE, _items)
