"""What stands before every provider: who may do it, what is registered, locked, denied by a stack or by a policy.

Asked once for each request of a client, and once for each resource that a deployment writes or a stack deletes.
"""

from __future__ import annotations

from typing import Any

from provision.simulator.access import access, denials, locks, policies, registrations
from provision.simulator.bodies import bodies
from provision.simulator.resources import providers
from provision.simulator.state.ids import cased, parse
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import World
from provision.simulator.wire.messages import Json


def refuse(world: World, caller: Caller, method: str, path: str, body: Any = None, *, by: str = "") -> None:
    """Refuse a request before its provider sees it. `body`: what is written; `by`: the stack whose own work it is."""
    access.refuse(world, caller, method, path)
    if method in ("GET", "HEAD"):
        return
    namespace = _namespace(path)
    if namespace:
        registrations.refuse(world, namespace)
    denials.refuse(world, caller, method, path, by)
    locks.refuse(world, method, path)
    if method in ("PUT", "PATCH"):
        _refuse_body(world, caller, method, path, body)


def _refuse_body(world: World, caller: Caller, method: str, path: str, body: Any) -> None:
    rid = parse(path)
    parts = path.strip("/").split("/")
    if rid is None and len(parts) == 4 and isinstance(body, dict):
        policies.refuse(world, path, policies.GROUPS, body)
    if rid is None or not providers.known(world, rid.type) or not isinstance(body, dict):
        return
    action = access.action_of(method, path)
    assert action is not None
    access.refuse_links(world, caller, *action, body)
    policies.refuse(world, rid.text, rid.type, _whole(world, rid.key, method, body))


def _whole(world: World, key: str, method: str, body: Json) -> Json:
    """Return what a resource would be: policies look at the outcome of a PATCH, not at the patch."""
    before = world.resources.get(key)
    if before is None or method != "PATCH":
        return body
    found: Json = bodies.merged({**before.body, "location": before.location}, body)
    return found


def _namespace(path: str) -> str:
    """Return the namespace of the provider that a path is about; empty for what every subscription has."""
    parts = path.strip("/").split("/")
    lowered = [part.lower() for part in parts]
    if "providers" not in lowered[:-2]:
        return ""
    at = max(index for index, part in enumerate(lowered[:-2]) if part == "providers")
    name = cased(parts[at + 1])
    # To register is asked of Resource Manager, not of the provider.
    free = name in registrations.FREE or lowered[at + 2] in ("register", "unregister")
    return "" if free else name
