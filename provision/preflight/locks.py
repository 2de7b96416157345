"""Whether a lock stands in the way of what the plan writes or deletes. No lock is ever removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provision.arm import ResourceId
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Status

RULE = Rule(
    id="lock-in-the-way",
    severity=Severity.ERROR,
    why="under a ReadOnly lock nothing is written, under CanNotDelete nothing deleted, nor beneath what is locked",
    link="https://learn.microsoft.com/azure/azure-resource-manager/management/lock-resources",
    what="each lock that an operation of the plan would run into",
    remedy="whoever put the lock there takes it away; provision never does",
)
_LOCKS = "Microsoft.Authorization/locks"
_DELETING = frozenset({"delete", "delete-group", "delete-stack"})


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    for number, member in enumerate(members):
        path = f"/subscriptions/{member.subscription}/providers/{_LOCKS}"
        yield Item(
            "locks",
            ("subscription",),
            (Question(path, _LOCKS),),
            lambda locks, number=number, member=member: _rows(locks, number, member),
            number,
        )


def _rows(locks: Iterable[Mapping[str, Any]], number: int, member: Member) -> Iterator[Row]:
    met = 0
    for lock in locks:
        scope = str(lock["id"]).lower().partition("/providers/microsoft.authorization/locks/")[0]
        level = str((lock.get("properties") or {}).get("level", ""))
        read_only = level.lower() == "readonly"
        hit = [
            operation
            for operation in member.plan.operations
            if (read_only or operation.kind in _DELETING) and _beneath(operation.target, scope)
        ]
        if not hit:
            continue
        met += 1
        what = ResourceId(scope)
        where = "the subscription" if scope.count("/") == 2 else f"{what.type.rpartition('/')[2]} {what.name}"
        names = ", ".join(operation.target.name for operation in hit[:3]) + (" and others" if len(hit) > 3 else "")
        verb = "written or deleted" if read_only else "deleted"
        yield Row(
            RULE.id,
            f"lock {lock.get('name')} on {where}",
            Status.FAIL,
            f"is {level}, and {len(hit)} of the plan's operations would be refused: {names} can't be {verb}",
            ("subscription",),
            "have it taken away by whoever put it there",
            number,
            {"operations": len(hit)},
        )
    if not met:
        message = "no lock stands in the way of the plan"
        yield Row(RULE.id, f"locks of {member.environment}", Status.PASS, message, ("subscription",), "", number)


def _beneath(id: ResourceId, scope: str) -> bool:
    return id.key == scope or id.key.startswith(scope + "/")


LOCKS = Check(RULE, _items)
