"""One way to write, delete, find and show whatever a deployment or a stack may hold, by its id.

Resources of providers, groups, and what is laid onto a scope: locks, role assignments, tags. Writes and deletions pass
the same gate as a client's requests, in the name of who deploys.
"""

from __future__ import annotations

from provision.simulator.access import locks, role_assignments, tags
from provision.simulator.compute import scale_set_extensions
from provision.simulator.deployments import deployment_views, step_types
from provision.simulator.refusals.errors import no_resource
from provision.simulator.resources import gate, groups, providers
from provision.simulator.state import faults
from provision.simulator.state.ids import parse
from provision.simulator.state.operations import Origin
from provision.simulator.state.tokens import Caller
from provision.simulator.state.world import Deployment, Operation, World
from provision.simulator.wire.messages import Json


def put(
    world: World, at: float, row: Deployment, resource_id: str, body: Json, origin: Origin
) -> tuple[int, Operation | None]:
    """Start to write a resource for a deployment; return the status that a client would get, and what to wait for."""
    refuse_put(world, row, resource_id, body)
    kind = step_types.described(resource_id)[0].lower()
    scope, name = step_types.scope_of_extension(resource_id), resource_id.rpartition("/")[2]
    if kind == step_types.GROUPS:
        return groups.put(world, at, resource_id.split("/")[2], name, body)[0], None
    if kind == step_types.LOCKS:
        return locks.put(world, scope, name, body)[0], None
    if kind == step_types.ROLE_ASSIGNMENTS:
        return role_assignments.put(world, at, Caller(*row.caller), scope, name, body)[0], None
    if kind == step_types.TAGS:
        tags.replace(world, scope, body)
        return 200, None
    rid = parse(resource_id)
    assert rid is not None, resource_id
    written = providers.put(world, at, rid, body, origin)
    written.resource.changed = at
    return written.status, written.operation


def refuse_put(world: World, row: Deployment, resource_id: str, body: Json | None = None) -> None:
    """Refuse what a PUT of the resource by whoever deploys would meet before its provider."""
    faults.refuse_write(world, resource_id)
    gate.refuse(world, Caller(*row.caller), "PUT", resource_id, body, by=row.stack)


def exists(world: World, resource_id: str) -> bool:
    key = resource_id.lower()
    tables = (world.resources, world.groups, world.locks, world.role_assignments)
    return any(key in table for table in tables) or scale_set_extensions.shown(world, resource_id) is not None


def delete(world: World, at: float, caller: Caller, resource_id: str, by: str) -> None:
    """Start to delete what exists, for the stack `by`, or, where that is empty, for a deployment."""
    gate.refuse(world, caller, "DELETE", resource_id, by=by)
    key = resource_id.lower()
    if key in world.locks:
        world.locks.remove(key)
    elif key in world.role_assignments:
        world.role_assignments.remove(key)
    elif key in world.groups:
        groups.delete(world, at, world.groups[key], Origin())
    else:
        rid = parse(resource_id)
        assert rid is not None, resource_id
        providers.delete(world, at, rid, Origin())


def shown(world: World, at: float, resource_id: str) -> Json:
    """Return a resource, a group or a deployment as its GET would show it; refuse where it is not there."""
    key = resource_id.lower()
    deployment, group, row = world.deployments.get(key), world.groups.get(key), world.resources.get(key)
    if deployment is not None:
        return deployment_views.render(deployment, at)
    if group is not None:
        return groups.render(group)
    if row is not None:
        return providers.render(world, row)
    extension = scale_set_extensions.shown(world, resource_id)
    if extension is not None:
        return extension
    type_, name = step_types.described(resource_id)
    rid = parse(resource_id)
    raise no_resource(type_, name, rid.group if rid is not None else "")
