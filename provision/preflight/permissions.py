"""Whether who runs this may do what the plan does: write and delete its resources, and join those of others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provision.arm import GROUPS, PEERINGS, SCALE_SETS, ResourceId
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.addresses import subnet_of
from provision.preflight.model import Check, Item, Member, Question, Row, Status
from provision.source import Path

RULE = Rule(
    id="permission-missing",
    severity=Severity.ERROR,
    why="Azure refuses each request for whose action the identity has no role, also when it only joins what others own",
    link="https://learn.microsoft.com/azure/role-based-access-control/resource-provider-operations",
    what="each action that the plan needs and the identity may not do",
    remedy="give the identity a role that has the action, at the scope that is named; a new role takes minutes",
)
_PERMISSIONS = "Microsoft.Authorization/permissions"


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    for number, member in enumerate(members):
        for scope, (actions, at) in _needed(member).items():
            question = Question(f"{scope}/providers/{_PERMISSIONS}", _PERMISSIONS, may_be_absent=True)
            id = ResourceId(scope)
            where = "the subscription" if scope.count("/") == 2 else f"{id.type.rpartition('/')[2]} {id.name}"
            yield Item(
                f"roles on {where}",
                at,
                (question,),
                lambda found, actions=actions, where=where, at=at, number=number: [
                    _row(found, actions, where, at, number)
                ],
                number,
            )


def _needed(member: Member) -> dict[str, tuple[set[str], Path]]:
    """Return the actions that the plan needs by the scope at which they are asked for, with what needs them."""
    found: dict[str, tuple[set[str], Path]] = {}
    subscription = f"/subscriptions/{member.subscription}"
    groups = member.observed.groups

    def need(scope: str, action: str, at: Path) -> None:
        found.setdefault(scope, (set(), at))[0].add(action)

    for operation in member.plan.operations:
        target = operation.target
        exists = target.group_id.key in groups
        # In a group that is still to be made, only roles on the subscription can count.
        scope = str(target.group_id) if exists and target.type != GROUPS else subscription
        verb = "delete" if operation.kind.startswith("delete") else "write"
        if operation.kind in ("put-group", "put-stack", "delete", "delete-group", "delete-stack"):
            need(scope, f"{_action_type(target.type)}/{verb}", ("subscription",))
        if operation.kind == "delete-instances":
            need(scope, f"{target.type}/delete/action", ("subscription",))
        if operation.kind == "put-stack":
            need(scope, "Microsoft.Resources/deployments/write", ("subscription",))
    written = {(op.region, op.unit) for op in member.plan.operations if op.kind == "put-stack"}
    ours = {stated.id.key for stated in member.stated()}
    for stated in member.stated():
        if (stated.unit.region, stated.unit.name) not in written:
            continue
        scope = str(stated.id.group_id) if stated.id.group_id.key in groups else subscription
        need(scope, f"{stated.id.type}/write", ("subscription",))
        if stated.id.type == SCALE_SETS and (subnet := subnet_of(stated)).key not in ours:
            at: Path = ("regions", stated.unit.region, "subnets", "nodes")
            need(str(subnet), "Microsoft.Network/virtualNetworks/subnets/join/action", at)
        if stated.id.type == PEERINGS:
            remote = ResourceId(stated.body["properties"]["remoteVirtualNetwork"]["id"])
            if remote.key not in ours:
                need(str(remote), "Microsoft.Network/virtualNetworks/peer/action", stated.unit.origin)
        for identity in (stated.body.get("identity") or {}).get("userAssignedIdentities") or ():
            action = "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action"
            need(identity, action, (*stated.unit.origin, "identities"))
    return found


def _action_type(type: str) -> str:
    return "Microsoft.Resources/subscriptions/resourceGroups" if type == GROUPS else type


def _row(found: Iterable[Mapping[str, Any]] | None, actions: Iterable[str], where: str, at: Path, member: int) -> Row:
    subject = f"roles on {where}"
    if found is None:
        message = "it is not there, or may not be seen"
        return Row(RULE.id, subject, Status.FAIL, message, at, "check the id, or have a role given on it", member)
    grants = list(found)
    missing = sorted(action for action in set(actions) if not any(_grants(grant, action) for grant in grants))
    if not missing:
        count = len(set(actions))
        return Row(
            RULE.id, subject, Status.PASS, f"all {count} actions that the plan needs are allowed", at, "", member
        )
    told = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
    return Row(
        RULE.id, subject, Status.FAIL, f"not allowed: {told}", at, f"have a role with them given on {where}", member
    )


def _grants(grant: Mapping[str, Any], action: str) -> bool:
    return _matches(grant.get("actions") or (), action) and not _matches(grant.get("notActions") or (), action)


def _matches(patterns: Iterable[str], action: str) -> bool:
    """Return whether one of the patterns, in which `*` stands for anything, is an action; case does not count."""
    return any(
        re.fullmatch(".*".join(map(re.escape, str(pattern).split("*"))), action, re.IGNORECASE) for pattern in patterns
    )


PERMISSIONS = Check(RULE, _items)
