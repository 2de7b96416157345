"""Role assignments: kept and checked as Azure does. What they grant is not worked out: `access` has what is allowed."""

from __future__ import annotations

import re
from typing import Any

from provision.simulator.access import errors_access, identities
from provision.simulator.bodies import bodies
from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.durations import PRINCIPAL_REPLICATES_S
from provision.simulator.state.tokens import TENANT, Caller
from provision.simulator.state.world import RoleAssignment, World
from provision.simulator.wire.messages import Json
from provision.simulator.wire.times import iso

TYPE = "Microsoft.Authorization/roleAssignments"
_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DEFINITION = re.compile(
    r"(/subscriptions/[^/]+)?/providers/Microsoft\.Authorization/roleDefinitions/([^/]+)", re.IGNORECASE
)


def put(
    world: World, at: float, caller: Caller, scope: str, name: str, body: Any, text: str = ""
) -> tuple[int, RoleAssignment]:
    row = made(scope, name, body, at, caller.object_id, text)
    before = world.role_assignments.get(row.key)
    if before is not None:
        if _grant(before) != _grant(row):
            raise errors_access.role_assignment_fixed()
        return 200, before
    told = bodies.at_path(body, "properties.principalType") is not None
    if not told:
        _refuse_unknown(world, at, row)
    for other in world.role_assignments.values():
        if _grant(other) == _grant(row):
            raise errors_access.role_assigned(other.name.replace("-", ""))
    world.role_assignments.put(row.key, row)
    return 201, row


def made(scope: str, name: str, body: Any, at: float, by: str, text: str = "") -> RoleAssignment:
    """Return an assignment; refuse a body that is none."""
    if not _GUID.fullmatch(name):
        said = f"The role assignment ID '{name}' is not valid. The role assignment ID must be a GUID."
        raise Refusal(400, "InvalidRoleAssignmentId", said, gateway=False)
    properties = bodies.read(TYPE, body, text)["properties"]
    definition, principal = properties["roleDefinitionId"], properties["principalId"]
    found = _DEFINITION.fullmatch(definition)
    if found is None or not _GUID.fullmatch(found[2]):
        said = f"The role definition ID '{definition}' is not valid."
        raise Refusal(400, "InvalidRoleDefinitionId", said, gateway=False)
    if not _GUID.fullmatch(principal):
        said = f"The principal ID '{principal}' is not valid. Principal ID must be a GUID."
        raise Refusal(400, "InvalidPrincipalId", said, gateway=False)
    kept = {
        "roleDefinitionId": definition,
        "principalId": principal,
        "principalType": properties.get("principalType", "ServicePrincipal"),
    }
    kept |= {key: properties[key] for key in ("description", "condition") if properties.get(key) is not None}
    return RoleAssignment(f"{scope}/providers/{TYPE}/{name}", scope, name, kept, at, by)


def listed(world: World, scope: str, wanted: str) -> list[RoleAssignment]:
    """Return what a list at a scope shows: assignments at it, above it and below it. `wanted`: the `$filter`."""
    here = f"{scope.lower()}/"
    principal = re.search(r"(?:principalId|assignedTo)(?:\s+eq\s+|\()\s*'([^']*)'", wanted, re.IGNORECASE)
    at_scope = "atscope()" in wanted.lower()
    found = []
    for row in world.role_assignments.values():
        there = f"{row.scope.lower()}/"
        near = here.startswith(there) or (not at_scope and there.startswith(here))
        if near and (principal is None or row.properties["principalId"].lower() == principal[1].lower()):
            found.append(row)
    return sorted(found, key=lambda row: row.key)


def forget(world: World, scope: str) -> None:
    """Drop the assignments of what is gone."""
    here = f"{scope.lower()}/"
    for row in world.role_assignments.values():
        if f"{row.scope.lower()}/".startswith(here):
            world.role_assignments.remove(row.key)


def render(row: RoleAssignment) -> Json:
    subscription = "/".join(row.scope.split("/")[:3])
    role = row.properties["roleDefinitionId"].rpartition("/")[2]
    properties = {
        **row.properties,
        "roleDefinitionId": f"{subscription}/providers/Microsoft.Authorization/roleDefinitions/{role}",
        "scope": row.scope,
        "createdOn": iso(row.made),
        "updatedOn": iso(row.made),
        "createdBy": row.by,
        "updatedBy": row.by,
    }
    return {"properties": properties, "id": row.id, "type": TYPE, "name": row.name}


def _grant(row: RoleAssignment) -> tuple[str, str, str]:
    role = row.properties["roleDefinitionId"].rpartition("/")[2]
    return row.scope.lower(), str(row.properties["principalId"]).lower(), role.lower()


def _refuse_unknown(world: World, at: float, row: RoleAssignment) -> None:
    """Refuse an identity made a moment ago: the directory has not heard of it everywhere.

    Whoever says of what type the principal is, is believed. Principals that are no identities of this world are
    somebody's users or groups, and exist.
    """
    delay = world.setting("principalReplicatesS", PRINCIPAL_REPLICATES_S)
    for identity in identities.all_of(world):
        known = identities.principal_of(identity) == row.properties["principalId"].lower()
        if known and at < identity.made + delay:
            raise errors_access.no_principal(row.properties["principalId"], TENANT)
