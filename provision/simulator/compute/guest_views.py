"""What the agent inside a node reports: its system, its extensions, its health; and how a provisioning status reads."""

from __future__ import annotations

from provision.simulator.wire.messages import Json

AGENT_VERSION = "2.13.1.1"
HEALTH_EXTENSION = "Microsoft.ManagedServices.ApplicationHealthLinux"


def reported(profile: Json, differs: Json, error: Json | None, time: str) -> Json:
    """Return what is known of a running node from inside, by the model that it was made from.

    `error`: why it is Failed. One whose system did not come up reports nothing; a failed extension, that.
    """
    if _is_silent(error):
        unknown = {
            "code": "ProvisioningState/Unavailable",
            "level": "Warning",
            "displayStatus": "Not Ready",
            "message": "VM status blob is found but not yet populated.",
            "time": time,
        }
        return {"vmAgent": {"vmAgentVersion": "Unknown", "statuses": [unknown]}}
    ready = {
        "code": "ProvisioningState/succeeded",
        "level": "Info",
        "displayStatus": "Ready",
        "message": "Guest Agent is running",
        "time": time,
    }
    extensions = _extensions(profile, error, time)
    enabled = {**{key: ready[key] for key in ("code", "level", "displayStatus")}, "message": "Plugin enabled"}
    handlers = [
        {"type": each["type"], "typeHandlerVersion": each["typeHandlerVersion"], "status": enabled}
        for each in extensions
    ]
    body: Json = {
        "osName": "ubuntu",
        "osVersion": "22.04",
        "vmAgent": {"vmAgentVersion": AGENT_VERSION, "statuses": [ready], "extensionHandlers": handlers},
    }
    if extensions:
        body["extensions"] = extensions
    if any(each["type"] == HEALTH_EXTENSION for each in extensions):
        body["vmHealth"] = {"status": _health(str(differs.get("health", "healthy")), time)}
    return body


def tally_of_extensions(profile: Json, ready: int, failed: list[Json]) -> list[Json]:
    """Return how many nodes each extension of a set has come up on. `failed`: the errors of those that are Failed."""
    stated = _stated(profile)
    running = [error for error in failed if not _is_silent(error)]
    found = []
    for each in stated:
        down = sum(1 for error in running if _fails(each, error, stated))
        counts = {"failed": down, "succeeded": ready + len(running) - down}
        tally = [{"code": f"ProvisioningState/{word}", "count": count} for word, count in counts.items() if count]
        found.append({"name": each["name"], "statusesSummary": tally})
    return [each for each in found if each["statusesSummary"]]


def provisioning_status(present: str, error: Json | None, time: str) -> Json:
    if error is not None and present == "Failed":
        return {
            "code": f"ProvisioningState/failed/{error['code']}",
            "level": "Error",
            "displayStatus": "Provisioning failed",
            "message": error["message"],
            "time": time,
        }
    display = {"Succeeded": "Provisioning succeeded", "Failed": "Provisioning failed"}.get(present, present)
    return {
        "code": f"ProvisioningState/{present.lower()}",
        "level": "Error" if present == "Failed" else "Info",
        "displayStatus": display,
        "time": time,
    }


def _is_silent(error: Json | None) -> bool:
    return error is not None and str(error["code"]).startswith("OSProvisioning")


def _fails(extension: Json, error: Json | None, stated: list[Json]) -> bool:
    """Return whether this is the extension that made a node fail: the one that the error names, else the first."""
    if error is None or not str(error["code"]).startswith("VMExtension"):
        return False
    return bool(extension["name"] == error.get("target", stated[0]["name"]))


def _stated(profile: Json) -> list[Json]:
    found: list[Json] = profile.get("extensionProfile", {}).get("extensions", [])
    return found


def _extensions(profile: Json, error: Json | None, time: str) -> list[Json]:
    """Return the extensions of a running node, each after those that it waits for."""
    found: list[Json] = []
    stated = waiting = _stated(profile)
    while waiting:
        done = {each["name"] for each in found}
        free = [each for each in waiting if done >= set(each["properties"].get("provisionAfterExtensions") or [])]
        for each in free or waiting:
            fails = _fails(each, error, stated)
            found.append(
                {
                    "name": each["name"],
                    "type": f"{each['properties'].get('publisher', '')}.{each['properties'].get('type', '')}",
                    "typeHandlerVersion": f"{each['properties'].get('typeHandlerVersion', '1.0')}.0.0",
                    "statuses": [_extension_status(error if fails else None, time)],
                }
            )
        waiting = [each for each in waiting if each not in free] if free else []
    return found


def _extension_status(error: Json | None, time: str) -> Json:
    """Return what an extension says: a message of its own, and no time."""
    status = provisioning_status("Succeeded" if error is None else "Failed", error, time)
    return {**{key: value for key, value in status.items() if key != "time"}, "message": status.get("message", "")}


def _health(state: str, time: str) -> Json:
    return {
        "code": f"HealthState/{state}",
        "level": "Info" if state == "healthy" else "Error",
        "displayStatus": f"The VM is reporting itself as {state}",
        "time": time,
    }
