"""The simulated Azure as one function: a request at a moment is one transaction on the world."""

from __future__ import annotations

import re

from provision.simulator import disguise, errors, faults, locks, routes, versions
from provision.simulator.calls import Call
from provision.simulator.errors import Refusal
from provision.simulator.messages import Answer, Reply, Request, encoded
from provision.simulator.settle import settle
from provision.simulator.times import moment
from provision.simulator.world import World

_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LEFT = {"GET": ("reads", 1099), "HEAD": ("reads", 1099), "DELETE": ("deletes", 799)}
"""What every answer says is left: a full bucket, less this request. Everything else counts as a write."""


def handle(world: World, request: Request, now: float) -> Answer:
    """Answer one request. Handlers refuse before they change anything, so a refusal leaves the world as it was."""
    settle(world, now)
    request_id = world.guid()
    correlation = request.headers.get("x-ms-correlation-request-id") or request_id
    try:
        reply = _answered(world, request, now, request_id, correlation)
        if request.method == "GET":
            reply = disguise.worn(world, reply)
    except Refusal as refusal:
        reply = refusal.reply()
    return _stamped(reply, request, now, request_id, correlation)


def _answered(world: World, request: Request, now: float, request_id: str, correlation: str) -> Reply:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise errors.no_token()
    faults.refuse(world, request.method, request.url)
    route, params = routes.find(world, request)
    version = versions.check(route.versions, route.type, request.query.get("api-version"))
    subscription = params.get("subscription")
    if subscription is not None and not _GUID.fullmatch(subscription):
        raise errors.bad_subscription(subscription)
    locks.refuse(world, request.method, "/" + "/".join(request.segments))
    return route.handler(Call(world, request, now, request_id, correlation, version, params))


def _stamped(reply: Reply, request: Request, now: float, request_id: str, correlation: str) -> Answer:
    """Return the answer with the headers that every one carries."""
    when = moment(now)
    what, left = _LEFT.get(request.method, ("writes", 799))
    headers = {
        "Cache-Control": "no-cache",
        "Pragma": "no-cache",
        "Expires": "-1",
        "x-ms-request-id": request_id,
        "x-ms-correlation-request-id": correlation,
        "x-ms-routing-request-id": f"SIMULATED:{when:%Y%m%dT%H%M%SZ}:{request_id}",
        f"x-ms-ratelimit-remaining-subscription-{what}": str(left),
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
