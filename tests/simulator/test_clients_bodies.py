"""Bodies as clients send them: what each provider refuses of them, what it ignores, and in which words."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from azure.mgmt.compute.models import VirtualMachineScaleSet
from azure.mgmt.network.models import AddressSpace, Subnet, VirtualNetwork

from tests.simulator.azure import (
    A_RULE,
    Azure,
    Json,
    a_file_system,
    a_scale_set,
    a_security_group,
    a_stack,
    a_template,
    azure_with_a_network,
    identity_id,
    lustre_id,
    refusal,
)

NETWORK: Json = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}
GROUP: Json = {"location": "eastus", "properties": {}}
ADDRESS: Json = {
    "location": "eastus",
    "sku": {"name": "Standard"},
    "properties": {"publicIPAllocationMethod": "Static"},
}


@pytest.fixture(scope="module")
def azure() -> Azure:
    made = azure_with_a_network()
    made.finish(made.network.network_security_groups.begin_create_or_update, "rg", "nsg", GROUP)
    made.finish(made.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", a_scale_set(1))
    return made


def with_value(body: Json, path: str, value: Any) -> Json:
    """Return a body with another value at a dotted path; `...` takes it away."""
    made = copy.deepcopy(body)
    inner: Any = made
    *places, last = (int(each) if each.isdecimal() else each for each in path.split("."))
    for place in places:
        inner = inner[place]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return made


def send(azure: Azure, what: str, path: str, value: Any) -> tuple[int, str, str]:
    """Return the refusal of a body that differs in one place from one that is taken."""
    network, compute = azure.network, azure.compute
    rows: dict[str, tuple[Any, tuple[str, ...], Json]] = {
        "network": (network.virtual_networks.begin_create_or_update, ("rg", "other"), NETWORK),
        "subnet": (
            network.subnets.begin_create_or_update,
            ("rg", "net", "other"),
            {"properties": {"addressPrefix": "10.0.7.0/24"}},
        ),
        "group": (network.network_security_groups.begin_create_or_update, ("rg", "other"), GROUP),
        "rule": (network.security_rules.begin_create_or_update, ("rg", "nsg", "ssh"), {"properties": A_RULE}),
        "address": (network.public_ip_addresses.begin_create_or_update, ("rg", "other"), ADDRESS),
        "set": (compute.virtual_machine_scale_sets.begin_create_or_update, ("rg", "other"), a_scale_set(1)),
        "old set": (compute.virtual_machine_scale_sets.begin_create_or_update, ("rg", "train"), a_scale_set(1)),
        "patch": (compute.virtual_machine_scale_sets.begin_update, ("rg", "train"), {"sku": {"capacity": 1}}),
        "placement": (
            compute.proximity_placement_groups.create_or_update,
            ("rg", "other"),
            {"location": "eastus", "properties": {"proximityPlacementGroupType": "Standard"}},
        ),
        "resource group": (azure.resources.resource_groups.create_or_update, ("other",), {"location": "eastus"}),
        "deployment": (
            azure.deployments.deployments.begin_create_or_update,
            ("rg", "unit"),
            {"properties": {"mode": "Incremental", "template": a_template(a_security_group())}},
        ),
        "stack": (
            azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group,
            ("rg", "unit"),
            a_stack(a_security_group()),
        ),
    }
    if what in ("file system", "identity"):
        begin = azure.resources.resources.begin_create_or_update_by_id
        target, version, body = {
            "file system": (lustre_id(), "2025-07-01", a_file_system()),
            "identity": (identity_id("other"), "2024-11-30", {"location": "eastus"}),
        }[what]
        return refusal(begin, target, api_version=version, parameters=with_value(body, path, value))
    begin, names, body = rows[what]
    return refusal(begin, *names, with_value(body, path, value))


PROFILE = "properties.virtualMachineProfile"
SHAPE = "InvalidRequestContent"
FORMAT = "InvalidRequestFormat"


@pytest.mark.parametrize(
    ("what", "path", "value", "code"),
    [
        # unknown
        ("network", "properties.colour", "red", FORMAT),
        ("subnet", "properties.colour", "red", FORMAT),
        ("rule", "properties.colour", "red", FORMAT),
        ("set", "properties.colour", "red", "BadRequest"),
        ("set", f"{PROFILE}.storageProfile.osDisk.colour", "red", "BadRequest"),
        ("set", "colour", "red", SHAPE),
        ("network", "colour", "red", SHAPE),
        ("resource group", "colour", "red", SHAPE),
        ("stack", "properties.colour", "red", SHAPE),
        ("deployment", "properties.colour", "red", SHAPE),
        # wrong types
        ("network", "properties.addressSpace", "10.0.0.0/16", FORMAT),
        ("network", "properties.addressSpace.addressPrefixes", "10.0.0.0/16", FORMAT),
        ("rule", "properties.priority", "high", FORMAT),
        ("set", "sku.capacity", "many", "BadRequest"),
        ("set", "properties.overprovision", "perhaps", "BadRequest"),
        ("file system", "properties.storageCapacityTiB", "big", "BadRequest"),
        ("network", "tags", ["a"], SHAPE),
        # closed sets
        ("rule", "properties.access", "Perhaps", FORMAT),
        ("rule", "properties.direction", "Sideways", FORMAT),
        ("address", "sku.name", "Golden", FORMAT),
        ("set", "properties.upgradePolicy.mode", "Odd", "InvalidParameter"),
        ("set", f"{PROFILE}.storageProfile.osDisk.caching", "Odd", "InvalidParameter"),
        ("stack", "properties.actionOnUnmanage.resources", "burn", SHAPE),
        ("deployment", "properties.mode", "Odd", SHAPE),
        # missing
        ("network", "location", ..., "LocationRequired"),
        ("network", "properties.addressSpace", ..., "NetcfgInvalidVirtualNetworkSite"),
        ("rule", "properties.priority", ..., "SecurityRuleParameterMissing"),
        ("set", "location", ..., "LocationRequired"),
        ("set", "sku.name", ..., "InvalidParameter"),
        ("set", f"{PROFILE}.storageProfile.imageReference", ..., "InvalidParameter"),
        ("stack", "properties.actionOnUnmanage", ..., SHAPE),
        ("stack", "properties.denySettings", ..., SHAPE),
        ("deployment", "properties.mode", ..., SHAPE),
        ("file system", "properties.filesystemSubnet", ..., "InvalidParameter"),
        # limits
        ("rule", "properties.priority", 5000, "SecurityRuleInvalidPriority"),
        ("set", f"{PROFILE}.osProfile.computerNamePrefix", "x" * 59, "InvalidParameter"),
        ("set", f"{PROFILE}.osProfile.customData", "e" * 90000, "InvalidParameter"),
        ("set", "sku.capacity", 1001, "OperationNotAllowed"),
        ("network", "tags", {f"t{each}": "x" for each in range(51)}, "InvalidTagsCount"),
        ("network", "tags", {"t" * 513: "x"}, "InvalidTagName"),
        ("network", "tags", {"t": "x" * 257}, "InvalidTagValueLength"),
        # for good
        ("old set", "location", "westus", "InvalidResourceLocation"),
        ("old set", "properties.orchestrationMode", "Flexible", "PropertyChangeNotAllowed"),
        ("old set", f"{PROFILE}.osProfile.computerNamePrefix", "other", "PropertyChangeNotAllowed"),
        ("old set", "properties.platformFaultDomainCount", 5, "PropertyChangeNotAllowed"),
    ],
)
def test_a_body_is_refused_by_whoever_reads_it(azure: Azure, what: str, path: str, value: Any, code: str) -> None:
    status, found, message = send(azure, what, path, value)

    assert (status in (400, 409), found) == (True, code), message


def test_what_only_azure_sets_is_taken_and_not_looked_at(azure: Azure) -> None:
    sets, networks = azure.compute.virtual_machine_scale_sets, azure.network.virtual_networks
    of_set, of_network = sets.get("rg", "train").as_dict(), networks.get("rg", "net").as_dict()
    odd = copy.deepcopy(of_set)
    odd["properties"] |= {"uniqueId": "mine", "timeCreated": "2001-01-01T00:00:00Z", "provisioningState": "Odd"}

    azure.finish(sets.begin_create_or_update, "rg", "train", odd)
    azure.finish(networks.begin_create_or_update, "rg", "net", of_network)

    after, again = sets.get("rg", "train").as_dict(), networks.get("rg", "net").as_dict()
    for body in (after, of_set, again, of_network):
        body.pop("etag")
    assert after == of_set
    assert [each["name"] for each in again["properties"]["subnets"]] == ["nodes"]
    assert again["properties"]["resourceGuid"] == of_network["properties"]["resourceGuid"]


def test_an_older_version_does_not_know_a_newer_property(azure: Azure) -> None:
    sets: Any = azure.compute.virtual_machine_scale_sets
    body = a_scale_set(1, properties={"highSpeedInterconnectPlacement": "Trunk"})

    def refused(version: str) -> tuple[int, str, str]:
        return refusal(sets.begin_create_or_update, "rg", "other", body, api_version=version)

    status, code, message = refused("2024-11-01")
    assert (status, code) == (400, "BadRequest")
    assert "highSpeedInterconnectPlacement" in message


def test_models_of_the_clients_are_taken_as_plain_bodies_are(azure: Azure) -> None:
    network = VirtualNetwork(location="eastus", tags={"a": "b"})
    network.address_space = AddressSpace(address_prefixes=["10.9.0.0/16"])
    network.subnets = [Subnet({"name": "nodes", "properties": {"addressPrefix": "10.9.0.0/24"}})]
    made = azure.finish(azure.network.virtual_networks.begin_create_or_update, "rg", "modelled", network)
    place = made.as_dict()["properties"]["subnets"][0]["id"]
    model = VirtualMachineScaleSet(a_scale_set(1, subnet=place))
    stood = azure.finish(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "modelled", model)

    assert made.tags == {"a": "b"}
    assert (stood.sku.capacity, stood.provisioning_state) == (1, "Succeeded")
