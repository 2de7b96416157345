"""Requests to Resource Manager itself: groups, resource lists, providers and their jobs."""

from __future__ import annotations

import re

from provision.simulator import errors, groups, operations, providers
from provision.simulator.calls import Call
from provision.simulator.facts import regions
from provision.simulator.ids import cased
from provision.simulator.messages import Json, Reply
from provision.simulator.world import Resource

_TAG_FILTER = re.compile(r"tagName\s+eq\s+'([^']*)'(?:\s+and\s+tagValue\s+eq\s+'([^']*)')?", re.IGNORECASE)
_TYPE_FILTER = re.compile(r"resourceType\s+eq\s+'([^']*)'", re.IGNORECASE)
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
        "virtualNetworks/subnets",
        "virtualNetworks/virtualNetworkPeerings",
        "bastionHosts",
    ),
    "Microsoft.StorageCache": ("amlFilesystems",),
    "Microsoft.ManagedIdentity": ("userAssignedIdentities",),
    "Microsoft.Authorization": ("locks",),
    "Microsoft.Resources": ("resourceGroups", "deployments", "deploymentStacks"),
}


def locations(call: Call) -> Reply:
    return Reply(200, {"value": [_location(call.subscription, name) for name in regions()]})


def list_providers(call: Call) -> Reply:
    return Reply(200, {"value": [_provider(call.subscription, namespace) for namespace in PROVIDERS]})


def provider(call: Call) -> Reply:
    namespace = cased(call.params["namespace"])
    if namespace not in PROVIDERS:
        raise errors.unknown_namespace(call.params["namespace"])
    return Reply(200, _provider(call.subscription, namespace))


# --- groups ---


def put_group(call: Call) -> Reply:
    status, group = groups.put(call.world, call.now, call.subscription, call.params["group"], call.body, call.text)
    return Reply(status, groups.render(group))


def patch_group(call: Call) -> Reply:
    return Reply(200, groups.render(groups.patch(call.world, call.group(), call.body, call.text)))


def get_group(call: Call) -> Reply:
    return Reply(200, groups.render(call.group()))


def head_group(call: Call) -> Reply:
    call.group()
    return Reply(204)


def delete_group(call: Call) -> Reply:
    operation = groups.delete(call.world, call.now, call.group(), call.origin)
    return call.started(202, operation)


def list_groups(call: Call) -> Reply:
    here = f"/subscriptions/{call.subscription}/".lower()
    rows = [row for row in call.world.groups.values() if row.key.startswith(here)]
    wanted = _tag_filter(call)
    if wanted is not None:
        rows = [row for row in rows if _has_tag(row.tags, *wanted)]
    return call.page(sorted(rows, key=lambda row: row.key), groups.render)


def poll_group(call: Call) -> Reply:
    return operations.poll_group(call.world, call.request, call.params["job"], call.version)


# --- resources, whatever their type ---


def list_resources(call: Call) -> Reply:
    """Answer with top-level resources, of one group or of the subscription."""
    if "group" in call.params:
        rows = call.world.resources.members(call.group().key)
    else:
        here = f"/subscriptions/{call.subscription}/".lower()
        rows = sorted(
            (row for row in call.world.resources.values() if row.key.startswith(here)),
            key=lambda row: row.key,
        )
    rows = [row for row in rows if row.rid.parent is None]
    wanted, type_ = _tag_filter(call), _TYPE_FILTER.search(call.request.query.get("$filter", ""))
    if wanted is not None:
        rows = [row for row in rows if _has_tag(row.body.get("tags", {}), *wanted)]
    if type_ is not None:
        rows = [row for row in rows if row.type.lower() == type_[1].lower()]
    return call.page(rows, _generic)


def _generic(row: Resource) -> Json:
    return providers.generic(row)


def _tag_filter(call: Call) -> tuple[str, str | None] | None:
    found = _TAG_FILTER.search(call.request.query.get("$filter", ""))
    return None if found is None else (found[1], found[2])


def _has_tag(tags: dict[str, str], name: str, value: str | None) -> bool:
    """Return whether a tag is there. Names of tags compare without case, values with it."""
    return any(key.lower() == name.lower() and value in (None, each) for key, each in tags.items())


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


def _provider(subscription_id: str, namespace: str) -> Json:
    """Return a provider, registered; locations go by their display names here."""
    places = [region.display_name for region in regions().values()]
    return {
        "id": f"/subscriptions/{subscription_id}/providers/{namespace}",
        "namespace": namespace,
        "resourceTypes": [
            {"resourceType": kind, "locations": places, "apiVersions": []} for kind in PROVIDERS[namespace]
        ],
        "registrationState": "Registered",
        "registrationPolicy": "RegistrationRequired",
    }
