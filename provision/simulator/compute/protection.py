"""Instances that are kept from scale-in, or from whatever is done to their set as a whole.

Protection is set on an instance, by a write of its own. It never keeps an instance from what is asked of it by name,
its deletion included, nor from the deletion of its set.
"""

from __future__ import annotations

from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.bodies.shapes import Needed
from provision.simulator.compute import instance_views
from provision.simulator.refusals import compute_errors as refused
from provision.simulator.refusals.errors import unchangeable
from provision.simulator.state.world import ScaleSet
from provision.simulator.wire.messages import Json

SCALE_IN, ACTIONS = "protectFromScaleIn", "protectFromScaleSetActions"

_BODY = Needed({"properties": {"protectionPolicy": {SCALE_IN: bool, ACTIONS: bool}}})
_READ_ONLY = frozenset({"instanceView", "provisioningState", "timeCreated", "latestModelApplied", "vmId"})


def keeps(row: ScaleSet, number: int, kind: str) -> bool:
    """Return whether an instance is protected; what protects from the set's actions protects from scale-in too."""
    policy = row.touched.get(str(number), {}).get("protection", {})
    return bool(policy.get(kind) or policy.get(ACTIONS))


def stated(row: ScaleSet, number: int, body: Any, now: float) -> Json:
    """Return the policy that a write of an instance states, laid onto the one it has.

    Nothing else of an instance of a uniform set can be written; a body that changes more is refused.
    """
    read = bodies.fit(_BODY, body)
    bodies.check_tags(read.get("tags"))
    given = read.get("properties") or {}
    shown = instance_views.render(row, number, now)["properties"]
    for key, value in given.items():
        if key != "protectionPolicy" and key not in _READ_ONLY and value is not None and value != shown.get(key):
            raise unchangeable(key)
    policy = bodies.merged(shown.get("protectionPolicy", {}), given.get("protectionPolicy") or {})
    if policy.get(ACTIONS) and policy.get(SCALE_IN) is False:
        raise refused.protection_without_scale_in()
    return {key: value for key, value in policy.items() if key in (SCALE_IN, ACTIONS)}


def put(row: ScaleSet, number: int, policy: Json) -> None:
    differs = row.touched.setdefault(str(number), {})
    if policy:
        differs["protection"] = policy
    else:
        differs.pop("protection", None)
