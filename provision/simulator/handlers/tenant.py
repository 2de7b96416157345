"""What a client asks before it knows of any subscription: the tenant, its subscriptions, and the cloud's endpoints."""

from __future__ import annotations

from provision.simulator.access import tags
from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import errors
from provision.simulator.state.tokens import TENANT
from provision.simulator.state.world import World
from provision.simulator.wire.messages import Json, Reply, Request

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
"""The one that is listed while there is nothing in any."""


def subscription(call: Call) -> Reply:
    own = tags.read(call.world, f"/subscriptions/{call.subscription}")
    return Reply(200, {**_subscription(call.subscription), **({"tags": own} if own else {})})


def subscriptions(call: Call) -> Reply:
    return call.page(known_subscriptions(call.world), _subscription)


def tenants(call: Call) -> Reply:
    tenant = {
        "id": f"/tenants/{TENANT}",
        "tenantId": TENANT,
        "countryCode": "US",
        "displayName": "Simulated tenant",
        "domains": ["simulated.onmicrosoft.com"],
        "tenantCategory": "Home",
        "defaultDomain": "simulated.onmicrosoft.com",
        "tenantType": "AAD",
    }
    return call.page([tenant], lambda each: each)


def known_subscriptions(world: World) -> list[str]:
    """Return the tester's `subscriptions`; without any, those in which there are groups."""
    stated = world.setting("subscriptions", [])
    found = [str(each).lower() for each in stated] or sorted(
        {row.subscription.lower() for row in world.groups.values()}
    )
    return found or [SUBSCRIPTION]


def refuse_unknown(world: World, subscription: str) -> None:
    """Refuse a subscription that the tester does not name; as long as none is named, each exists."""
    if world.setting("subscriptions", []) and subscription.lower() not in known_subscriptions(world):
        raise errors.no_subscription(subscription)


def is_for_endpoints(request: Request) -> bool:
    return request.method == "GET" and request.path.strip("/").lower() == "metadata/endpoints"


def endpoints(request: Request) -> Reply:
    """Return what clients configure a cloud from. Needs no token. Until 2019 it was a smaller thing, after a list."""
    version = request.query.get("api-version")
    if not version:
        raise errors.no_api_version()
    if version < "2019":
        brief = {
            "galleryEndpoint": request.base,
            "graphEndpoint": "https://graph.windows.net/",
            "portalEndpoint": request.base,
            "authentication": _authentication(request),
        }
        return Reply(200, brief)
    cloud: Json = {
        "portal": request.base,
        "authentication": _authentication(request),
        "graphAudience": "https://graph.windows.net/",
        "graph": "https://graph.windows.net/",
        "name": "AzureSimulated",
        "suffixes": {
            "acrLoginServer": "azurecr.io",
            "keyVaultDns": "vault.azure.net",
            "mhsmDns": "managedhsm.azure.net",
            "storage": "core.windows.net",
            "sqlServerHostname": "database.windows.net",
        },
        "batch": "https://batch.core.windows.net/",
        "resourceManager": request.base,
        "microsoftGraphResourceId": "https://graph.microsoft.com/",
        "activeDirectoryDataLake": "https://datalake.azure.net/",
        "sqlManagement": "https://management.core.windows.net:8443/",
        "gallery": request.base,
    }
    # The public Azure lists its sister clouds too; a private cloud, as this is one, answers with itself alone.
    return Reply(200, cloud)


def _authentication(request: Request) -> Json:
    return {
        "loginEndpoint": f"{request.base}/",
        "audiences": ["https://management.core.windows.net/", "https://management.azure.com/"],
        "tenant": "common",
        "identityProvider": "AAD",
    }


def _subscription(text: str) -> Json:
    return {
        "id": f"/subscriptions/{text}",
        "authorizationSource": "RoleBased",
        "managedByTenants": [],
        "subscriptionId": text,
        "tenantId": TENANT,
        "displayName": "Simulated subscription",
        "state": "Enabled",
        "subscriptionPolicies": {
            "locationPlacementId": "Public_2014-09-01",
            "quotaId": "EnterpriseAgreement_2014-09-01",
            "spendingLimit": "Off",
        },
    }
