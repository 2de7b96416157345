"""What the table of changes says of what stands around the sets is what happens, as in test_changes_happen.py."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from provision.adapters.policies import load_policies
from provision.arm import ResourceId
from provision.plan.carry import carried_body
from provision.plan.context import worst
from provision.plan.diff import edits_of
from provision.plan.model import Action
from provision.plan.stated import Stated, recordable
from tests.contracts.test_changes_happen import ABSENT, P, changed
from tests.simulator.azure import KINDS, Azure, Json, a_file_system, azure_with_a_network, group_id

UPDATE, REPLACE = Action.UPDATE, Action.REPLACE
NETWORK, COMPUTE = (f"{group_id()}/providers/Microsoft.{name}" for name in ("Network", "Compute"))
NET = f"{NETWORK}/virtualNetworks/net"
FAR = f"{NETWORK}/virtualNetworks/far"
MORE = f"{NETWORK}/virtualNetworks/more"
LUSTRE = f"{group_id()}/providers/Microsoft.StorageCache/amlFilesystems/data"
RESERVED = f"{COMPUTE}/capacityReservationGroups/pool"
VERSIONS = {**KINDS, "resourceGroups/rg?": "2025-04-01"}


def network(prefix: str) -> Json:
    subnets = [{"name": "nodes", "properties": {"addressPrefix": f"{prefix}.0.0/24"}}]
    space = {"addressPrefixes": [f"{prefix}.0.0/16"]}
    return {"location": "eastus", "properties": {"addressSpace": space, "subnets": subnets}}


def rule(name: str = "ssh", **values: Any) -> Json:
    stated = {
        "priority": 100,
        "direction": "Inbound",
        "access": "Allow",
        "protocol": "Tcp",
        "sourceAddressPrefixes": ["203.0.113.0/24"],
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRanges": ["22"],
    }
    return {"name": name, "properties": {**stated, **values}}


STANDARD = {"sku": {"name": "Standard", "tier": "Regional"}}
#: What the rows change, by id: how it is to begin with, in the order in which it is made.
BODIES: Mapping[str, Json] = {
    f"{NETWORK}/networkSecurityGroups/nsg": {"location": "eastus", "properties": {"securityRules": [rule()]}},
    f"{NETWORK}/publicIPAddresses/ip": {
        "location": "eastus",
        **STANDARD,
        "properties": {"publicIPAllocationMethod": "Static", "publicIPAddressVersion": "IPv4"},
    },
    f"{NETWORK}/publicIPAddresses/other": {
        "location": "eastus",
        **STANDARD,
        "properties": {"publicIPAllocationMethod": "Static"},
    },
    f"{NETWORK}/natGateways/nat": {
        "location": "eastus",
        "sku": {"name": "Standard"},
        "properties": {"publicIpAddresses": [{"id": f"{NETWORK}/publicIPAddresses/ip"}], "idleTimeoutInMinutes": 4},
    },
    FAR: network("10.1"),
    MORE: network("10.2"),
    f"{NET}/virtualNetworkPeerings/far": {
        "properties": {"remoteVirtualNetwork": {"id": FAR}, "allowVirtualNetworkAccess": True}
    },
    f"{NET}/subnets/nodes": {"properties": {"addressPrefix": "10.0.0.0/24"}},
    NET: {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}},
    f"{COMPUTE}/proximityPlacementGroups/near": {
        "location": "eastus",
        "zones": ["1"],
        "properties": {"proximityPlacementGroupType": "Standard", "intent": {"vmSizes": ["Standard_D8s_v5"]}},
    },
    RESERVED: {"location": "eastus", "zones": ["1", "2"], "properties": {}},
    f"{RESERVED}/capacityReservations/small": {
        "location": "eastus",
        "zones": ["1"],
        "sku": {"name": "Standard_D8s_v5", "capacity": 2},
        "properties": {},
    },
    f"{FAR}/subnets/lustre": {"properties": {"addressPrefix": "10.1.1.0/24"}},
    LUSTRE: a_file_system(subnet=f"{FAR}/subnets/lustre"),
}


@dataclass(frozen=True)
class Row:
    """A row: the change of a path of a resource, the action that it is, and the code with which Azure refuses it."""

    id: str
    path: str
    after: Any
    action: Action
    code: str = ""
    beside: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{ResourceId(self.id).type.rpartition('/')[2]}-{self.path}-{self.action.label}"


def rows(id: str, *changes: tuple[Any, ...]) -> list[Row]:
    return [Row(id, *change) for change in changes]


ELSEWHERE = ("location", "westus3", REPLACE, "InvalidResourceLocation")
ROWS = (
    *rows(
        f"{NETWORK}/networkSecurityGroups/nsg",
        ELSEWHERE,
        ("tags", {"a": "1"}, UPDATE),
        (f"{P}.securityRules", [rule(sourceAddressPrefixes=["198.51.100.0/24"])], UPDATE),
        (f"{P}.securityRules", [rule(), rule("more", priority=110)], UPDATE),
    ),
    *rows(
        f"{NETWORK}/publicIPAddresses/ip",
        ELSEWHERE,
        ("sku.name", "StandardV2", REPLACE, "SkuPropertyCannotBeChanged"),
        ("sku.tier", "Global", REPLACE, "SkuPropertyCannotBeChanged"),
        ("zones", ["1"], REPLACE, "ResourceAvailabilityZonesCannotBeModified"),
        (f"{P}.publicIPAddressVersion", "IPv6", REPLACE, "PropertyCannotBeChangedOnUpdate"),
        (f"{P}.idleTimeoutInMinutes", 10, UPDATE),
    ),
    *rows(
        f"{NETWORK}/natGateways/nat",
        ELSEWHERE,
        ("sku.name", "StandardV2", REPLACE, "SkuPropertyCannotBeChanged"),
        ("zones", ["1"], REPLACE, "ResourceAvailabilityZonesCannotBeModified"),
        (f"{P}.idleTimeoutInMinutes", 10, UPDATE),
        (
            f"{P}.publicIpAddresses",
            [{"id": f"{NETWORK}/publicIPAddresses/{name}"} for name in ("ip", "other")],
            UPDATE,
        ),
    ),
    *rows(
        NET,
        ELSEWHERE,
        (f"{P}.addressSpace.addressPrefixes", ["10.0.0.0/16", "10.9.0.0/16"], UPDATE),
        (f"{P}.addressSpace.addressPrefixes", ["10.9.0.0/16"], REPLACE, "NetcfgInvalidSubnet"),
    ),
    *rows(
        f"{NET}/subnets/nodes",
        (f"{P}.addressPrefix", "10.0.4.0/24", REPLACE, "InUsePrefixCannotBeDeleted"),
        (f"{P}.networkSecurityGroup", {"id": f"{NETWORK}/networkSecurityGroups/nsg"}, UPDATE),
        (f"{P}.natGateway", {"id": f"{NETWORK}/natGateways/nat"}, UPDATE),
        (f"{P}.defaultOutboundAccess", False, UPDATE),
    ),
    *rows(
        f"{NET}/virtualNetworkPeerings/far",
        (f"{P}.remoteVirtualNetwork", {"id": MORE}, REPLACE, "ChangingRemoteVirtualNetworkNotAllowed"),
        (f"{P}.allowForwardedTraffic", True, UPDATE),
    ),
    *rows(
        f"{COMPUTE}/proximityPlacementGroups/near",
        ELSEWHERE,
        ("zones", ["2"], REPLACE, "PropertyChangeNotAllowed"),
        ("tags", {"a": "1"}, UPDATE),
    ),
    *rows(RESERVED, ELSEWHERE, ("zones", ["1"], REPLACE, "PropertyChangeNotAllowed"), ("tags", {"a": "1"}, UPDATE)),
    *rows(
        f"{RESERVED}/capacityReservations/small",
        ("sku.name", "Standard_D4s_v5", REPLACE, "PropertyChangeNotAllowed"),
        ("zones", ["2"], REPLACE, "PropertyChangeNotAllowed"),
        ("sku.capacity", 3, UPDATE),
    ),
    *rows(
        LUSTRE,
        ELSEWHERE,
        (f"{P}.storageCapacityTiB", 32, REPLACE, "PropertyChangeNotAllowed"),
        ("zones", ["2"], REPLACE, "PropertyChangeNotAllowed"),
        ("sku.name", "AMLFS-Durable-Premium-500", REPLACE, "PropertyChangeNotAllowed"),
        (f"{P}.maintenanceWindow.timeOfDayUTC", "04:00", UPDATE),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def made() -> Azure:
    """Return an Azure with all that the rows change, and a set whose nodes are in the subnet."""
    azure = azure_with_a_network()
    for id, body in BODIES.items():
        if id not in (NET, f"{NET}/subnets/nodes"):
            assert azure.put(id, body).status in (200, 201), id
    azure.make_scale_set(nodes=2)
    return azure


@pytest.fixture
def azure(made: Azure) -> Azure:
    """Return a copy of it, for each row to change."""
    copied = Azure()
    copied.ask("PUT", "/_simulator/world", made.world)
    return copied


@pytest.mark.parametrize("row", [pytest.param(row, id=str(row)) for row in ROWS])
def test_what_the_plan_says_of_a_change_is_what_azure_does_with_it(row: Row, azure: Azure) -> None:
    before = BODIES[row.id]
    after = changed(before, {row.path: row.after, **row.beside})
    policies, observed, id = load_policies(), azure.get(row.id), ResourceId(row.id)
    known = policies.of(id.type)
    recorded = recordable(Stated(id, before), policies)

    def edits_to(stated: Json) -> Any:
        return edits_of(stated, observed, recorded, known, lambda path: "")

    edits = edits_to(after)
    body, _ = carried_body(copy.deepcopy(after), observed, recorded, edits, known)
    answer = azure.put(row.id, body)

    assert edits_to(before) == ()
    assert worst(edits) is row.action
    assert (answer.status < 300, answer.json().get("error", {}).get("code", "")) == (not row.code, row.code)


def test_another_name_is_another_resource_and_no_change_of_one(azure: Azure) -> None:
    for id in (NET, f"{COMPUTE}/virtualMachineScaleSets/train"):
        assert load_policies().of(ResourceId(id).type).policy("name", "a", "b").action == "replace"
    body = {"location": "eastus", "properties": {"securityRules": []}}

    assert azure.put(f"{NETWORK}/networkSecurityGroups/other", body).status == 201
    assert azure.get(f"{NETWORK}/networkSecurityGroups/nsg")["properties"]["securityRules"] != []


def test_absent_values_are_taken_away() -> None:
    assert changed({"a": {"b": 1, "c": 2}}, {"a.b": ABSENT}) == {"a": {"c": 2}}
