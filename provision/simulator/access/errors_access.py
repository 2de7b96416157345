"""Azure's refusals that ask who is allowed what, and what a subscription is registered for."""

from __future__ import annotations

from collections.abc import Sequence

from provision.simulator.refusals.errors import Refusal
from provision.simulator.state.tokens import Caller


def _who(caller: Caller) -> str:
    return f"The client '{caller.client}' with object id '{caller.object_id}'"


def not_authorized(caller: Caller, action: str, scope: str) -> Refusal:
    message = (
        f"{_who(caller)} does not have authorization to perform action '{action}' over scope '{scope}' or the scope "
        "is invalid. If access was recently granted, please refresh your credentials."
    )
    return Refusal(403, "AuthorizationFailed", message)


def not_authorized_on_linked(caller: Caller, action: str, scope: str, missing: Sequence[tuple[str, str]]) -> Refusal:
    """`missing`: `(action, id)` of what the resource refers to."""
    actions, scopes = (",".join(each) for each in zip(*missing, strict=True))
    message = (
        f"{_who(caller)} has permission to perform action '{action}' on scope '{scope}'; however, it does not have "
        f"permission to perform action(s) '{actions}' on the linked scope(s) '{scopes}' (respectively) or the linked "
        "scope(s) are invalid."
    )
    return Refusal(403, "LinkedAuthorizationFailed", message)


def not_authorized_in_template(caller: Caller, missing: Sequence[tuple[str, str, str, str]]) -> Refusal:
    """`missing`: `(name, type, action, scope)` of resources of the template."""
    texts = [
        f"Authorization failed for template resource '{name}' of type '{type_}'. {_who(caller)} does not have "
        f"permission to perform action '{action}' at scope '{scope}'."
        for name, type_, action, scope in missing
    ]
    message = f"Deployment failed with multiple errors: '{':'.join(texts)}'"
    return Refusal(403, "InvalidTemplateDeployment", message)


def denied(caller: Caller, action: str, path: str, name: str, stack: str, scope: str) -> Refusal:
    """Return the refusal by a deny assignment that a stack made."""
    message = (
        f"{_who(caller)} has permission to perform action '{action}' on scope '{path}'; however, the access is "
        f"denied because of the deny assignment with name 'Deny assignment '{name}' created by Deployment Stack "
        f"'{stack}'.' and Id '{name.replace('-', '')}' at scope '{scope}'."
    )
    return Refusal(403, "DenyAssignmentAuthorizationFailed", message)


def not_registered(namespace: str) -> Refusal:
    message = (
        f"The subscription is not registered to use namespace '{namespace}'. "
        "See https://aka.ms/rps-not-found for how to register subscriptions."
    )
    details = [{"code": "MissingSubscriptionRegistration", "target": namespace, "message": message}]
    return Refusal(409, "MissingSubscriptionRegistration", message, details=details)


def no_principal(principal: str, tenant: str) -> Refusal:
    message = (
        f"Principal {principal.replace('-', '')} does not exist in the directory {tenant}. Check that you have the "
        "correct principal ID. If you are creating this principal and then immediately assigning a role, this error "
        "might be related to a replication delay. In this case, set the role assignment principalType property to a "
        "value, such as ServicePrincipal, User, or Group.  See https://aka.ms/docs-principaltype"
    )
    return Refusal(400, "PrincipalNotFound", message, gateway=False)


def role_assigned(existing: str) -> Refusal:
    """`existing`: the name of the assignment that grants this already."""
    message = f"The role assignment already exists. The ID of the existing role assignment is {existing}."
    return Refusal(409, "RoleAssignmentExists", message, gateway=False)


def role_assignment_fixed() -> Refusal:
    message = "Tenant ID, application ID, principal ID, and scope are not allowed to be updated."
    return Refusal(400, "RoleAssignmentUpdateNotPermitted", message, gateway=False)
