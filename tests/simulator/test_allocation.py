"""Nodes that do not come up: why Azure says that there is no hardware, and what becomes of those that have some."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.simulator.azure import SIZE, Azure, a_scale_set, a_stack, azure_with_a_network, group_id, set_id

HERE = (
    "Allocation failed. If you are trying to add a new VM to a Virtual Machine Scale Set with a single placement group "
    "or update/resize an existing VM in a Virtual Machine Scale Set with a single placement group, please note that "
    "such allocation is scoped to a single cluster, and it is possible that the cluster is out of capacity. Please "
    "read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance."
)
REGION = (
    "Allocation failed. We do not have sufficient capacity for the requested VM size in this region. Read more about "
    "improving likelihood of allocation success at http://aka.ms/allocation-guidance"
)
ZONE = (
    f"Allocation failed. We do not have sufficient capacity for the requested VM size {SIZE} in zone 2. Read more "
    "about improving likelihood of allocation success at http://aka.ms/allocation-guidance"
)
NARROW = (
    "Allocation failed. VM(s) with the following constraints cannot be allocated, because the condition is too "
    "restrictive. Please remove some constraints and try again. Constraints applied are:\n"
)
FAST = "  - Networking Constraints (such as Accelerated Networking or IPv6)\n"
SPOT = "  - Preemptible VMs (VM might be preempted by another VM with a higher priority)\n"
EPHEMERAL = {
    "imageReference": {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204", "version": "latest"},
    "osDisk": {
        "createOption": "FromImage",
        "caching": "ReadOnly",
        "diffDiskSettings": {"option": "Local"},
        "managedDisk": {"storageAccountType": "Standard_LRS"},
    },
}
SCRIPT = {
    "name": "setup",
    "properties": {"publisher": "Microsoft.Azure.Extensions", "type": "CustomScript", "typeHandlerVersion": "2.1"},
}
HEALTH = {
    "name": "health",
    "properties": {
        "publisher": "Microsoft.ManagedServices",
        "type": "ApplicationHealthLinux",
        "typeHandlerVersion": "2.0",
        "settings": {"protocol": "tcp", "port": 22},
    },
}


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def end_of(azure: Azure, name: str = "train", **changes: Any) -> dict[str, Any]:
    """Make a scale set, and return how the operation ended."""
    found: dict[str, Any] = azure.ask("GET", azure.make_scale_set(name, **changes).poll).json()
    return found


def states(azure: Azure, name: str = "train") -> list[str]:
    return [node["properties"]["provisioningState"] for node in azure.nodes(name)]


def codes(azure: Azure, number: int, name: str = "train") -> list[str]:
    view = azure.compute.virtual_machine_scale_set_vms.get_instance_view("rg", name, str(number)).as_dict()
    return [status["code"] for status in view["statuses"]]


def fault(azure: Azure, code: str, **more: Any) -> None:
    answer = azure.ask("POST", "/_simulator/faults", {"effect": "fail-nodes", "code": code, **more})
    assert answer.status == 200, answer.json()


# --- no hardware ---


@pytest.mark.parametrize(
    ("stated", "changes", "code", "message"),
    [
        (3, {}, "AllocationFailed", HERE),
        (3, {"zones": ["2"]}, "AllocationFailed", HERE),
        (0, {}, "AllocationFailed", REGION),
        (3, {"properties": {"singlePlacementGroup": False}}, "AllocationFailed", REGION),
        (0, {"zones": ["2"]}, "ZonalAllocationFailed", ZONE),
        (3, {"zones": ["2"], "properties": {"singlePlacementGroup": False}}, "ZonalAllocationFailed", ZONE),
        (
            [{"nodes": 9, "zone": "1"}],
            {"zones": ["2"]},
            "OverconstrainedZonalAllocationRequest",
            f"{NARROW}  - Availability Zone\n  - VM Size\n",
        ),
        (
            0,
            {"profile": {"priority": "Spot"}},
            "OverconstrainedAllocationRequest",
            f"{NARROW}{SPOT}  - VM Size\n",
        ),
        (
            0,
            {"profile": {"storageProfile": EPHEMERAL}, "zones": ["2"]},
            "OverconstrainedZonalAllocationRequest",
            f"{NARROW}  - Availability Zone\n  - Differencing (Ephemeral) Disks\n  - VM Size\n",
        ),
    ],
)
def test_azure_says_what_stands_in_the_way(
    azure: Azure, stated: Any, changes: dict[str, Any], code: str, message: str
) -> None:
    azure.set_world(capacity={"eastus": {SIZE: stated}})

    over = end_of(azure, **changes)

    assert (over["status"], over["error"]["code"], over["error"]["message"]) == ("Failed", code, message)


def test_networking_is_told_of_where_it_is_fast(azure: Azure) -> None:
    azure.set_world(capacity={"eastus": {SIZE: 0}})
    body = a_scale_set(profile={"priority": "Spot"})
    network = body["properties"]["virtualMachineProfile"]["networkProfile"]
    network["networkInterfaceConfigurations"][0]["properties"]["enableAcceleratedNetworking"] = True

    answer = azure.put_scale_set("train", body)
    azure.wait(600)

    message = azure.ask("GET", answer.headers["Azure-AsyncOperation"]).json()["error"]["message"]
    assert message == f"{NARROW}{FAST}{SPOT}  - VM Size\n"


def test_fourteen_of_sixteen_come_up_and_the_set_has_failed(azure: Azure) -> None:
    azure.set_world(capacity={"eastus": {SIZE: 14}})

    over = end_of(azure, nodes=16)

    assert over["error"] == {"code": "AllocationFailed", "message": HERE, "target": "14"}
    assert states(azure) == ["Succeeded"] * 14 + ["Failed"] * 2
    assert azure.scale_set()["properties"]["provisioningState"] == "Failed"
    assert azure.scale_set()["sku"]["capacity"] == 16
    assert azure.nodes()[15]["properties"]["instanceView"] == {
        "statuses": [
            {
                "code": "ProvisioningState/failed/AllocationFailed",
                "level": "Error",
                "displayStatus": "Provisioning failed",
                "message": HERE,
                "time": azure.nodes()[15]["properties"]["instanceView"]["statuses"][0]["time"],
            }
        ]
    }


def test_it_may_be_all_or_nothing(azure: Azure) -> None:
    azure.set_world(capacity={"eastus": {SIZE: 14}}, settings={"partialAllocation": False})

    over = end_of(azure, nodes=16)
    azure.make_scale_set("b", nodes=14)

    assert over["error"]["code"] == "AllocationFailed"
    assert (states(azure), states(azure, "b")) == (["Failed"] * 16, ["Succeeded"] * 14)


def test_a_deployment_tells_it_as_the_end_of_its_resource(azure: Azure) -> None:
    azure.set_world(capacity={"eastus": {SIZE: 1}})
    resource = {"type": "Microsoft.Compute/virtualMachineScaleSets", "apiVersion": "2025-11-01", "name": "train"}
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/one?api-version=2025-07-01"

    azure.ask("PUT", path, a_stack({**resource, **a_scale_set(nodes=2)}))
    azure.wait(900)

    error = azure.ask("GET", path).json()["properties"]["error"]
    text = json.dumps(error)
    assert "terminal provisioning state 'Failed'" in text
    assert "scoped to a single cluster" in text


def test_failed_nodes_hold_neither_quota_nor_hardware_and_can_be_deleted(azure: Azure) -> None:
    azure.set_world(capacity={"eastus": {SIZE: 2}}, quota={"eastus": {"cores": 192}})
    azure.make_scale_set(nodes=2)
    azure.set_world(quota={})
    begin = azure.compute.virtual_machine_scale_sets.begin_update
    azure.start(begin, "rg", "train", {"sku": {"name": SIZE, "capacity": 4}})
    azure.wait(600)
    usages = [row.as_dict() for row in azure.compute.usage.list("eastus")]

    azure.start(
        azure.compute.virtual_machine_scale_sets.begin_delete_instances, "rg", "train", {"instanceIds": ["2", "3"]}
    )
    azure.wait(60)

    assert next(row["currentValue"] for row in usages if row["name"]["value"] == "cores") == 192
    assert states(azure) == ["Succeeded", "Succeeded"]
    assert azure.scale_set()["sku"]["capacity"] == 2


def test_a_start_finds_hardware_for_a_node_that_had_found_none(azure: Azure) -> None:
    azure.set_world(capacity={"eastus": {SIZE: 3}})
    azure.make_scale_set(nodes=4)
    azure.set_world(capacity={"eastus": {SIZE: 4}})

    azure.start(azure.compute.virtual_machine_scale_sets.begin_start, "rg", "train", {"instanceIds": ["3"]})
    azure.wait(60)

    assert states(azure) == ["Succeeded"] * 4


# --- overprovisioning ---


def test_overprovisioning_leaves_holes_and_no_more_nodes_than_wanted(azure: Azure) -> None:
    azure.make_scale_set(nodes=10, properties={"overprovision": True})

    ids = [int(node["instanceId"]) for node in azure.nodes()]
    assert (len(ids), max(ids), states(azure)) == (10, 11, ["Succeeded"] * 10)


def test_overprovisioning_makes_up_for_nodes_that_fail(azure: Azure) -> None:
    fault(azure, "OSProvisioningTimedOut", nodes=2)

    over = end_of(azure, nodes=10, properties={"overprovision": True})

    assert (over["status"], states(azure)) == ("Succeeded", ["Succeeded"] * 10)


def test_overprovisioning_cannot_make_up_for_more_than_its_extra_nodes(azure: Azure) -> None:
    fault(azure, "OSProvisioningTimedOut", nodes=3)

    azure.make_scale_set(nodes=10, properties={"overprovision": True})
    azure.wait(2400)

    assert sorted(states(azure)) == ["Failed"] + ["Succeeded"] * 9


def test_overprovisioning_applies_to_growth_and_needs_addresses(azure: Azure) -> None:
    azure = azure_with_a_network("10.0.0.0/27")  # 27 addresses
    azure.make_scale_set(nodes=10, properties={"overprovision": True})
    begin = azure.compute.virtual_machine_scale_sets.begin_update

    azure.start(begin, "rg", "train", {"sku": {"name": SIZE, "capacity": 20}})
    azure.wait(600)
    refused = azure.put_scale_set("train", {"location": "eastus", "sku": {"name": SIZE, "capacity": 27}})

    assert states(azure) == ["Succeeded"] * 20
    assert max(int(node["instanceId"]) for node in azure.nodes()) == 23
    assert refused.json()["error"]["code"] == "SubnetIsFull"


# --- hardware, and yet no node ---


def test_a_system_that_does_not_come_up_is_waited_for(azure: Azure) -> None:
    fault(azure, "OSProvisioningTimedOut", nodes=1, count=1)
    started = azure.make_scale_set(nodes=4)

    waiting = (azure.status_of(started), sorted(states(azure)))
    azure.wait(1800)
    over = azure.ask("GET", started.poll).json()
    number = states(azure).index("Failed")

    assert waiting == ("InProgress", ["Creating", "Succeeded", "Succeeded", "Succeeded"])
    assert (over["status"], over["error"]["target"]) == ("Failed", str(number))
    assert over["error"]["code"] == "OSProvisioningTimedOut"
    assert over["error"]["message"] == (
        f"OS Provisioning for VM 'train_{number}' did not finish in the allotted time. The VM may still finish "
        "provisioning successfully. Please check provisioning state later. For details on how to check current "
        "provisioning state of Windows VMs, refer to https://aka.ms/WindowsVMLifecycle and Linux VMs, refer to "
        "https://aka.ms/LinuxVMLifecycle."
    )
    assert codes(azure, number) == ["ProvisioningState/failed/OSProvisioningTimedOut", "PowerState/running"]
    view = azure.nodes()[number]["properties"]["instanceView"]
    assert (view["vmAgent"]["statuses"][0]["displayStatus"], "osName" in view) == ("Not Ready", False)


def test_a_system_is_waited_for_longer_where_there_are_extensions(azure: Azure) -> None:
    fault(azure, "OSProvisioningTimedOut", nodes=1, count=1)
    started = azure.make_scale_set(nodes=2, profile={"extensionProfile": {"extensions": [SCRIPT]}})

    azure.wait(4799)
    waiting = azure.status_of(started)
    azure.wait(1)

    assert (waiting, azure.status_of(started)) == ("InProgress", "Failed")


def test_an_extension_that_fails_shows_on_the_node_and_on_the_set(azure: Azure) -> None:
    fault(azure, "VMExtensionProvisioningError", nodes=1, count=1)

    over = end_of(azure, nodes=3, profile={"extensionProfile": {"extensions": [SCRIPT, HEALTH]}})

    number = states(azure).index("Failed")
    assert (over["error"]["code"], over["error"]["target"]) == ("VMExtensionProvisioningError", str(number))
    assert over["error"]["message"].startswith("VM has reported a failure when processing extension 'setup'.")
    node = azure.nodes()[number]["properties"]["instanceView"]
    assert [(each["name"], each["statuses"][0]["code"]) for each in node["extensions"]] == [
        ("setup", "ProvisioningState/failed/VMExtensionProvisioningError"),
        ("health", "ProvisioningState/succeeded"),
    ]
    view = azure.compute.virtual_machine_scale_sets.get_instance_view("rg", "train").as_dict()
    assert view["extensions"] == [
        {
            "name": "setup",
            "statusesSummary": [
                {"code": "ProvisioningState/failed", "count": 1},
                {"code": "ProvisioningState/succeeded", "count": 2},
            ],
        },
        {"name": "health", "statusesSummary": [{"code": "ProvisioningState/succeeded", "count": 3}]},
    ]
    assert view["statuses"][0]["code"] == "ProvisioningState/failed/VMExtensionProvisioningError"


def test_an_extension_that_hangs_is_given_the_budget_of_the_set(azure: Azure) -> None:
    fault(azure, "VMExtensionProvisioningTimeout", nodes=1, count=1)
    profile = {"extensionProfile": {"extensions": [SCRIPT], "extensionsTimeBudget": "PT1H5M"}}
    started = azure.make_scale_set(nodes=2, profile=profile)

    azure.wait(3299)
    waiting = azure.status_of(started)
    azure.wait(1)

    assert (waiting, azure.status_of(started)) == ("InProgress", "Failed")


def test_no_extension_fails_on_a_set_without_any(azure: Azure) -> None:
    fault(azure, "VMExtensionProvisioningError", count=1)

    over = end_of(azure, nodes=2)
    again = end_of(azure, "other", nodes=2, profile={"extensionProfile": {"extensions": [SCRIPT]}})

    assert (over["status"], again["status"]) == ("Succeeded", "Failed")


@pytest.mark.parametrize("action", ["reimage", "redeploy", "restart"])
def test_a_node_with_hardware_comes_up_at_another_try(azure: Azure, action: str) -> None:
    fault(azure, "OSProvisioningTimedOut", nodes=1, count=1)
    azure.make_scale_set(nodes=3)
    azure.wait(2400)
    number = str(states(azure).index("Failed"))

    begin = getattr(azure.compute.virtual_machine_scale_set_vms, f"begin_{action}")
    azure.start(begin, "rg", "train", number)
    azure.wait(120)

    assert states(azure) == ["Succeeded"] * 3


def test_nodes_that_failed_with_hardware_hold_it_and_their_quota(azure: Azure) -> None:
    azure.set_world(capacity={"eastus": {SIZE: 4}})
    fault(azure, "OSProvisioningTimedOut", nodes=2, count=1)
    azure.make_scale_set(nodes=3)
    azure.wait(2400)

    azure.make_scale_set("other", nodes=2)

    usages = [row.as_dict() for row in azure.compute.usage.list("eastus")]
    assert states(azure, "other") == ["Succeeded", "Failed"]
    assert next(row["currentValue"] for row in usages if row["name"]["value"] == "cores") == 4 * 96


def test_a_share_of_the_nodes_fails_always_the_same_ones(azure: Azure) -> None:
    def run() -> list[str]:
        found = azure_with_a_network()
        fault(found, "OSProvisioningTimedOut", share=0.25, message="no", count=1)
        found.make_scale_set(nodes=16)
        found.wait(2400)
        return states(found)

    first = run()

    assert first.count("Failed") == 4
    assert first != sorted(first, reverse=True)
    assert first == run()


def test_a_fault_for_growth_leaves_what_runs_alone(azure: Azure) -> None:
    azure.make_scale_set(nodes=4)
    fault(azure, "VMStartTimedOut", match={"resource": set_id(), "method": "PATCH"}, message="too late", count=1)

    begin = azure.compute.virtual_machine_scale_sets.begin_update
    started = azure.start(begin, "rg", "train", {"sku": {"name": SIZE, "capacity": 6}})
    azure.wait(600)

    assert azure.ask("GET", started.poll).json()["error"]["message"] == "too late"
    assert states(azure) == ["Succeeded"] * 4 + ["Failed"] * 2


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({}, "fail-nodes needs code: text, an error code of Azure's"),
        ({"code": "x", "share": 2}, "share is a number above 0, up to 1"),
        ({"code": "x", "nodes": 0}, "nodes is a whole number above 0: how many; absent for all"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(azure: Azure, keys: dict[str, Any], text: str) -> None:
    answer = azure.ask("POST", "/_simulator/faults", {"effect": "fail-nodes", **keys})

    assert (answer.status, answer.json()) == (400, {"error": text})
