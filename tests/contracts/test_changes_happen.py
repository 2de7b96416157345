"""What the table of changes says is what happens: each row of what is known about scale sets, sent to the simulator.

The simulator's own tables are independent of ours, so a mistake in one does not cancel in the other. Each row is a
change of a set that runs: the plan names its action, the very body that the plan would send is sent through Microsoft's
client, and the set and its nodes are looked at.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError

from provision.adapters.policies import load_policies
from provision.arm import SCALE_SETS, ResourceId
from provision.plan.carry import carried_body
from provision.plan.context import worst
from provision.plan.diff import edits_of
from provision.plan.model import Action, Edit
from provision.plan.stated import Stated, recordable
from provision.simulator.bodies.shapes import fixed_in
from provision.simulator.tables.compute import SCALE_SET
from tests.simulator.azure import Json, a_scale_set, azure_with_a_network, group_id, identity_id, set_id
from tests.simulator.test_scale_set_requests import HEALTH

UPDATE, MODEL, SCALE_IN, DEALLOCATE, REPLACE = (
    Action.UPDATE,
    Action.UPDATE_MODEL,
    Action.SCALE_IN,
    Action.DEALLOCATE,
    Action.REPLACE,
)
ABSENT = object()
P = "properties"
VM = f"{P}.virtualMachineProfile"
OS, DISK, IMAGE = f"{VM}.osProfile", f"{VM}.storageProfile.osDisk", f"{VM}.storageProfile.imageReference"
NIC = f"{VM}.networkProfile.networkInterfaceConfigurations.0"
SUBNET = f"{NIC}.properties.ipConfigurations.0.properties.subnet.id"
GROUP = f"{group_id()}/providers/Microsoft.Compute/proximityPlacementGroups/near"
SPREAD = {f"{P}.singlePlacementGroup": False}
CPU = {**SPREAD, "sku.name": "Standard_D4s_v5"}
SPOT = {**SPREAD, f"{VM}.priority": "Spot", f"{VM}.evictionPolicy": "Deallocate"}
PASSWORD = {
    f"{OS}.adminPassword": "First-1-Password",
    f"{OS}.linuxConfiguration": {"disablePasswordAuthentication": False},
}
DATA_DISK = {"lun": 0, "createOption": "Empty", "diskSizeGB": 64, "managedDisk": {"storageAccountType": "Premium_LRS"}}
SCRIPT, OTHER_SCRIPT = "I2Nsb3VkLWNvbmZpZwo=", "I2Nsb3VkLWNvbmZpZwphOiAxCg=="
NSG = f"{group_id()}/providers/Microsoft.Network/networkSecurityGroups/nsg"
MONITOR = {"name": "monitor", "properties": {"publisher": "P", "type": "T", "typeHandlerVersion": "1.0"}}

#: Where sources disagree or depend on what no body shows, the plan says the worse, and the simulator does the milder.
STRICTER = {
    "sku.name": "in one placement group a size is taken for bound to its cluster; ARM itself takes another",
    f"{OS}.adminUsername": "Terraform replaces, Microsoft's page says that new and reimaged nodes take it",
    f"{OS}.adminPassword": "as the user",
    f"{OS}.customData": "what cannot be taken away is kept in silence, so only another set is without",
    f"{P}.constrainedMaximumCapacity": "nothing is known",
}


@dataclass(frozen=True)
class Row:
    """A row: the change of one path from `before` to `after`, beside other values, and the action that it is."""

    path: str
    before: Any
    after: Any
    action: Action
    beside: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.path.removeprefix(VM + '.')}-{self.action.label}"


ROWS = (
    Row("location", "eastus", "westus3", REPLACE),
    Row(f"{P}.orchestrationMode", "Uniform", "Flexible", REPLACE, SPREAD),
    Row(f"{P}.singlePlacementGroup", True, False, UPDATE),
    Row(f"{P}.singlePlacementGroup", False, True, REPLACE),
    Row(f"{P}.platformFaultDomainCount", 1, 5, REPLACE),
    Row("zones", ABSENT, ["1"], REPLACE),
    Row("zones", ["1"], ["1", "2"], UPDATE, SPREAD),
    Row("zones", ["1", "2"], ["1"], REPLACE, SPREAD),
    Row("zones", ["1"], ["2"], REPLACE),
    Row("zones", ["1"], ABSENT, REPLACE),
    Row(f"{P}.proximityPlacementGroup", ABSENT, {"id": GROUP}, DEALLOCATE),
    Row(f"{P}.proximityPlacementGroup", {"id": GROUP}, ABSENT, DEALLOCATE),
    Row(f"{P}.zoneBalance", False, True, REPLACE, {**SPREAD, "zones": ["1", "2"]}),
    Row(f"{P}.hostGroup", ABSENT, {"id": f"{group_id()}/providers/Microsoft.Compute/hostGroups/h"}, REPLACE),
    Row(f"{VM}.capacityReservation", ABSENT, {"capacityReservationGroup": {"id": set_id()}}, REPLACE, CPU),
    Row(f"{P}.spotRestorePolicy", ABSENT, {"enabled": True, "restoreTimeout": "PT1H"}, REPLACE, SPOT),
    Row("extendedLocation", ABSENT, {"name": "edge", "type": "EdgeZone"}, REPLACE),
    Row("plan", ABSENT, {"name": "n", "publisher": "p", "product": "o"}, REPLACE),
    Row(f"{P}.additionalCapabilities", ABSENT, {"ultraSSDEnabled": True}, REPLACE, CPU),
    Row(f"{VM}.priority", "Regular", "Spot", REPLACE, SPREAD),
    Row(f"{VM}.evictionPolicy", "Deallocate", "Delete", REPLACE, SPOT),
    Row(f"{P}.upgradePolicy.mode", "Manual", "Automatic", UPDATE),
    Row(f"{P}.upgradePolicy.rollingUpgradePolicy.maxBatchInstancePercent", 50, 25, UPDATE),
    Row(f"{OS}.computerNamePrefix", "train", "other", REPLACE),
    Row(f"{OS}.linuxConfiguration.provisionVMAgent", True, False, REPLACE),
    Row(f"{OS}.allowExtensionOperations", True, False, REPLACE),
    Row(f"{OS}.adminUsername", "azureuser", "somebody", REPLACE, PASSWORD),
    Row(f"{OS}.adminPassword", "First-1-Password", "Other-2-Password", REPLACE, PASSWORD),
    Row(f"{IMAGE}.publisher", "microsoft-dsvm", "canonical", REPLACE),
    Row(f"{IMAGE}.offer", "ubuntu-hpc", "other", REPLACE),
    Row(f"{IMAGE}.sku", "2204", "2404", MODEL, {f"{IMAGE}.version": "latest"}),
    Row(f"{IMAGE}.version", "22.04.2026071501", "22.04.2026080101", MODEL),
    Row(f"{DISK}.managedDisk.storageAccountType", "Premium_LRS", "Standard_LRS", REPLACE),
    Row(f"{DISK}.managedDisk.diskEncryptionSet", ABSENT, {"id": set_id()}, REPLACE),
    Row(
        f"{DISK}.managedDisk.securityProfile", ABSENT, {"securityEncryptionType": "VMGuestStateOnly"}, REPLACE, CPU
    ),
    Row(f"{DISK}.diffDiskSettings", ABSENT, {"option": "Local"}, REPLACE),
    Row(f"{DISK}.diskSizeGB", 64, 256, MODEL),
    Row(f"{VM}.storageProfile.dataDisks", ABSENT, [DATA_DISK], MODEL),
    Row(f"{VM}.storageProfile.dataDisks", [DATA_DISK], ABSENT, MODEL),
    Row(f"{VM}.securityProfile", {"securityType": "Standard"}, {"securityType": "TrustedLaunch"}, REPLACE, CPU),
    Row(
        f"{VM}.securityProfile.uefiSettings",
        {"secureBootEnabled": False, "vTpmEnabled": True},
        {"secureBootEnabled": True, "vTpmEnabled": True},
        REPLACE,
        {**CPU, f"{VM}.securityProfile.securityType": "TrustedLaunch"},
    ),
    Row(f"{VM}.securityProfile.encryptionAtHost", ABSENT, True, MODEL, CPU),
    Row(f"{NIC}.name", "nic", "other", REPLACE),
    Row(SUBNET, "net/subnets/nodes", "net/subnets/more", MODEL),
    Row(SUBNET, "net/subnets/nodes", "far/subnets/nodes", REPLACE),
    Row(f"{NIC}.properties.enableIPForwarding", False, True, MODEL),
    Row(f"{NIC}.properties.networkSecurityGroup", ABSENT, {"id": NSG}, MODEL),
    Row(f"{NIC}.properties.networkSecurityGroup", {"id": NSG}, ABSENT, MODEL),
    Row("sku.name", "Standard_D4s_v5", "Standard_D8s_v5", MODEL, SPREAD),
    Row("sku.name", "Standard_ND96isr_H100_v5", "Standard_ND96asr_v4", REPLACE),
    Row(f"{OS}.customData", SCRIPT, OTHER_SCRIPT, MODEL),
    Row(f"{OS}.customData", ABSENT, SCRIPT, MODEL),
    Row(f"{OS}.customData", SCRIPT, ABSENT, REPLACE),
    Row(f"{VM}.userData", SCRIPT, OTHER_SCRIPT, MODEL),
    Row(f"{VM}.extensionProfile.extensions", [HEALTH], [HEALTH, MONITOR], MODEL),
    Row(f"{VM}.extensionProfile.extensions", [HEALTH, MONITOR], [HEALTH], MODEL),
    Row(f"{VM}.diagnosticsProfile", ABSENT, {"bootDiagnostics": {"enabled": True}}, MODEL),
    Row(
        f"{OS}.linuxConfiguration.ssh.publicKeys",
        [{"path": "/home/azureuser/.ssh/authorized_keys", "keyData": "ssh-ed25519 AAAA someone"}],
        [{"path": "/home/azureuser/.ssh/authorized_keys", "keyData": "ssh-ed25519 BBBB other"}],
        MODEL,
    ),
    Row("sku.capacity", 4, 6, UPDATE),
    Row("sku.capacity", 4, 2, SCALE_IN),
    Row(f"{P}.overprovision", False, True, UPDATE),
    Row(f"{P}.scaleInPolicy", ABSENT, {"rules": ["OldestVM"], "forceDeletion": True}, UPDATE),
    Row(f"{P}.automaticRepairsPolicy", {"enabled": False}, {"enabled": True, "gracePeriod": "PT30M"}, UPDATE),
    Row(f"{P}.resiliencyPolicy", ABSENT, {"resilientVMCreationPolicy": {"enabled": True}}, UPDATE),
    Row("tags", {"a": "1"}, {"a": "2", "b": "3"}, UPDATE),
    Row("tags", {"a": "1", "b": "3"}, {"a": "1"}, UPDATE),
    Row("identity", ABSENT, {"type": "UserAssigned", "userAssignedIdentities": {identity_id(): {}}}, UPDATE),
    Row("identity", {"type": "UserAssigned", "userAssignedIdentities": {identity_id(): {}}}, ABSENT, UPDATE),
    Row(f"{VM}.billingProfile", {"maxPrice": -1.0}, {"maxPrice": 40.5}, MODEL, SPOT),
    Row(
        f"{VM}.scheduledEventsProfile.terminateNotificationProfile",
        ABSENT,
        {"enable": True, "notBeforeTimeout": "PT10M"},
        MODEL,
    ),
    Row(f"{P}.highSpeedInterconnectPlacement", "None", "Trunk", REPLACE),
    Row(f"{P}.constrainedMaximumCapacity", False, True, REPLACE),
)  # fmt: skip

#: What the rows need besides the network and its subnet `nodes`.
AROUND: Mapping[str, Json] = {
    "Microsoft.Compute/proximityPlacementGroups/near": {"location": "eastus"},
    "Microsoft.Network/networkSecurityGroups/nsg": {"location": "eastus", "properties": {}},
    "Microsoft.ManagedIdentity/userAssignedIdentities/train": {"location": "eastus"},
    "Microsoft.Network/virtualNetworks/net/subnets/more": {"properties": {"addressPrefix": "10.0.1.0/24"}},
    "Microsoft.Network/virtualNetworks/far": {
        "location": "eastus",
        "properties": {
            "addressSpace": {"addressPrefixes": ["10.1.0.0/16"]},
            "subnets": [{"name": "nodes", "properties": {"addressPrefix": "10.1.0.0/24"}}],
        },
    },
}


@dataclass(frozen=True)
class Met:
    """What became of a change: the plan's edits, the answer's status and code, and the nodes before and after."""

    edits: tuple[Edit, ...]
    code: str
    before: Mapping[str, Json]
    after: Mapping[str, Json]

    @property
    def action(self) -> Action:
        return worst(self.edits)

    def behind(self) -> list[str]:
        """Return the nodes that were there before and do not have the latest model."""
        return [id for id in self.before if id in self.after and not self.after[id]["latestModelApplied"]]

    def touched(self) -> list[str]:
        """Return the nodes that were there before and have gone, been restarted, or are being upgraded."""
        return [id for id, node in self.before.items() if _running(self.after.get(id, {})) != _running(node)]


def _running(node: Json) -> Json:
    """Return a node without what says only that it is behind its model, and that it has reported again."""
    view = {key: value for key, value in node.get("instanceView", {}).items() if key not in ("vmAgent", "vmHealth")}
    return {**{key: value for key, value in node.items() if key != "latestModelApplied"}, "instanceView": view}


class World:
    """A set that runs, the body that it was made with, and the means to send it another one."""

    def __init__(self, row: Row, mode: str = "Manual") -> None:
        self.azure = azure_with_a_network()
        for id, body in AROUND.items():
            self.azure.put(f"{group_id()}/providers/{id}", body)
        policy = {"mode": mode, "rollingUpgradePolicy": {"maxBatchInstancePercent": 50}}
        plain = a_scale_set(nodes=4, profile={"extensionProfile": {"extensions": [HEALTH]}})
        base = changed(plain, {f"{P}.upgradePolicy": policy, **row.beside})
        self.before = changed(base, {row.path: whole(row.before)})
        self.after = changed(base, {row.path: whole(row.after)})
        self.azure.start(self._put, "rg", "train", copy.deepcopy(self.before))
        self.azure.wait(1200)
        assert self.azure.scale_set()["properties"]["provisioningState"] == "Succeeded"

    @property
    def _put(self) -> Any:
        return self.azure.compute.virtual_machine_scale_sets.begin_create_or_update

    def nodes(self) -> dict[str, Json]:
        return {node["instanceId"]: node["properties"] for node in self.azure.nodes()}

    def edits(self, stated: Json) -> tuple[tuple[Edit, ...], Json]:
        """Return the plan's edits of what is stated, and the body that it sends."""
        rows = load_policies().of(SCALE_SETS)
        observed = self.azure.scale_set()
        recorded = recordable(Stated(ResourceId(set_id()), self.before), load_policies())
        rolls = stated["properties"]["upgradePolicy"]["mode"] != "Manual"
        edits = edits_of(stated, observed, recorded, rows, lambda path: "", rolls=rolls)
        body, _ = carried_body(copy.deepcopy(stated), observed, recorded, edits, rows)
        return edits, body

    def send(self, seconds: float = 20) -> Met:
        """Send what the plan would send, and let so much time pass."""
        edits, body = self.edits(self.after)
        before, code = self.nodes(), ""
        try:
            self.azure.start(self._put, "rg", "train", body)
        except HttpResponseError as refused:
            code = str(getattr(refused.error, "code", ""))
        self.azure.wait(seconds)
        return Met(edits, code, before, self.nodes())


def whole(value: Any) -> Any:
    """Return a value, with the whole id where only the end of a subnet's is written."""
    return f"{group_id()}/providers/Microsoft.Network/virtualNetworks/{value}" if "/subnets/" in str(value) else value


def changed(body: Json, values: Mapping[str, Any]) -> Json:
    """Return a body with other values at some paths; without a path whose value is ABSENT."""
    made = copy.deepcopy(body)
    for path, value in values.items():
        *around, last = path.split(".")
        holder: Any = made
        for key in around:
            holder = holder[int(key)] if key.isdigit() else holder.setdefault(key, {})
        if value is ABSENT:
            holder.pop(last, None)
        else:
            holder[last] = value
    return made


def rows_of(*actions: Action) -> list[Any]:
    return [pytest.param(row, id=str(row)) for row in ROWS if row.action in actions]


@pytest.mark.parametrize("row", rows_of(*Action))
def test_the_plan_names_the_action_of_a_row_and_what_was_sent_is_no_change(row: Row) -> None:
    world = World(row)

    assert world.edits(world.before)[0] == ()
    assert worst(world.edits(world.after)[0]) is row.action


@pytest.mark.parametrize("mode", ["Manual", "Rolling"])
@pytest.mark.parametrize("row", rows_of(UPDATE))
def test_an_update_touches_no_running_node(row: Row, mode: str) -> None:
    met = World(row, mode if "upgradePolicy.mode" not in row.path else "Manual").send(1200)

    assert (met.action, met.code, met.behind(), met.touched()) == (UPDATE, "", [], [])


@pytest.mark.parametrize("row", rows_of(MODEL))
def test_after_a_change_of_the_model_nodes_keep_the_old_one_until_they_are_upgraded(row: Row) -> None:
    world = World(row)

    met = world.send(1200)

    assert (met.action, met.code, met.touched()) == (Action.UPDATE_MODEL, "", [])
    assert met.behind() == list(met.before)
    every = {"instanceIds": list(met.before)}
    world.azure.start(world.azure.compute.virtual_machine_scale_sets.begin_update_instances, "rg", "train", every)
    world.azure.wait(1200)
    assert all(node["latestModelApplied"] for node in world.nodes().values())


@pytest.mark.parametrize("row", rows_of(MODEL))
def test_where_azure_rolls_they_are_upgraded_one_batch_after_the_other(row: Row) -> None:
    world = World(row, "Rolling")

    met = world.send(20)

    assert (met.action, met.code, len(met.touched()), len(met.behind())) == (Action.ROLL, "", 2, 4)
    world.azure.wait(120)
    halfway = [node["latestModelApplied"] for node in world.nodes().values()]
    world.azure.wait(1200)
    assert (halfway.count(True), {node["latestModelApplied"] for node in world.nodes().values()}) == (2, {True})


@pytest.mark.parametrize("row", rows_of(SCALE_IN))
def test_a_scale_in_deletes_nodes_and_touches_no_other(row: Row) -> None:
    met = World(row).send(1200)

    assert (met.action, met.code, len(met.after)) == (SCALE_IN, "", row.after)
    assert met.touched() == [id for id in met.before if id not in met.after]


@pytest.mark.parametrize("row", rows_of(DEALLOCATE))
def test_what_needs_deallocated_nodes_is_refused_before_and_taken_after(row: Row) -> None:
    world = World(row)

    met = world.send()
    assert (met.action, met.code, met.touched()) == (DEALLOCATE, "OperationNotAllowed", [])
    world.azure.start(world.azure.compute.virtual_machine_scale_sets.begin_deallocate, "rg", "train")
    world.azure.wait(1200)

    assert world.send().code == ""


@pytest.mark.parametrize("row", rows_of(REPLACE))
def test_what_the_plan_replaces_is_refused_in_place(row: Row) -> None:
    met = World(row).send()

    where = next((path for path in STRICTER if row.path == path), None)
    refused = "InvalidResourceLocation" if row.path == "location" else "PropertyChangeNotAllowed"
    assert (met.action, met.code) == (REPLACE, refused if where is None else "")


def test_every_change_that_the_plan_stricter_than_azure_is_stricter_about_has_a_row() -> None:
    assert {row.path for row in ROWS if row.action is REPLACE} >= set(STRICTER)


@pytest.mark.parametrize("path", [*fixed_in(SCALE_SET)])
def test_whatever_is_fixed_by_the_simulators_table_the_plan_calls_a_replacement(path: str) -> None:
    assert load_policies().of(SCALE_SETS).policy(path, "before", "after").action == "replace"


def test_nodes_on_ephemeral_disks_and_flexible_sets_join_no_proximity_placement_group() -> None:
    local = changed({}, {f"{DISK}.diffDiskSettings.option": "Local"})
    flexible = changed({}, {f"{P}.orchestrationMode": "Flexible"})
    policies, path = load_policies().of(SCALE_SETS), f"{P}.proximityPlacementGroup"

    found = [policies.policy(path, None, {"id": GROUP}, body, body).action for body in (local, flexible, {})]
    assert found == ["replace", "replace", "deallocate"]
    assert policies.policy(f"{P}.upgradePolicy.mode", "Manual", "Rolling", flexible, flexible).action == "replace"
