"""How many requests are allowed: token buckets of Resource Manager's and of Compute's, which count every request.

A bucket holds so many requests and fills by itself, so many a second. Each answer says what is left. Whether an empty
bucket also refuses is the tester's `throttling`; without it, only where time passes by itself: while a virtual clock
stands still no bucket fills, whatever a client does.

Resource Manager's buckets are as large as live answers of April 2026 showed, one for each principal and one 15 times
as large for the subscription; they fill as slowly, for their size, as its documentation says (a tenth of the reads, a
twentieth of the rest in a second). Compute's are those of its documentation of 2024-05, each a minute's refill.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import errors
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.facts import location_name
from provision.simulator.state.ids import group_key
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import World
from provision.simulator.wire.messages import Json, Request
from provision.simulator.wire.times import iso_offset

GLOBALLY = 15
"""How many principals' budgets a subscription has."""
MOST_BUCKETS = 20_000

_ARM = {"reads": (1100, 110.0), "writes": (800, 40.0), "deletes": (800, 40.0)}
"""By class of request: how much a bucket holds, and how much flows in a second."""

_COMPUTE = {
    "CreateVMScaleSet": (375, 125, 12, 4),
    "UpdateVMScaleSet": (1500, 500, 12, 4),
    "DeleteVMScaleSet": (525, 175, 12, 4),
    "GetVMScaleSet": (2400, 800, 36, 12),
    "HighCostGetVMScaleSet": (1080, 360, 30, 10),
    "GetVMScaleSetVM": (24000, 8000, 36, 12),
    "UpdateVMScaleSetVM": (1500, 500, 12, 4),
    "DeleteVMScaleSetVM": (1500, 500, 12, 4),
    "GetOperation": (15000, 5000, 45, 15),
}
"""By policy: bucket and refill a minute of a subscription in a region, then of one resource."""

_SETS = "Microsoft.Compute/virtualMachineScaleSets"
_SUBSCRIPTION, _RESOURCE = "SubscriptionMaximum", "Resource"
_DELETING = frozenset({"delete", "deallocate", "poweroff"})


@dataclass(slots=True)
class Budget:
    """What one request takes, and the headers that say what it leaves."""

    world: World
    request: Request
    now: float
    headers: dict[str, str] = field(default_factory=dict)

    def take_of_gateway(self, caller: Caller, subscription: str | None) -> None:
        """Take from Resource Manager's buckets: those of the subscription, or of the tenant where there is none."""
        what = {"GET": "reads", "HEAD": "reads", "DELETE": "deletes"}.get(self.request.method, "writes")
        size, rate = budget_of(self.world, what, *_ARM[what])
        where, kind = (subscription, "subscription") if subscription else ("tenant", "tenant")
        taken = [
            _Bucket(f"{where}|{caller.object_id}|{what}", size, rate, f"{kind}-{what}"),
            _Bucket(f"{where}|{what}", size * GLOBALLY, rate * GLOBALLY, f"{kind}-global-{what}"),
        ]
        wait = _taken(self.world, taken, self.now)
        if subscription or what == "reads":  # what is written beside subscriptions is counted in silence
            self.headers |= {f"x-ms-ratelimit-remaining-{each.name}": str(_left(self.world, each)) for each in taken}
        if wait and refuses(self.world):
            raise errors.too_many_requests(what.rstrip("s"), where, caller.object_id, wait)

    def take_of_compute(self, call: Call, type_: str) -> None:
        """Take from Compute's buckets: the subscription's in a region, and the resource's. `type_`: in lower case."""
        name = call.params.get("name", "")
        resource = call.rid(_SETS, name).key if name else self.request.path.lower()
        policy = _policy(call, type_, exists=resource in self.world.resources)
        if policy is None:
            return
        most, refill, one, one_refill = _COMPUTE[policy]
        stated = (
            (f"{call.subscription.lower()}|{_region(call, resource)}|{policy}", most, refill, policy + _SUBSCRIPTION),
            (f"{resource}|{policy}", one, one_refill, policy + _RESOURCE),
        )
        taken = [_Bucket(key, *budget_of(self.world, name, size, rate / 60), name) for key, size, rate, name in stated]
        wait = _taken(self.world, taken, self.now)
        left = ",".join(f"Microsoft.Compute/{each.name};{_left(self.world, each)}" for each in taken)
        self.headers["x-ms-ratelimit-remaining-resource"] = left
        if wait and refuses(self.world):
            raise _too_many_for_compute(self.world, taken, self.now, wait)


@dataclass(frozen=True, slots=True)
class _Bucket:
    key: str
    size: int
    rate: float
    name: str


def refuses(world: World) -> bool:
    found: bool = world.setting("throttling", world.clock_runs)
    return found


def budget_of(world: World, name: str, size: int, rate: float) -> tuple[int, float]:
    """Return what a bucket holds and gains a second: Azure's numbers, or the tester's."""
    stated = world.setting("budgets", {}).get(name)
    return (int(stated[0]), float(stated[1])) if stated is not None else (size, rate)


def check_budget(name: str, stated: Any) -> None:
    """Raise ValueError where a budget is none that can be set."""
    known = {*_ARM, *(f"{policy}{end}" for policy in _COMPUTE for end in (_SUBSCRIPTION, _RESOURCE))}
    if name not in known:
        raise ValueError(f"there is no budget {name}; there are {', '.join(sorted(known))}")
    numbers = isinstance(stated, list) and len(stated) == 2 and all(type(each) in (int, float) for each in stated)
    if not numbers or stated[0] < 1 or stated[1] <= 0:
        raise ValueError(f"budgets.{name} is [what it holds, at least 1; what it gains a second, above 0]")


def _policy(call: Call, type_: str, *, exists: bool) -> str | None:
    """Return Compute's policy for a request; None where we know of none."""
    if type_ == "microsoft.compute/locations/operations":
        return "GetOperation"
    if not (type_ + "/").startswith(f"{_SETS.lower()}/"):
        return None
    inner = type_.removeprefix(_SETS.lower()).strip("/")
    of_instance = inner.startswith("virtualmachines")
    method, action = call.request.method, call.params.get("action", "").lower()
    if method == "GET":
        if of_instance:
            return "GetVMScaleSetVM" if "instance" in call.params else "HighCostGetVMScaleSet"
        return "GetVMScaleSet" if "name" in call.params and not inner else "HighCostGetVMScaleSet"
    deletes = method == "DELETE" or action in _DELETING
    if of_instance:
        return "DeleteVMScaleSetVM" if deletes else "UpdateVMScaleSetVM"
    if deletes:
        return "DeleteVMScaleSet"
    return "UpdateVMScaleSet" if exists or method != "PUT" else "CreateVMScaleSet"


def _region(call: Call, resource: str) -> str:
    """Return the region whose budget a request draws on; empty where it is about all regions."""
    row = call.world.resources.get(resource)
    if row is not None:
        return row.location
    group = call.world.groups.get(group_key(call.subscription, call.params.get("group", "")))
    return group.location if group is not None else location_name(call.params.get("location", ""))


def _taken(world: World, buckets: list[_Bucket], now: float) -> float:
    """Take one from each bucket, or, where one is empty, from none; return the seconds until none is."""
    if len(world.buckets) > MOST_BUCKETS:
        _forget_full(world, now)
    levels = []
    for each in buckets:
        level, at, _, _ = world.buckets.get(each.key, (float(each.size), now, 0, 0.0))
        levels.append(min(float(each.size), level + max(0.0, now - at) * each.rate))
    enough = all(_whole(level) for level in levels)
    for each, level in zip(buckets, levels, strict=True):
        left = max(0.0, level - 1) if enough else level
        world.buckets[each.key] = (left, now, each.size, each.rate)
    return 0.0 if enough else max((1 - level) / each.rate for each, level in zip(buckets, levels, strict=True))


def _forget_full(world: World, now: float) -> None:
    """Drop the buckets that are full by now: they say nothing."""
    world.buckets = {
        key: (level, at, size, rate)
        for key, (level, at, size, rate) in world.buckets.items()
        if level + (now - at) * rate < size
    }


def _left(world: World, bucket: _Bucket) -> int:
    return _whole(world.buckets[bucket.key][0])


def _whole(level: float) -> int:
    """Return how many requests a level is good for; as times are fractions, a little less than one is one."""
    return math.floor(level + 1e-3)


def _too_many_for_compute(world: World, buckets: list[_Bucket], now: float, wait: float) -> Refusal:
    details: list[Json] = []
    for each in buckets:
        if _left(world, each):
            continue
        text = {
            "operationGroup": each.name,
            "startTime": iso_offset(now - each.size / each.rate),
            "endTime": iso_offset(now + wait),
            "allowedRequestCount": each.size,
            "measuredRequestCount": each.size + 1,
        }
        details.append({"code": "TooManyRequests", "target": each.name, "message": json.dumps(text)})
    return errors.too_many_for_compute(details, wait)
