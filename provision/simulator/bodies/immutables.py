"""What cannot change once a resource exists: what its type's table marks, and what has a rule of its own."""

from __future__ import annotations

from typing import Any

from provision.simulator.bodies.bodies import at_path
from provision.simulator.bodies.shapes import Object, fixed_in
from provision.simulator.refusals.errors import Refusal, unchangeable
from provision.simulator.tables.compute import SCALE_SET
from provision.simulator.wire.messages import Json

_INTERFACES = "properties.virtualMachineProfile.networkProfile.networkInterfaceConfigurations"


def first_change(table: Object, before: Json, after: Json) -> str | None:
    """Return the path of the first value that may not change and does; texts compare without regard to case."""
    paths = fixed_in(table)
    return next((path for path in paths if _differ(at_path(before, path), at_path(after, path))), None)


def check_scale_set(before: Json, after: Json) -> None:
    """Refuse a scale set of which something changes that is for good.

    `adminUsername` and `upgradePolicy.mode` are not: sources disagree or are silent about ARM itself, and only
    Terraform replaces on them.
    """
    zones, new_zones = set(before.get("zones") or []), set(after.get("zones") or [])
    # Zones may be added to a zonal set; none may go, and a regional set stays regional.
    if zones != new_zones and not (zones and zones < new_zones):
        raise refusal("zones")
    path = first_change(SCALE_SET, before, after)
    if path is not None:
        raise refusal(path)
    if not at_path(before, "properties.singlePlacementGroup") and at_path(after, "properties.singlePlacementGroup"):
        raise refusal("properties.singlePlacementGroup")
    if _interface_names(before) != _interface_names(after):
        raise refusal(f"{_INTERFACES}.name")
    if len(_networks(before) | _networks(after)) > 1:
        # Nodes may move to another subnet of their network. With which code Azure refuses more is not published.
        raise refusal(f"{_INTERFACES}.ipConfigurations.subnet.id")


def refusal(path: str) -> Refusal:
    """Return Compute's refusal, which names paths from inside `properties`."""
    return unchangeable(path.removeprefix("properties."))


def _interfaces(body: Json) -> list[Json]:
    found: list[Json] = at_path(body, _INTERFACES) or []
    return found


def _interface_names(body: Json) -> list[str]:
    return sorted(each.get("name", "") for each in _interfaces(body))


def _networks(body: Json) -> set[str]:
    """Return the virtual networks, by key, whose subnets a set's model names."""
    subnets = [
        at_path(address, "properties.subnet.id")
        for interface in _interfaces(body)
        for address in at_path(interface, "properties.ipConfigurations") or []
    ]
    return {str(each).lower().partition("/subnets/")[0] for each in subnets if each}


def _differ(one: Any, other: Any) -> bool:
    return bool(_comparable(one) != _comparable(other))


def _comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _comparable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_comparable(inner) for inner in value]
    return value.lower() if isinstance(value, str) else value
