"""Whether who runs this is still let in when the run is over, as far as its length can be estimated."""

from __future__ import annotations

import math
from collections.abc import Iterator

from provision.arm import Login
from provision.catalog import Catalog
from provision.findings import Rule, Severity
from provision.plan import Plan
from provision.preflight.model import Check, Item, LoginQuestion, Member, Row, Status

RULE = Rule(
    id="login-too-short",
    severity=Severity.ERROR,
    why="a token lives about an hour; where no new one can be had, Azure refuses everything in the middle of the run",
    link="https://learn.microsoft.com/entra/identity-platform/configurable-token-lifetimes",
    what="each run that is estimated to take longer than its login gives tokens",
    remedy="use a managed identity or a secret, or log in right before a run of fewer changes",
)
_AT = ("subscription",)
#: Azure's times scatter, so a login has to last for so many times the estimate; and seconds for the lock and for looks
#: at whether lists show what was done.
_MARGIN, _AROUND_S = 2.0, 180.0


def _items(members: tuple[Member, ...], catalog: Catalog) -> Iterator[Item]:
    for number, member in enumerate(members):
        if member.plan.operations:
            yield Item(
                f"login for {member.environment}",
                _AT,
                (LoginQuestion(member.subscription),),
                lambda login, member=member, number=number: [_row(login, member, number)],
                number,
            )


def _row(login: Login, member: Member, number: int) -> Row:
    needed = _needed_min(member.plan)

    def row(status: Status, told: str, fix: str = "") -> Row:
        message = f"{told}; the run may take {needed} min"
        numbers = {"required_min": needed, **({} if math.isinf(login.lasts_s) else {"lasts_min": lasts})}
        return Row(RULE.id, f"login for {member.environment}", status, message, _AT, fix, number, numbers)

    if math.isinf(login.lasts_s):
        return row(Status.PASS, f"{login.how} renews its tokens")
    lasts = max(0, math.floor(login.lasts_s / 60))
    if lasts >= needed:
        return row(Status.PASS, f"{login.how} lasts for {lasts} min")
    if login.ends:
        return row(
            Status.FAIL,
            f"{login.how} ends in {lasts} min, and nothing here can renew it",
            "use a managed identity or a secret; or log in anew, apply, and apply again what that leaves undone",
        )
    return row(
        Status.COULD_NOT_RUN,
        f"{login.how} lasts for {lasts} min, and whether it can be renewed then is not known",
        f"if it can be, give --skip-check {RULE.id}; else use a managed identity or a secret",
    )


LOGIN = Check(RULE, _items)


def _needed_min(plan: Plan) -> int:
    """Return for how many minutes a login has to last."""
    return math.ceil((_MARGIN * plan.assessment.estimate.seconds + _AROUND_S) / 60)
