"""The paths of Resource Manager itself, and of what is laid onto any scope: locks, tags, role assignments."""

from __future__ import annotations

from provision.simulator.handlers import access, locks, resources, subscriptions, tags, tenant
from provision.simulator.handlers.paths import GROUP, SUBSCRIPTION, Handler
from provision.simulator.state.versions import FEATURES, GATEWAY, LOCKS, PERMISSIONS, ROLES, SUBSCRIPTIONS

_RESOURCE = f"{GROUP}/providers/{{providerNamespace}}/{{kind}}/{{resource}}"
_SCOPES = (SUBSCRIPTION, GROUP, _RESOURCE, f"{_RESOURCE}/{{childKind}}/{{child}}")


def rows() -> list[tuple[str, str, str, Handler]]:
    provider = f"{SUBSCRIPTION}/providers/{{namespace}}"
    found: list[tuple[str, str, str, Handler]] = [
        (GATEWAY, "PUT", GROUP, resources.put_group),
        (GATEWAY, "PATCH", GROUP, resources.patch_group),
        (GATEWAY, "GET", GROUP, resources.get_group),
        (GATEWAY, "HEAD", GROUP, resources.head_group),
        (GATEWAY, "DELETE", GROUP, resources.delete_group),
        (GATEWAY, "GET", f"{SUBSCRIPTION}/resourceGroups", resources.list_groups),
        (GATEWAY, "GET", f"{GROUP}/resources", resources.list_resources),
        (GATEWAY, "GET", f"{SUBSCRIPTION}/resources", resources.list_resources),
        (GATEWAY, "GET", f"{SUBSCRIPTION}/operationresults/{{job}}", resources.poll_group),
        (GATEWAY, "GET", f"{SUBSCRIPTION}/providers", subscriptions.list_providers),
        (GATEWAY, "GET", provider, subscriptions.provider),
        (GATEWAY, "GET", "providers", subscriptions.list_providers_of_tenant),
        (GATEWAY, "GET", "providers/{namespace}", subscriptions.provider_of_tenant),
        (GATEWAY, "GET", f"{provider}/resourceTypes", subscriptions.list_types),
        (GATEWAY, "GET", f"{provider}/providerPermissions", subscriptions.provider_permissions),
        (GATEWAY, "GET", f"{provider}/resourceTypes", subscriptions.resource_types),
        (GATEWAY, "POST", f"{provider}/register", subscriptions.register),
        (GATEWAY, "POST", f"{provider}/unregister", subscriptions.unregister),
        (SUBSCRIPTIONS, "GET", "tenants", tenant.tenants),
        (SUBSCRIPTIONS, "GET", "subscriptions", tenant.subscriptions),
        (SUBSCRIPTIONS, "GET", SUBSCRIPTION, tenant.subscription),
        (SUBSCRIPTIONS, "GET", f"{SUBSCRIPTION}/locations", subscriptions.locations),
    ]
    for scope in _SCOPES:
        found += _laid_on(scope)
    return found + _features()


def _laid_on(scope: str) -> list[tuple[str, str, str, Handler]]:
    lock = f"{scope}/providers/Microsoft.Authorization/locks"
    role = f"{scope}/providers/Microsoft.Authorization/roleAssignments"
    tag = f"{scope}/providers/Microsoft.Resources/tags/default"
    return [
        (LOCKS, "GET", lock, locks.list_scope),
        (LOCKS, "PUT", f"{lock}/{{lock}}", locks.put),
        (LOCKS, "GET", f"{lock}/{{lock}}", locks.get),
        (LOCKS, "DELETE", f"{lock}/{{lock}}", locks.delete),
        (ROLES, "GET", role, access.list_scope),
        (ROLES, "PUT", f"{role}/{{assignment}}", access.put),
        (ROLES, "GET", f"{role}/{{assignment}}", access.get),
        (ROLES, "DELETE", f"{role}/{{assignment}}", access.delete),
        (PERMISSIONS, "GET", f"{scope}/providers/Microsoft.Authorization/permissions", access.permissions),
        (GATEWAY, "GET", tag, tags.get),
        (GATEWAY, "PUT", tag, tags.put),
        (GATEWAY, "PATCH", tag, tags.patch),
        (GATEWAY, "DELETE", tag, tags.delete),
    ]


def _features() -> list[tuple[str, str, str, Handler]]:
    everywhere = f"{SUBSCRIPTION}/providers/Microsoft.Features"
    several = f"{everywhere}/providers/{{namespace}}/features"
    one = f"{several}/{{feature}}"
    return [
        (FEATURES, "GET", f"{everywhere}/features", subscriptions.list_features),
        (FEATURES, "GET", several, subscriptions.list_features),
        (FEATURES, "GET", one, subscriptions.feature),
        (FEATURES, "POST", f"{one}/register", subscriptions.register_feature),
        (FEATURES, "POST", f"{one}/unregister", subscriptions.unregister_feature),
    ]
