"""What others add to what stands is no change of ours: not for an example as it is, and not for one that is edited.

The simulator drifts its casing and gives lists in another order (`HARD`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.arm import NAT_GATEWAYS, SCALE_SETS, SECURITY_GROUPS, SUBNETS, VIRTUAL_NETWORKS, ResourceId
from provision.plan.stated import stated_in
from tests.clusters.clusters import NAMES, applied, azure_for, plan, units
from tests.support.azure import ENDPOINT, Azure
from tests.support.worlds import SUBSCRIPTION

IDENTITIES = "Microsoft.ManagedIdentity/userAssignedIdentities"
RULE = {
    "priority": 4000,
    "direction": "Inbound",
    "access": "Deny",
    "protocol": "Tcp",
    "sourceAddressPrefix": "198.51.100.0/24",
    "sourcePortRange": "*",
    "destinationAddressPrefix": "*",
    "destinationPortRange": "8443",
}
EXTENSION = {"publisher": "Others", "type": "Monitor", "typeHandlerVersion": "1.0"}
ENDPOINTS = [{"service": "Microsoft.Storage"}]
#: A range of theirs in each network, which overlaps no other, by the number of networks that have one.
THEIRS = "203.0.113.{}/28"
#: Whose apply takes the simulator half a minute.
LARGE = ("fleet-23-regions", "mlperf-gpt3-raised", "eagle", "eagle-raised", "mlperf-gpt3")


def ask(azure: Azure, method: str, id: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Send a request as a colleague does, and wait until what it began is over."""
    type = ResourceId(id).type
    version = load_catalog().api_versions.get(type, load_catalog().api_versions.get(type.rpartition("/")[0], ""))
    content = b"" if body is None else json.dumps(body).encode()
    url = f"{ENDPOINT}{id}?api-version={version or '2024-11-30'}"
    answer = azure.simulator.handle(method, url, {"Authorization": "Bearer colleague"}, content)
    assert answer.status < 300, (method, id, answer.body)
    if method != "GET":
        azure.wait(600)
    found: dict[str, Any] = json.loads(answer.body or b"{}")
    return found


def with_tag(azure: Azure, id: str) -> list[str]:
    tags = ask(azure, "GET", id).get("tags") or {}
    ask(azure, "PATCH", id, {"tags": {**tags, "billing": "42"}})
    return [f"{id} tags.billing"]


def with_rule(azure: Azure, id: str) -> list[str]:
    ask(azure, "PUT", f"{id}/securityRules/theirs", {"properties": RULE})
    return [f"{id} properties.securityRules[theirs]", *with_tag(azure, id)]


def with_subnet(azure: Azure, id: str) -> list[str]:
    body = ask(azure, "GET", id)
    theirs = THEIRS.format(16 * sum(each["name"] == "theirs" for each in azure.control("GET", "world")["resources"]))
    prefixes = [*body["properties"]["addressSpace"]["addressPrefixes"], theirs]
    ask(azure, "PUT", id, {**body, "properties": {**body["properties"], "addressSpace": {"addressPrefixes": prefixes}}})
    ask(azure, "PUT", f"{id}/subnets/theirs", {"properties": {"addressPrefix": theirs}})
    space = f"{id} properties.addressSpace.addressPrefixes[{theirs}]"
    return [f"{id}/subnets/theirs ", space, *with_tag(azure, id)]


def with_endpoints(azure: Azure, id: str) -> list[str]:
    properties = ask(azure, "GET", id)["properties"]
    ask(azure, "PUT", id, {"properties": {**properties, "serviceEndpoints": ENDPOINTS}})
    return [f"{id} properties.serviceEndpoints"]


def with_extension_and_identity(azure: Azure, id: str) -> list[str]:
    identity = f"{id.partition('/providers/')[0]}/providers/{IDENTITIES}/theirs"
    body = ask(azure, "GET", id)
    ask(azure, "PUT", identity, {"location": body["location"]})
    mine = (body.get("identity") or {}).get("userAssignedIdentities") or {}
    given = {"type": "SystemAssigned, UserAssigned", "userAssignedIdentities": {each: {} for each in (*mine, identity)}}
    ask(azure, "PATCH", id, {"identity": given})
    ask(azure, "PUT", f"{id}/extensions/theirs", {"properties": EXTENSION})
    return [
        f"{id} properties.virtualMachineProfile.extensionProfile.extensions[theirs]",
        f"{id} identity.type[SystemAssigned]",
        f"{id} identity.userAssignedIdentities[{identity}]",
        *with_tag(azure, id),
    ]


ADDITIONS: dict[str, Callable[[Azure, str], list[str]]] = {
    SECURITY_GROUPS: with_rule,
    VIRTUAL_NETWORKS: with_subnet,
    SUBNETS: with_endpoints,
    SCALE_SETS: with_extension_and_identity,
    NAT_GATEWAYS: with_tag,
    "Microsoft.Network/publicIPAddresses": with_tag,
    "Microsoft.StorageCache/amlFilesystems": with_tag,
}


def ours(name: str) -> Iterator[str]:
    """Yield the ids of what an example makes: two of each type, for many are alike."""
    counts: dict[str, int] = {}
    for id in (stated.id for unit in units(name) for stated in stated_in(unit, SUBSCRIPTION)):
        counts[id.type] = counts.get(id.type, 0) + 1
        if counts[id.type] <= 2:
            yield str(id)


def additions(azure: Azure) -> list[str]:
    """Return all that stands of what the colleague added, each as TYPE NAME PATH."""
    found = []
    for body in azure.control("GET", "world")["resources"]:
        text = json.dumps(body)
        id = ResourceId(body["id"])
        marks = (
            '"billing"',
            "/securityRules/theirs",
            "203.0.113.",
            'Microsoft.Storage"',
            IDENTITIES,
            '"Others"',
            "SystemA",
        )
        found += [f"{id.type} {id.name} {mark}" for mark in marks if mark.lower() in text.lower()]
    return sorted(found)


@pytest.mark.parametrize("name", NAMES)
def test_what_others_add_is_no_change_and_survives_an_edit(name: str) -> None:
    azure = azure_for(name)
    applied(azure, name)
    added = [line for id in ours(name) if (add := ADDITIONS.get(ResourceId(id).type)) for line in add(azure, id)]
    there = additions(azure)

    found = plan(azure, name)

    assert [(change.action.label, change.id.name, change.edits) for change in found.changes] == []
    assert found.drift == ()
    assert {line.lower() for line in added} - {f"{kept.id} {kept.path}".lower() for kept in found.kept} == set()
    if name in LARGE:
        return  # as the others, for minutes
    applied(azure, name, "tags.edited=once")
    assert additions(azure) == there
    assert plan(azure, name, "tags.edited=once").changes == ()
