"""Long-running operations: how they start, and what a client that polls them sees, in each provider's dialect."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from provision.simulator.refusals.errors import compute_child_missing, no_job, preempted
from provision.simulator.refusals.network_errors import network_child_missing
from provision.simulator.state import faults
from provision.simulator.state.world import Operation, Resource, World
from provision.simulator.wire.messages import Json, Reply, Request
from provision.simulator.wire.times import iso_offset

COMPUTE, NETWORK, STORAGE_CACHE, STORED, DEPLOYMENT, STACK, STACK_RESULT, GROUP = (
    "compute",
    "network",
    "storage-cache",
    "stored",
    "deployment",
    "stack",
    "stack-result",
    "group",
)

GROUP_RETRY_AFTER_S = 15
KEPT_S = 86400
"""Seconds for which a finished operation can be polled; no source tells Azure's own figure."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asked for a write: a client's request (its id names the operation), or a deployment (which waits for it)."""

    name: str = ""
    waiter: str = ""
    version: str = ""
    """The api-version of the write; some behaviour hangs on it."""
    text: str = ""
    """The body as it was sent, for refusals that say where in it something stands; empty for a deployment's."""
    sync: bool = False
    """Whether the write of a peering also takes over the addresses of the network at the other end."""


class Placed(Protocol):
    """What an operation is about: a row of the world, or a `Target` where there is no row."""

    @property
    def id(self) -> str: ...

    @property
    def subscription(self) -> str: ...

    @property
    def location(self) -> str: ...


class Target(NamedTuple):
    id: str
    subscription: str
    location: str


def start(
    world: World,
    at: float,
    on: Placed,
    *,
    kind: str,
    dialect: str,
    seconds: float | None,
    origin: Origin,
    method: str = "PUT",
    action: str = "",
    outcome: Json | None = None,
    detail: Json | None = None,
    hidden: bool = False,
) -> Operation:
    """Record an operation that ends after `seconds`, or, with None, when what it waits for schedules it."""
    course = faults.Course() if hidden else faults.course(world, method, on.id, action)
    operation = Operation(
        name=origin.name or world.guid(),
        number=world.number(),
        kind=kind,
        target=on.id,
        subscription=on.subscription,
        location=on.location,
        dialect=dialect,
        started=at,
        due=None,
        outcome=course.failure or outcome,
        waiter=origin.waiter,
        detail=detail or {},
        hidden=hidden,
    )
    if course.endless:
        operation.detail["endless"] = True
    if course.factor != 1:
        operation.detail["factor"] = course.factor
    if seconds is None or course.endless:
        world.operations.put(operation.name, operation)
    else:
        go_on(world, operation, at, seconds)
    return operation


def go_on(world: World, operation: Operation, at: float, seconds: float) -> None:
    """Let an operation take its next step after `seconds`, or as many times later as a fault has made it slower."""
    world.schedule(operation, at + seconds * slowness(operation))


def slowness(operation: Operation) -> float:
    """Return how many times as long as usual an operation takes."""
    factor: float = operation.detail.get("factor", 1.0)
    return factor


def own(world: World, operation: Operation) -> Resource | None:
    """Return the operation's resource, unless it is gone or a newer operation has taken it over."""
    row = world.resources.get(operation.target.lower())
    return row if row is not None and row.operation == operation.name else None


def running(world: World, name: str) -> Operation | None:
    operation = world.operations.get(name) if name else None
    return operation if operation is not None and operation.status == "InProgress" else None


def preempt(world: World, name: str, at: float) -> None:
    """End a running operation early, because a newer one takes its resource over."""
    operation = running(world, name)
    if operation is not None:
        operation.outcome = preempted()
        operation.detail.pop("endless", None)
        world.schedule(operation, at)


# --- where a client polls ---


def headers(
    operation: Operation, request: Request, version: str, *, deletes: bool = False, acts: bool = False
) -> dict[str, str]:
    """Return the headers of the answer that starts an operation, or of a poll that repeats them."""
    base = request.base
    at = f"{base}/subscriptions/{operation.subscription}"
    signature = _signature(operation)
    if operation.dialect == COMPUTE:
        url = f"{at}/providers/Microsoft.Compute/locations/{operation.location}/operations/{operation.name}"
        query = f"p={_hash(operation.name, 'p', 16)}&api-version={version}{signature}"
        found = {"Azure-AsyncOperation": f"{url}?{query}", "Azure-AsyncNotification": "Enabled"}
        if deletes or acts:
            return {
                "Location": f"{url}?p={_hash(operation.name, 'p', 16)}&monitor=true&api-version={version}{signature}",
                **found,
            }
        return {**found, "Retry-After": "10"}
    if operation.dialect == NETWORK:
        url = f"{at}/providers/Microsoft.Network/locations/{operation.location}"
        query = f"api-version={version}{signature}"
        found = {
            "Azure-AsyncOperation": f"{url}/operations/{operation.name}?{query}",
            "Azure-AsyncNotification": "Enabled",
            "x-ms-arm-service-request-id": _guid_like(operation.name),
        }
        if deletes:
            return {
                "Location": f"{url}/operationResults/{operation.name}?{query}",
                **found,
                "Retry-After": "10",
            }
        return {**found, "Retry-After": "3"}
    if operation.dialect == STORAGE_CACHE:
        url = f"{at}/providers/Microsoft.StorageCache/locations/{operation.location}/ascOperations/{operation.name}"
        return {"Azure-AsyncOperation": f"{url}?api-version={version}{signature}", "Retry-After": "10"}
    if operation.dialect == STORED:
        namespace = operation.target.split("/")[6]
        url = f"{at}/providers/{namespace}/locations/{operation.location}/operationResults/{operation.name}"
        return {"Azure-AsyncOperation": f"{url}?api-version={version}{signature}", "Retry-After": "10"}
    if operation.dialect == DEPLOYMENT:
        url = f"{base}{operation.target}/operationStatuses/{operation.name}"
        return {"Azure-AsyncOperation": f"{url}?api-version={version}{signature}"}
    if operation.dialect == STACK:
        url = f"{at}/providers/Microsoft.Resources/locations/{operation.location}/deploymentStackOperationStatus"
        # All that the client asked for stands in the URL again.
        asked = urlsplit(request.url).query
        return {"Azure-AsyncOperation": f"{url}/{operation.name}?{asked}{signature}"}
    if operation.dialect == STACK_RESULT:
        url = f"{at}/providers/Microsoft.Resources/locations/{operation.location}/deploymentStackOperationResults"
        return {"Location": f"{url}/{operation.name}?api-version={version}{signature}"}
    return {
        "Location": f"{at}/operationresults/{operation.name}?api-version={version}{signature}",
        "Retry-After": str(GROUP_RETRY_AFTER_S),
    }


def group_job(group: str, location: str) -> str:
    """Return the name of a group's deletion: base64url of a job id, in which `-` and `_` are escaped."""
    escaped = group.upper().replace("-", ":2D").replace("_", ":5F")
    return _base64({"jobId": f"RESOURCEGROUPDELETIONJOB-{escaped}-{location.upper()}", "jobLocation": location})


def deployment_job(group: str, deployment: str, location: str) -> str:
    escaped = f"{group}-{deployment}".upper().replace("-", ":2D").replace("_", ":5F")
    return _base64({"jobId": f"DEPLOYMENTDELETIONJOB-{escaped}", "jobLocation": location})


def what_if_job(group: str, deployment: str, guid: str, location: str) -> str:
    parts = (part.upper().replace("-", ":2D").replace("_", ":5F") for part in (group, deployment, guid))
    return _base64({"jobId": f"DeploymentWhatIfJob-{'-'.join(parts)}", "jobLocation": location})


def validation_job(guid: str, location: str) -> str:
    escaped = guid.replace("-", ":2D")
    return _base64({"jobId": f"PreflightStackJob:{escaped}", "jobLocation": location})


def _base64(value: Json) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")


# --- what a poll answers ---


def poll_compute(world: World, request: Request, name: str, version: str) -> Reply:
    operation = known(world, name, COMPUTE)
    if operation is None:
        raise compute_child_missing()
    if "monitor" in request.query:
        if operation.status == "InProgress":
            return Reply(202, None, headers(operation, request, version, acts=True))
        if operation.outcome is not None:
            return Reply(409, {"error": operation.outcome}, indented=True)
        return Reply(200, operation.detail.get("result"))
    body: Json = {"startTime": iso_offset(operation.started)}
    if operation.ended is not None:
        body["endTime"] = iso_offset(operation.ended)
    body["status"] = operation.status
    if operation.status == "Failed":
        body["error"] = operation.outcome
    elif operation.status == "Succeeded" and "result" in operation.detail:
        body["properties"] = {"output": operation.detail["result"]}
    body["name"] = operation.name
    wait = {"Retry-After": "30"} if operation.status == "InProgress" else {}
    return Reply(200, body, wait)


def poll_network(world: World, request: Request, name: str, version: str, *, result: bool) -> Reply:
    operation = known(world, name, NETWORK)
    if operation is None:
        raise network_child_missing(request.path)
    if not result:
        body: Json = {"status": operation.status}
        if operation.status in ("Failed", "Canceled"):
            body["error"] = {"details": [], **(operation.outcome or {})}
        return Reply(200, body)
    repeated = headers(operation, request, version, deletes=True)
    if operation.status == "InProgress":
        return Reply(202, None, repeated)
    if operation.outcome is not None:
        return Reply(409, {"error": {"details": [], **operation.outcome}}, indented=True)
    return Reply(204, None, {name: repeated[name] for name in ("Location", "Azure-AsyncOperation")})


def poll_storage_cache(world: World, request: Request, name: str) -> Reply:
    return _poll_provider(world, request, name, STORAGE_CACHE)


def poll_stored(world: World, request: Request, name: str) -> Reply:
    return _poll_provider(world, request, name, STORED)


def _poll_provider(world: World, request: Request, name: str, dialect: str) -> Reply:
    operation = known(world, name, dialect)
    if operation is None:
        raise compute_child_missing()
    body: Json = {"id": request.path, "name": name, "startTime": iso_offset(operation.started)}
    if operation.ended is not None:
        body["endTime"] = iso_offset(operation.ended)
    body["status"] = operation.status
    if operation.status == "Failed":
        body["error"] = operation.outcome
    return Reply(200, body, {"Retry-After": "10"} if operation.status == "InProgress" else {})


def poll_group(world: World, request: Request, name: str, version: str) -> Reply:
    operation = known(world, name, GROUP)
    if operation is None:
        raise no_job()
    if operation.status == "InProgress":
        return Reply(202, None, headers(operation, request, version))
    if operation.outcome is not None:
        body = {"error": operation.outcome}
        return Reply(409, _capitals(body) if operation.kind == "group-delete" else body)
    return Reply(operation.detail.get("status", 200), operation.detail.get("body"))


def _capitals(value: Any) -> Any:
    """Return the body with its keys as the jobs of Resource Manager write them: `Error`, `Code`, `Message`."""
    if isinstance(value, dict):
        return {name.capitalize(): _capitals(each) for name, each in value.items()}
    return [_capitals(each) for each in value] if isinstance(value, list) else value


def poll_deployment(world: World, name: str) -> Reply | None:
    operation = known(world, name, DEPLOYMENT)
    if operation is None:
        return None
    status = operation.status if operation.status != "InProgress" else operation.detail.get("state", "Accepted")
    body: Json = {"status": status}
    if operation.status == "Failed":
        body["error"] = operation.outcome
    return Reply(200, body)


def poll_stack(world: World, name: str) -> Reply | None:
    operation = known(world, name, STACK)
    if operation is None:
        return None
    running_state = operation.detail.get("state", "initializing")
    status = running_state if operation.status == "InProgress" else operation.status.lower()
    path = f"/subscriptions/{operation.subscription}/providers/Microsoft.Resources/locations/{operation.location}"
    body: Json = {"id": f"{path}/deploymentStackOperationStatus/{name}", "name": name, "status": status}
    if operation.status == "Failed":
        body["error"] = operation.outcome
    return Reply(200, body)


def view(operation: Operation) -> Json:
    """Return a running operation as the control interface shows it."""
    return {
        "name": operation.name,
        "kind": operation.kind,
        "target": operation.target,
        "status": operation.status,
        "started": iso_offset(operation.started),
        "due": None if operation.due is None else iso_offset(operation.due),
    }


def known(world: World, name: str, dialect: str) -> Operation | None:
    """Return the operation that a poll is about; None where there is none, or is no longer."""
    operation = world.operations.get(name)
    if operation is None or operation.dialect != dialect or operation.hidden or forgotten(world, operation):
        return None
    return operation


def kept_s(world: World) -> int:
    found: int = world.setting("operationsKeptS", KEPT_S)
    return found


def forgotten(world: World, operation: Operation) -> bool:
    """Return whether an operation ended so long ago that a poll of it finds nothing."""
    return operation.ended is not None and operation.ended + kept_s(world) <= world.now


def _signature(operation: Operation) -> str:
    """Return the tail that makes operation URLs opaque and 3 kB long: clients have to follow them as they are."""
    ticks = int((operation.started + 62135596800) * 10_000_000)
    signed = _letters(operation.name, 256)
    return f"&t={ticks}&c={_certificate(operation.location)}&s={signed}&h={_letters(f'hash:{operation.name}', 32)}"


@cache
def _certificate(location: str) -> str:
    """Return what each signature of a region carries along: 2.6 kB, as the certificates in Azure's."""
    return _letters(f"certificate:{location}", 1950)


def _letters(text: str, size: int) -> str:
    return base64.urlsafe_b64encode(hashlib.shake_256(text.encode()).digest(size)).decode().rstrip("=")


def _hash(name: str, use: str, size: int) -> str:
    return hashlib.blake2b(f"{use}:{name}".encode(), digest_size=size).hexdigest()


def _guid_like(name: str) -> str:
    text = _hash(name, "service", 16)
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
