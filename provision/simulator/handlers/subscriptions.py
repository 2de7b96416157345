"""Requests about what a subscription can use: regions, resource providers and their features."""

from __future__ import annotations

from provision.simulator.access import registrations
from provision.simulator.handlers.calls import Call
from provision.simulator.refusals import errors
from provision.simulator.state.facts import regions
from provision.simulator.state.ids import cased
from provision.simulator.state.versions import newest_first
from provision.simulator.state.world import World
from provision.simulator.storage import stored
from provision.simulator.wire.messages import Json, Reply

PROVIDERS = {
    "Microsoft.Compute": (
        "virtualMachineScaleSets",
        "virtualMachineScaleSets/extensions",
        "virtualMachineScaleSets/virtualMachines",
        "virtualMachineScaleSets/virtualMachines/runCommands",
        "proximityPlacementGroups",
        "capacityReservationGroups",
        "capacityReservationGroups/capacityReservations",
        "skus",
    ),
    "Microsoft.MarketplaceOrdering": ("offerTypes/publishers/offers/plans/agreements",),
    "Microsoft.Network": (
        "networkSecurityGroups",
        "publicIPAddresses",
        "natGateways",
        "virtualNetworks",
        "networkSecurityGroups/securityRules",
        "virtualNetworks/subnets",
        "virtualNetworks/virtualNetworkPeerings",
        "bastionHosts",
    ),
    "Microsoft.StorageCache": ("amlFilesystems",),
    "Microsoft.ManagedIdentity": ("userAssignedIdentities",),
    "Microsoft.Authorization": ("locks", "roleAssignments", "permissions"),
    "Microsoft.Features": ("features", "providers"),
    "Microsoft.Resources": ("resourceGroups", "deployments", "deploymentStacks", "tags"),
}
"""The providers that are simulated, and their types."""

FEATURES = ("Microsoft.Compute/EncryptionAtHost", "Microsoft.Compute/InGuestAutoAssessmentVMPreview")
"""Features that a subscription can register for, beside those that the tester names."""


def locations(call: Call) -> Reply:
    return Reply(200, {"value": [_location(call.subscription, name) for name in regions()]})


# --- resource providers ---


def list_providers(call: Call) -> Reply:
    names = dict.fromkeys((*PROVIDERS, *stored.namespaces(call.world)))
    return call.page(list(names), lambda namespace: _provider(call, namespace))


def provider(call: Call) -> Reply:
    return Reply(200, _provider(call, _namespace(call)))


def provider_of_tenant(call: Call) -> Reply:
    """Answer with a provider as the tenant sees it: registered nowhere."""
    return Reply(200, _of_tenant(call.world, _namespace(call)))


def list_providers_of_tenant(call: Call) -> Reply:
    names = dict.fromkeys((*PROVIDERS, *stored.namespaces(call.world)))
    return call.page(list(names), lambda namespace: _of_tenant(call.world, namespace))


def list_types(call: Call) -> Reply:
    return Reply(200, {"value": _types(call.world, _namespace(call))})


def register(call: Call) -> Reply:
    return _changed(call, registrations.REGISTERED)


def unregister(call: Call) -> Reply:
    namespace = _namespace(call)
    used = [row for row in call.world.resources.values() if row.rid.namespace == namespace]
    if any(row.rid.subscription.lower() == call.subscription.lower() for row in used):
        text = f"Cannot unregister: the subscription has resources of the resource provider '{namespace}'."
        raise errors.Refusal(409, "CannotUnregisterResourceProvider", text)
    return _changed(call, registrations.NOT_REGISTERED)


def provider_permissions(call: Call) -> Reply:
    _namespace(call)
    return Reply(200, {"value": []})


def _changed(call: Call, to: str) -> Reply:
    namespace = _namespace(call)
    if namespace not in registrations.FREE:
        registrations.change(call.world, call.now, call.subscription, namespace, to=to)
    return Reply(200, _provider(call, namespace))


def resource_types(call: Call) -> Reply:
    """Answer with what a provider has, without the provider around it."""
    return Reply(200, {"value": _types(call.world, _namespace(call))})


def _namespace(call: Call) -> str:
    namespace = cased(call.params["namespace"])
    if namespace not in PROVIDERS and not stored.in_namespace(call.world, namespace):
        raise errors.unknown_namespace(call.params["namespace"])
    return namespace


def _provider(call: Call, namespace: str) -> Json:
    """Return a provider; locations go by their display names here."""
    free = namespace in registrations.FREE
    return {
        "id": f"/subscriptions/{call.subscription}/providers/{namespace}",
        "namespace": namespace,
        "resourceTypes": _types(call.world, namespace),
        "registrationState": registrations.state(call.world, namespace),
        "registrationPolicy": "RegistrationFree" if free else "RegistrationRequired",
    }


def _of_tenant(world: World, namespace: str) -> Json:
    return {"namespace": namespace, "resourceTypes": _types(world, namespace)}


def _types(world: World, namespace: str) -> list[Json]:
    places = [region.display_name for region in regions().values()]
    return [
        {"resourceType": kind, "locations": places, "apiVersions": newest_first(f"{namespace}/{kind}")}
        for kind in (*PROVIDERS.get(namespace, ()), *stored.in_namespace(world, namespace))
    ]


# --- features ---


def list_features(call: Call) -> Reply:
    names = {name.lower(): name for name in FEATURES}
    names |= {row.key: row.name for row in call.world.registrations.values() if "/" in row.name}
    wanted = call.params.get("namespace", "").lower()
    rows = [name for key, name in sorted(names.items()) if not wanted or key.startswith(f"{wanted}/")]
    return call.page(rows, lambda name: _feature(call, name))


def feature(call: Call) -> Reply:
    return Reply(200, _feature(call, _feature_name(call)))


def register_feature(call: Call) -> Reply:
    name = _feature_name(call)
    registrations.change(call.world, call.now, call.subscription, name, to=registrations.REGISTERED)
    return Reply(200, _feature(call, name))


def unregister_feature(call: Call) -> Reply:
    name = _feature_name(call)
    registrations.change(call.world, call.now, call.subscription, name, to=registrations.NOT_REGISTERED)
    return Reply(200, _feature(call, name))


def _feature_name(call: Call) -> str:
    name = f"{cased(call.params['namespace'])}/{call.params['feature']}"
    known = next((each for each in FEATURES if each.lower() == name.lower()), None)
    if known is None and name.lower() not in call.world.registrations:
        text = f"The feature '{call.params['feature']}' could not be found."
        raise errors.Refusal(404, "FeatureNotFound", text)
    return known or call.world.registrations[name.lower()].name


def _feature(call: Call, name: str) -> Json:
    namespace, _, short = name.partition("/")
    here = f"/subscriptions/{call.subscription}/providers/Microsoft.Features/providers/{namespace}/features/{short}"
    return {
        "properties": {"state": registrations.state(call.world, name)},
        "id": here,
        "type": "Microsoft.Features/providers/features",
        "name": name,
    }


def _location(subscription_id: str, name: str) -> Json:
    region = regions()[name]
    body: Json = {
        "id": f"/subscriptions/{subscription_id}/locations/{name}",
        "name": name,
        "type": "Region",
        "displayName": region.display_name,
        "regionalDisplayName": f"({region.geography}) {region.display_name}",
        "metadata": {"regionType": "Physical", "geography": region.geography},
    }
    if region.paired_region:
        paired = {
            "name": region.paired_region,
            "id": f"/subscriptions/{subscription_id}/locations/{region.paired_region}",
        }
        body["metadata"]["pairedRegion"] = [paired]
    if region.zones:
        body["availabilityZoneMappings"] = [
            {"logicalZone": zone, "physicalZone": f"{name}-az{zone}"} for zone in region.zones
        ]
    return body
