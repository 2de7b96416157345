"""Faults that change the world around a request: edits behind the client's back, and hardware that is lost."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    SIZE,
    Azure,
    Json,
    a_scale_set,
    a_security_group,
    a_stack,
    azure_with_a_network,
    group_id,
    network_id,
    refusal,
    set_id,
    subnet_id,
)

NSGS = "Microsoft.Network/networkSecurityGroups"
READ_SET = {"method": "GET", "type": "Microsoft.Compute/virtualMachineScaleSets"}


def nsg(azure: Azure) -> Json:
    azure.put(network_id("networkSecurityGroups/nsg"), {**a_security_group(tags={"a": "1", "b": "2"})})
    return azure.get(network_id("networkSecurityGroups/nsg"))


def edited(azure: Azure, target: str) -> list[str]:
    """Return what the log says of the request that meets the edit."""
    azure.control.forget()
    azure.get(target)
    return [fault for row in azure.simulator.log for fault in row.get("faults", [])]


def test_a_merge_patch_is_laid_onto_what_the_request_is_about() -> None:
    azure = azure_with_a_network()
    before = nsg(azure)
    rule = {
        "name": "ssh",
        "properties": {
            "priority": 100,
            "direction": "Inbound",
            "access": "Allow",
            "protocol": "Tcp",
            "sourceAddressPrefix": "*",
            "sourcePortRange": "*",
            "destinationAddressPrefix": "*",
            "destinationPortRange": "22",
        },
    }
    patch = {"tags": {"a": None, "c": "3"}, "properties": {"securityRules": [rule]}}
    azure.control.fault("edit", match={"method": "GET"}, patch=patch, count=1)

    found = azure.network.network_security_groups.get("rg", "nsg").as_dict()

    assert found["tags"] == {"b": "2", "c": "3"}
    assert [each["name"] for each in found["properties"]["securityRules"]] == ["ssh"]
    assert found["properties"]["provisioningState"] == "Succeeded"
    assert found["etag"] != before["etag"]
    assert azure.control.faults == []


def test_null_deletes_it() -> None:
    azure = azure_with_a_network()
    nsg(azure)
    azure.control.fault("edit", match={"method": "GET", "type": NSGS}, patch=None, count=1)

    assert [each.name for each in azure.network.network_security_groups.list("rg")] == []


def test_another_resource_than_the_requests_can_be_named() -> None:
    azure = azure_with_a_network()
    azure.make_group("other", location="westus3")
    azure.control.fault("edit", match={"url": "/other"}, resource=group_id(), patch={"tags": {"seen": "yes"}}, count=1)

    azure.resources.resource_groups.get("other")

    assert azure.resources.resource_groups.get("rg").tags == {"seen": "yes"}


def test_an_edit_of_a_scale_set_is_a_write_like_any_other() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=4, tags={"a": "1"})
    patch = {"sku": {"capacity": 2}, "tags": {"b": "2"}, "properties": {"upgradePolicy": {"mode": "Automatic"}}}
    azure.control.fault("edit", match=READ_SET, patch=patch, count=1)

    found = azure.compute.virtual_machine_scale_sets.get("rg", "train").as_dict()

    assert (found["sku"]["capacity"], found["tags"]) == (2, {"a": "1", "b": "2"})
    assert found["properties"]["upgradePolicy"]["mode"] == "Automatic"
    assert found["properties"]["provisioningState"] == "Succeeded"
    assert [node["instanceId"] for node in azure.nodes()] == ["0", "1"]


def test_nodes_of_an_edit_are_there_at_once() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    azure.control.fault("edit", match=READ_SET, patch={"sku": {"capacity": 4}}, count=1)

    found = azure.compute.virtual_machine_scale_sets.get("rg", "train")

    states = [each.provisioning_state for each in azure.compute.virtual_machine_scale_set_vms.list("rg", "train")]
    assert (found.provisioning_state, states) == ("Succeeded", ["Succeeded"] * 4)


def test_an_edit_walks_through_all_batches_of_an_upgrade_at_once() -> None:
    azure = azure_with_a_network()
    publisher = {
        "publisher": "Microsoft.ManagedServices",
        "type": "ApplicationHealthLinux",
        "typeHandlerVersion": "1.0",
    }
    health = {"extensionProfile": {"extensions": [{"name": "health", "properties": publisher}]}}
    azure.make_scale_set(nodes=10, properties={"upgradePolicy": {"mode": "Rolling"}}, profile=health)
    patch = {"properties": {"virtualMachineProfile": {"userData": "aGVsbG8="}}}
    azure.control.fault("edit", match=READ_SET, patch=patch, count=1)

    found = azure.compute.virtual_machine_scale_sets.get("rg", "train")

    nodes = azure.compute.virtual_machine_scale_set_vms.list("rg", "train")
    assert (found.provisioning_state, {each.latest_model_applied for each in nodes}) == ("Succeeded", {True})


def test_a_stack_can_be_taken_away() -> None:
    azure = azure_with_a_network()
    stacks = azure.stacks.deployment_stacks
    stacks.begin_create_or_update_at_resource_group("rg", "unit", a_stack(a_security_group())).result()
    azure.control.fault("edit", match={"method": "GET"}, patch=None, count=1)

    assert refusal(stacks.get_at_resource_group, "rg", "unit")[1] == "DeploymentStackResourceNotFound"
    assert azure.get(network_id("networkSecurityGroups/nsg"))["name"] == "nsg"


def test_an_edit_waits_for_what_it_is_about() -> None:
    azure = azure_with_a_network()
    azure.control.fault("edit", match={"type": NSGS}, patch={"tags": {"x": "y"}}, count=1)

    nsg(azure)  # the PUT finds nothing to change yet

    assert azure.get(network_id("networkSecurityGroups/nsg"))["tags"] == {"x": "y", "a": "1", "b": "2"}


def test_an_edit_that_azure_refuses_is_told_in_the_log() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    azure.control.fault("edit", resource=subnet_id(), patch=None, count=1)

    assert edited(azure, set_id()) == ["edit", "edit refused: InUseSubnetCannotBeDeleted"]


# --- lost hardware ---


def views(azure: Azure) -> list[tuple[str, str]]:
    return [
        (
            node["instanceId"],
            node["properties"]["instanceView"]["statuses"][0]["code"].removeprefix("ProvisioningState/"),
        )
        for node in azure.nodes()
    ]


def test_nodes_vanish_and_their_place_is_taken() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=4)
    azure.control.fault("lose-capacity", match=READ_SET, how="vanish", nodes=2, count=1)

    found = azure.compute.virtual_machine_scale_sets.get("rg", "train").as_dict()

    assert found["sku"]["capacity"] == 2
    assert [node["instanceId"] for node in azure.nodes()] == ["0", "1"]
    grown = azure.make_scale_set(nodes=4)
    assert azure.ask("GET", grown.poll).json()["error"]["code"] == "AllocationFailed"


def test_nodes_fail_where_they_are_and_come_back_only_with_capacity() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=3)
    azure.control.fault("lose-capacity", match=READ_SET, nodes=1, code="HardwareLost", message="gone", count=1)

    azure.scale_set()

    assert views(azure) == [("0", "succeeded"), ("1", "succeeded"), ("2", "failed/HardwareLost")]
    azure.make_scale_set(nodes=3)
    assert views(azure)[2][1] == "failed/AllocationFailed"
    azure.set_world(capacity={"eastus": {SIZE: 3}})
    azure.make_scale_set(nodes=3)
    assert views(azure)[2][1] == "succeeded"


@pytest.mark.parametrize("how", ["vanish", "fail"])
def test_a_whole_set_can_be_lost_and_every_set_of_a_group(how: str) -> None:
    azure = azure_with_a_network()
    azure.make_scale_set("a", nodes=2)
    azure.make_scale_set("b", nodes=2)
    azure.control.fault("lose-capacity", match=READ_SET, how=how, count=1)

    list(azure.compute.virtual_machine_scale_sets.list("rg"))

    for name in ("a", "b"):
        failed = [node["properties"]["provisioningState"] for node in azure.nodes(name)]
        assert failed == ([] if how == "vanish" else ["Failed", "Failed"])


def test_spot_nodes_are_evicted_by_their_policy_and_no_others() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set("regular", nodes=2)
    spot = {"priority": "Spot", "evictionPolicy": "Deallocate"}
    azure.make_scale_set(nodes=3, profile=spot, properties={"singlePlacementGroup": False})
    azure.control.fault("lose-capacity", match=READ_SET, how="evict", nodes=1, count=1)

    list(azure.compute.virtual_machine_scale_sets.list("rg"))
    azure.wait(60)

    power = [node["properties"]["instanceView"]["statuses"][-1]["code"] for node in azure.nodes()]
    assert power == ["PowerState/running"] * 2 + ["PowerState/deallocated"]
    assert [node["properties"]["provisioningState"] for node in azure.nodes("regular")] == ["Succeeded"] * 2
    again = azure.start(azure.compute.virtual_machine_scale_set_vms.begin_start, "rg", "train", "2")
    azure.wait(600)
    assert azure.status_of(again) == "Failed"


def test_another_set_than_the_requests_can_be_named_and_what_is_said_of_its_nodes() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    lost: Json = {"resource": set_id(), "nodes": 1, "code": "HardwareLost", "message": "The host is gone.", "count": 1}
    azure.control.fault("lose-capacity", match={"type": "Microsoft.Resources/resourceGroups"}, **lost)

    azure.resources.resource_groups.get("rg")

    nodes = azure.compute.virtual_machine_scale_set_vms
    views = [nodes.get_instance_view("rg", "train", number) for number in "01"]
    found = [(status.code, status.message) for view in views for status in (view.statuses or [])[:1]]
    assert found == [
        ("ProvisioningState/succeeded", None),
        ("ProvisioningState/failed/HardwareLost", "The host is gone."),
    ]


def test_nothing_is_lost_of_a_set_that_is_being_written() -> None:
    azure = azure_with_a_network()
    azure.control.fault("lose-capacity", match={"state": "Creating"}, count=1)
    azure.put_scale_set("train", a_scale_set(nodes=2))

    azure.scale_set()
    azure.wait(600)

    assert [code for _, code in views(azure)] == ["succeeded", "succeeded"]
    assert azure.control.faults[0]["applied"] == 0


def test_wrong_keys_are_told() -> None:
    azure = Azure()
    wrong: list[tuple[Json, str]] = [
        ({"effect": "edit"}, "edit needs patch: an object, or null to delete"),
        ({"effect": "edit", "patch": []}, "patch is an object, or null to delete"),
        ({"effect": "lose-capacity", "how": "melt"}, "how is vanish, fail or evict"),
        ({"effect": "lose-capacity", "nodes": 0}, "nodes is a whole number above 0: how many; absent for all"),
    ]
    told: list[Any] = [azure.ask("POST", "/_simulator/faults", fault).json()["error"] for fault, _ in wrong]

    assert told == [words for _, words in wrong]
