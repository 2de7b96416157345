"""How Compute shows the rolling upgrades of a scale set."""

from __future__ import annotations

from provision.simulator.state.world import ScaleSet
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import iso_offset

TYPE = "Microsoft.Compute/virtualMachineScaleSets/rollingUpgrades"


def latest(row: ScaleSet) -> Json | None:
    """Return the upgrade that runs, or the last one; None where there was none yet."""
    if not row.rolling:
        return None
    properties: Json = {
        "policy": row.rolling["policy"],
        "runningStatus": {
            "code": row.rolling["code"],
            "startTime": iso_offset(row.rolling["started"]),
            "lastAction": row.rolling["action"],
            "lastActionTime": iso_offset(row.rolling["acted"]),
        },
        "progress": _progress(row.rolling),
    }
    if row.rolling["error"] is not None:
        properties["error"] = row.rolling["error"]
    # The recorded answer has neither an id nor a name.
    return {"type": TYPE, "location": row.location, "tags": row.body["tags"], "properties": properties}


def history(row: ScaleSet) -> list[Json]:
    """Return the upgrades to newer images that are over, the newest first."""
    reference = row.properties["virtualMachineProfile"].get("storageProfile", {}).get("imageReference", {})
    return [_past(row, each, reference) for each in reversed(row.image_upgrades)]


def _past(row: ScaleSet, upgrade: Json, reference: Json) -> Json:
    image = {key: reference.get(key) for key in ("publisher", "offer", "sku")}
    properties: Json = {
        "runningStatus": {
            "code": upgrade["code"],
            "startTime": iso_offset(upgrade["started"]),
            "endTime": iso_offset(upgrade["ended"]),
        },
        "progress": _progress(upgrade),
        "startedBy": "User",
        "targetImageReference": {**image, "version": upgrade["image"]},
    }
    if upgrade["error"] is not None:
        properties["error"] = upgrade["error"]
    return {"type": TYPE, "location": row.location, "properties": properties}


def _progress(upgrade: Json) -> Json:
    return {
        "successfulInstanceCount": len(upgrade["done"]) - len(upgrade["failed"]),
        "failedInstanceCount": len(upgrade["failed"]),
        "inProgressInstanceCount": len(upgrade["current"]),
        "pendingInstanceCount": len(upgrade["waiting"]),
    }
