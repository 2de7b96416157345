"""Locks: what they keep from being changed or deleted, and the refusal that says so."""

from __future__ import annotations

from typing import Any

from provision.simulator.bodies import bodies
from provision.simulator.refusals import errors
from provision.simulator.state.world import Lock, World
from provision.simulator.wire.messages import Json

TYPE = "Microsoft.Authorization/locks"
_PLACE = "/providers/microsoft.authorization/locks/"


def put(world: World, scope: str, name: str, body: Any, text: str = "") -> tuple[int, Lock]:
    lock = made(scope, name, body, text)
    existed = lock.key in world.locks
    world.locks.put(lock.key, lock)
    return 200 if existed else 201, lock


def made(scope: str, name: str, body: Any, text: str = "") -> Lock:
    """Return a lock; refuse a body that is none."""
    given = bodies.read(TYPE, body, text)["properties"]
    if given["level"] == "NotSpecified":
        said = f"The lock level '{given['level']}' is not valid. Levels are: CanNotDelete, ReadOnly."
        raise errors.Refusal(400, "LockLevelInvalid", said)
    return Lock(f"{scope}/providers/{TYPE}/{name}", scope, name, given["level"], given.get("notes"))


def find(world: World, scope: str, name: str) -> Lock | None:
    return world.locks.get(f"{scope}/providers/{TYPE}/{name}".lower())


def at(world: World, scope: str) -> list[Lock]:
    """Return the locks at a scope and below it, by id: that is what a list at the scope shows."""
    here = scope.lower()
    found = [lock for lock in world.locks.values() if (lock.scope.lower() + "/").startswith(f"{here}/")]
    return sorted(found, key=lambda lock: lock.key)


def forget(world: World, scope: str) -> None:
    """Drop the locks of what is gone."""
    for lock in at(world, scope):
        world.locks.remove(lock.key)


def refuse(world: World, method: str, path: str) -> None:
    """Refuse a request that a lock forbids: at its scope, above it, and, for deletions, below it."""
    if not len(world.locks) or method in ("GET", "HEAD") or _PLACE in f"{path.lower()}/":
        return
    here = f"{path.lower().rstrip('/')}/"
    deletes = method == "DELETE"
    found = []
    for lock in world.locks.values():
        there = f"{lock.scope.lower()}/"
        above = here.startswith(there) and (deletes or lock.level == "ReadOnly")
        if above or (deletes and there.startswith(here)):
            found.append(lock.scope)
    if found:
        raise errors.scope_locked(path.rstrip("/"), "delete" if deletes else "write", sorted(set(found)))


def render(lock: Lock) -> Json:
    properties: Json = {"level": lock.level}
    if lock.notes is not None:
        properties["notes"] = lock.notes
    return {"properties": properties, "id": lock.id, "type": TYPE, "name": lock.name}
