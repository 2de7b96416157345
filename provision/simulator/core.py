"""The simulated Azure as one function: a request at a moment is one transaction on the world."""

from __future__ import annotations

import re
from dataclasses import replace

from provision.simulator import fault_effects
from provision.simulator.handlers import routes
from provision.simulator.handlers import tenant as handlers_tenant
from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import errors
from provision.simulator.refusals.errors import Refusal
from provision.simulator.resources import gate
from provision.simulator.settle import settle
from provision.simulator.state import disguise, lag, tokens, versions
from provision.simulator.state.world import World, guid_of
from provision.simulator.throttling import Budget
from provision.simulator.wire.messages import Answer, Reply, Request, encoded
from provision.simulator.wire.times import moment

_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def handle(world: World, request: Request, now: float) -> Answer:
    """Answer one request. Handlers refuse before they change anything, so a refusal leaves the world as it was."""
    settle(world, now)
    visit = _Visit(world, request, now)
    met = fault_effects.meet(world, request, now)
    if met.undone:
        return Answer(0, {}, faults=met.faults, delay_s=met.delay_s)
    try:
        if met.refusal is not None:
            raise met.refusal
        reply = _answered(visit)
        if request.method == "GET":
            reply = disguise.worn(world, reply)
    except Refusal as refusal:
        reply = refusal.reply()
        if refusal.gateway:
            visit.request_id = visit.routing_id
    return replace(_stamped(reply, visit), faults=met.faults, delay_s=met.delay_s)


class _Visit:
    """One request on its way through Resource Manager, with what its answer's headers will say."""

    def __init__(self, world: World, request: Request, now: float) -> None:
        self.world = world
        self.request = request
        self.now = now
        self.routing_id = world.guid()
        self.correlation = request.headers.get("x-ms-correlation-request-id") or self.routing_id
        self.request_id = self.routing_id
        """Resource Manager's own, or that of the provider which it asked."""
        self.budget = Budget(world, request, now)


def _answered(visit: _Visit) -> Reply:
    world, request, now = visit.world, visit.request, visit.now
    if handlers_tenant.is_for_endpoints(request):
        return handlers_tenant.endpoints(request)
    caller = tokens.caller_of(request, now)
    visit.budget.take_of_gateway(caller, _subscription(request))
    route, params = routes.find(world, request)
    version = versions.check(route.versions, route.type, request.query.get("api-version"))
    subscription = params.get("subscription")
    if subscription is not None and not _GUID.fullmatch(subscription):
        raise errors.bad_subscription(subscription)
    if subscription is not None:
        handlers_tenant.refuse_unknown(world, subscription)
    if route.versions not in versions.OF_GATEWAY:
        visit.request_id = guid_of(visit.routing_id, route.versions)
    reads = request.method in ("GET", "HEAD") and not route.polls
    shown = lag.seen(world, lists=route.lists) if reads else world
    call = Call(shown, request, now, visit.request_id, visit.correlation, version, params, caller)
    path, writes = "/" + "/".join(request.segments), request.method in ("PUT", "PATCH")
    gate.refuse(world, caller, request.method, path, call.body if writes else None)
    if route.versions == versions.COMPUTE:
        visit.budget.take_of_compute(call, route.type.lower())
    reply = route.handler(call)
    written = world.resources.get(path.lower()) if writes else None
    if written is not None:
        written.changed = now
        world.resources.put(written.key, written)
    return reply


def _subscription(request: Request) -> str | None:
    first, second = (*request.segments, "", "")[:2]
    return second.lower() if first.lower() == "subscriptions" and second else None


def _stamped(reply: Reply, visit: _Visit) -> Answer:
    """Return the answer with the headers that every one carries."""
    request, when = visit.request, moment(visit.now)
    headers = {
        "Cache-Control": "no-cache",
        "Pragma": "no-cache",
        "Expires": "-1",
        "x-ms-request-id": visit.request_id,
        "x-ms-correlation-request-id": visit.correlation,
        "x-ms-routing-request-id": f"SIMULATED:{when:%Y%m%dT%H%M%SZ}:{visit.routing_id}",
        **visit.budget.headers,
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
