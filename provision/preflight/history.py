"""Whether each group's deployment history has room for the deployments of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from provision.arm import group_id
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.preflight.model import Check, Item, Member, Question, Row, Status
from provision.source import Path

RULE = Rule(
    id="deployment-history-full",
    severity=Severity.ERROR,
    why="a group remembers 800 deployments; Azure removes old ones by itself, but not under a lock",
    link="https://learn.microsoft.com/azure/azure-resource-manager/templates/deployment-history-deletions",
    what="each group whose history has no room for the deployments of the run",
    remedy="have old deployments deleted, or the lock taken away",
)
MOST = 800
#: From so many on Azure removes old ones by itself (the page above, 2021; read 2026-11-30), and a lock is felt.
_REMOVES_FROM = 775
_DEPLOYMENTS, _LOCKS = "Microsoft.Resources/deployments", "Microsoft.Authorization/locks"


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    for number, member in enumerate(members):
        needed = Counter(op.target.group_id.key for op in member.plan.operations if op.kind == "put-stack")
        origins = {group_id(member.subscription, unit.group): unit.origin for unit in member.units}
        for group, at in origins.items():
            if not needed[group.key] or group.key not in member.observed.groups:
                continue  # a group that is to be made has no history
            yield Item(
                f"group {group.name}",
                at,
                (
                    Question(f"{group}/providers/{_DEPLOYMENTS}", _DEPLOYMENTS),
                    Question(f"{group}/providers/{_LOCKS}", _LOCKS),
                ),
                lambda found, locks, name=group.name, count=needed[group.key], at=at, number=number: [
                    _row(found, locks, name, count, at, number)
                ],
                number,
            )


def _row(
    found: Iterable[Any], locks: Iterable[Mapping[str, Any]], name: str, needed: int, at: Path, member: int
) -> Row:
    count, lock = len(list(found)), next(iter(locks), None)
    numbers = {"required": needed, "used": count, "limit": MOST}
    told = f"{needed} deployments are added to {count}; a group remembers {MOST}"
    if count + needed <= _REMOVES_FROM:
        return Row(RULE.id, f"group {name}", Status.PASS, told, at, "", member, numbers)
    if lock is None:
        return Row(
            RULE.id,
            f"group {name}",
            Status.PASS,
            f"{told}, and Azure removes old ones by itself",
            at,
            "",
            member,
            numbers,
        )
    held = f"{told}, and the lock {lock.get('name')} keeps Azure from removing old ones"
    fix = "have old deployments deleted, or the lock taken away"
    status = Status.WARN if count + needed <= MOST else Status.FAIL
    return Row(RULE.id, f"group {name}", status, held, at, fix, member, numbers)


HISTORY = Check(RULE, _items)
