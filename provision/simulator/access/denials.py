"""The deny assignments of stacks: what a stack keeps others from writing or deleting of what it manages.

Deleting a whole resource group goes past them, as in Azure.
"""

from __future__ import annotations

from provision.simulator.access import access, errors_access
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import Stack, World, guid_of
from provision.simulator.wire.messages import Json

MOST_PRINCIPALS, MOST_ACTIONS = 5, 200


def protects(stack: Stack) -> bool:
    return bool(stack.request["denySettings"]["mode"] != "none")


def refuse(world: World, caller: Caller, method: str, path: str, by: str = "") -> None:
    """Refuse a request that a stack's deny settings forbid. `by`: the stack whose own work this is."""
    for stack in world.stacks.values():
        if not protects(stack) or stack.id == by:
            continue
        settings = stack.request["denySettings"]
        scope = _protected(stack, settings, path)
        if scope is None:
            continue
        asked = access.action_of(method, path)
        if asked is not None and _denies(settings, caller, method, asked[0]):
            name = guid_of(stack.key, "deny")
            raise errors_access.denied(caller, *asked, name, stack.id, scope)


def _protected(stack: Stack, settings: Json, path: str) -> str | None:
    """Return the managed resource that a path is about: itself, or, where the settings say so, above it."""
    here = f"{path.rstrip('/').lower()}/"
    for text in stack.managed:
        there = f"{text.lower()}/"
        if here == there or (settings.get("applyToChildScopes") and here.startswith(there)):
            return text
    return None


def _denies(settings: Json, caller: Caller, method: str, action: str) -> bool:
    writes = settings["mode"] == "denyWriteAndDelete" and method in ("PUT", "PATCH")
    if not (writes or method == "DELETE"):
        return False
    if action.lower().startswith("microsoft.resources/tags/"):
        return False  # tags are not covered
    excluded = [each.lower() for each in settings.get("excludedPrincipals") or []]
    if caller.object_id.lower() in excluded:
        return False
    return action.lower() not in [each.lower() for each in settings.get("excludedActions") or []]
