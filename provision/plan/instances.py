"""Decides what counts as running and healthy, and which nodes a set gives up when it shrinks: Azure never picks."""

from __future__ import annotations

from collections.abc import Iterable

from provision.plan.observed import Body


def runs(instance: Body) -> bool:
    """Return whether a node is switched on."""
    codes = {str(status.get("code", "")).lower() for status in view_of(instance).get("statuses") or ()}
    return "powerstate/running" in codes


def is_healthy(instance: Body) -> bool:
    """Return whether a node came up and nothing reports it as unhealthy; without a report it is healthy."""
    health = (view_of(instance).get("vmHealth") or {}).get("status") or {}
    reported = str(health.get("code", "HealthState/healthy")).lower()
    came_up = str(instance.get("properties", {}).get("provisioningState", "")).lower() == "succeeded"
    return came_up and reported.endswith("/healthy")


def view_of(instance: Body) -> Body:
    """Return what Azure sees of a node from outside and through its agent."""
    view: Body = instance.get("properties", {}).get("instanceView") or {}
    return view


def victims(instances: Iterable[Body], count: int) -> tuple[str, ...]:
    """Return the ids, in their set, of the nodes that go when it shrinks by `count`, the first to go first.

    The unhealthy go first, then the newest. Azure deletes what is named even where somebody has protected it from
    scale-in, so that goes last.
    """
    return tuple(str(each["instanceId"]) for each in sorted(instances, key=_rank)[:count])


def _rank(instance: Body) -> tuple[bool, bool, int]:
    policy = instance.get("properties", {}).get("protectionPolicy") or {}
    number = str(instance["instanceId"])
    well = runs(instance) and is_healthy(instance)
    return bool(policy.get("protectFromScaleIn")), well, -int(number) if number.isdecimal() else 0
