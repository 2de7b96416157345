"""The simulated Azure as one function: a request at a moment is one transaction on the world."""

from __future__ import annotations

import re
from dataclasses import replace

from provision.simulator import disguise, errors, fault_effects, gate, routes, tokens, versions
from provision.simulator.calls import Call
from provision.simulator.errors import Refusal
from provision.simulator.messages import Answer, Reply, Request, encoded
from provision.simulator.settle import settle
from provision.simulator.throttling import Budget
from provision.simulator.times import moment
from provision.simulator.world import World

_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def handle(world: World, request: Request, now: float) -> Answer:
    """Answer one request. Handlers refuse before they change anything, so a refusal leaves the world as it was."""
    settle(world, now)
    request_id = world.guid()
    correlation = request.headers.get("x-ms-correlation-request-id") or request_id
    met = fault_effects.meet(world, request, now)
    if met.undone:
        return Answer(0, {}, faults=met.faults, delay_s=met.delay_s)
    budget = Budget(world, request, now)
    try:
        if met.refusal is not None:
            raise met.refusal
        reply = _answered(world, request, now, request_id, correlation, budget)
        if request.method == "GET":
            reply = disguise.worn(world, reply)
    except Refusal as refusal:
        reply = refusal.reply()
    answer = _stamped(reply, request, now, request_id, correlation, budget)
    return replace(answer, faults=met.faults, delay_s=met.delay_s)


def _answered(world: World, request: Request, now: float, request_id: str, correlation: str, budget: Budget) -> Reply:
    caller = tokens.caller_of(request, now)
    budget.take_of_gateway(caller, _subscription(request))
    route, params = routes.find(request)
    version = versions.check(route.versions, route.type, request.query.get("api-version"))
    subscription = params.get("subscription")
    if subscription is not None and not _GUID.fullmatch(subscription):
        raise errors.bad_subscription(subscription)
    call = Call(world, request, now, request_id, correlation, version, params, caller)
    body = call.body if request.method in ("PUT", "PATCH") else None
    gate.refuse(world, caller, request.method, "/" + "/".join(request.segments), body)
    if route.versions == versions.COMPUTE:
        budget.take_of_compute(call, route.type.lower())
    return route.handler(call)


def _subscription(request: Request) -> str | None:
    first, second = (*request.segments, "", "")[:2]
    return second.lower() if first.lower() == "subscriptions" and second else None


def _stamped(reply: Reply, request: Request, now: float, request_id: str, correlation: str, budget: Budget) -> Answer:
    """Return the answer with the headers that every one carries."""
    when = moment(now)
    headers = {
        "Cache-Control": "no-cache",
        "Pragma": "no-cache",
        "Expires": "-1",
        "x-ms-request-id": request_id,
        "x-ms-correlation-request-id": correlation,
        "x-ms-routing-request-id": f"SIMULATED:{when:%Y%m%dT%H%M%SZ}:{request_id}",
        **budget.headers,
        "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
        "X-Content-Type-Options": "nosniff",
        "Date": f"{when:%a, %d %b %Y %H:%M:%S} GMT",
        **reply.headers,
    }
    if request.headers.get("x-ms-return-client-request-id", "").lower() == "true":
        headers["x-ms-client-request-id"] = request.headers.get("x-ms-client-request-id", "")
    body = b"" if request.method == "HEAD" else encoded(reply.body, indented=reply.indented)
    if body:
        headers["Content-Type"] = "application/json; charset=utf-8"
    return Answer(reply.status, headers, body)
