"""What is done to instances."""

from __future__ import annotations

from typing import Any

import pytest

from provision.simulator import Answer
from tests.simulator.azure import Azure, a_scale_set, azure_with_a_network, path_of, refusal

IMAGE = a_scale_set()["properties"]["virtualMachineProfile"]["storageProfile"]["imageReference"]


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_scale_set(nodes=3)
    return made


CALLS = {
    "delete": "begin_delete_instances",
    "manualupgrade": "begin_update_instances",
    "poweroff": "begin_power_off",
    "reimageall": "begin_reimage_all",
}
"""The client's names of actions that it calls otherwise than Compute does."""


def act(azure: Azure, action: str, *numbers: str) -> Answer:
    """Ask a client for an action on the named instances, or on all of them; return Compute's answer."""
    sets = azure.compute.virtual_machine_scale_sets
    named: list[Any] = [{"instanceIds": list(numbers)}] if numbers else []
    if not named and action in ("delete", "manualupgrade"):
        named = [{}]  # which the client wants to be given something for
    return azure.answer_to(getattr(sets, CALLS.get(action, f"begin_{action}")), "rg", "train", *named)


def power(azure: Azure) -> list[str]:
    nodes = azure.nodes()
    return [node["properties"]["instanceView"]["statuses"][-1]["code"].split("/")[1] for node in nodes]


def states(azure: Azure) -> list[str]:
    return [node["properties"]["provisioningState"] for node in azure.nodes()]


def test_an_action_is_accepted_with_two_places_to_look(azure: Azure) -> None:
    answer = act(azure, "restart", "1")
    during = states(azure)
    running = azure.scale_set()["properties"]["provisioningState"]
    azure.wait(45)
    result = azure.ask("GET", answer.headers["Location"])

    assert (answer.status, answer.body, "Retry-After" in answer.headers) == (202, b"", False)
    assert "Azure-AsyncOperation" in answer.headers
    assert during == ["Succeeded", "Updating", "Succeeded"]
    assert (running, azure.scale_set()["properties"]["provisioningState"]) == ("Updating", "Succeeded")
    assert (result.status, result.body) == (200, b"")
    assert states(azure) == ["Succeeded"] * 3


def test_nodes_can_be_deallocated_and_started_again(azure: Azure) -> None:
    act(azure, "deallocate", "0", "2")
    azure.wait(60)
    off = power(azure)
    act(azure, "start")
    azure.wait(60)

    assert off == ["deallocated", "running", "deallocated"]
    assert power(azure) == ["running"] * 3


def test_a_deallocated_node_belongs_to_no_placement_group(azure: Azure) -> None:
    act(azure, "deallocate", "0")
    azure.wait(60)

    assert "placementGroupId" not in azure.nodes()[0]["properties"]["instanceView"]


def test_an_ephemeral_disk_refuses_to_be_deallocated() -> None:
    azure = azure_with_a_network()
    disk = {"createOption": "FromImage", "caching": "ReadOnly", "diffDiskSettings": {"option": "Local"}}
    azure.make_scale_set(nodes=1, profile={"storageProfile": {"imageReference": IMAGE, "osDisk": disk}})

    answer = act(azure, "deallocate", "0")

    assert (answer.status, answer.json()["error"]["code"]) == (409, "OperationNotAllowed")


def test_deleting_nodes_lowers_the_capacity(azure: Azure) -> None:
    answer = act(azure, "delete", "0")
    during = states(azure)
    azure.wait(60)

    assert (answer.status, during) == (202, ["Deleting", "Succeeded", "Succeeded"])
    assert [node["instanceId"] for node in azure.nodes()] == ["1", "2"]
    assert azure.scale_set()["sku"]["capacity"] == 2

    azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 3}})
    azure.wait(300)

    assert [node["instanceId"] for node in azure.nodes()] == ["1", "2", "3"]


def test_one_node_can_be_deleted_by_its_own_address(azure: Azure) -> None:
    delete = azure.compute.virtual_machine_scale_set_vms.begin_delete
    first = azure.answer_to(delete, "rg", "train", "1")
    azure.wait(60)

    assert (first.status, azure.answer_to(delete, "rg", "train", "1").status) == (202, 204)
    assert [node["instanceId"] for node in azure.nodes()] == ["0", "2"]


def test_a_manual_upgrade_brings_the_model_to_the_named_nodes(azure: Azure) -> None:
    change = {"storageProfile": {"osDisk": {"diskSizeGB": 256}}}
    azure.put_scale_set("train", {"location": "eastus", "properties": {"virtualMachineProfile": change}})
    azure.wait(60)

    act(azure, "manualupgrade", "1")
    azure.wait(120)
    some = [node["properties"]["latestModelApplied"] for node in azure.nodes()]
    act(azure, "manualupgrade", "*")
    azure.wait(120)

    assert some == [False, True, False]
    assert all(node["properties"]["latestModelApplied"] for node in azure.nodes())


def test_a_reimaged_node_has_a_new_disk_and_keeps_its_name(azure: Azure) -> None:
    before = azure.nodes()[0]["properties"]
    act(azure, "reimage", "0")
    azure.wait(120)
    after = azure.nodes()[0]["properties"]

    assert before["storageProfile"]["osDisk"]["name"] != after["storageProfile"]["osDisk"]["name"]
    assert (before["vmId"], before["osProfile"]) == (after["vmId"], after["osProfile"])


@pytest.mark.parametrize("action", ["delete", "manualupgrade"])
def test_some_actions_want_their_nodes_named(azure: Azure, action: str) -> None:
    answer = act(azure, action)

    assert (answer.status, answer.json()["error"]["target"]) == (400, "instanceIds")


def test_a_node_that_does_not_exist_is_refused(azure: Azure) -> None:
    answer = act(azure, "restart", "7")

    assert answer.json()["error"]["message"] == (
        "The provided instanceId 7 is not an active Virtual Machine Scale Set VM instanceId."
    )


def test_actions_on_the_same_node_collide_and_others_do_not(azure: Azure) -> None:
    assert act(azure, "restart", "0").status == 202
    assert act(azure, "restart", "1").status == 202
    assert act(azure, "reimage", "0").status == 409
    assert azure.put_scale_set("train", a_scale_set(nodes=3)).status == 409


def test_starting_wants_hardware(azure: Azure) -> None:
    act(azure, "deallocate", "0")
    azure.wait(60)
    azure.set_world(capacity={"eastus": {"Standard_ND96isr_H100_v5": 2}})

    answer = act(azure, "start", "0")
    azure.wait(60)

    poll = azure.ask("GET", answer.headers["Azure-AsyncOperation"]).json()
    assert (poll["status"], poll["error"]["code"]) == ("Failed", "AllocationFailed")
    assert power(azure)[0] == "deallocated"


def test_an_unknown_action_does_not_exist(azure: Azure) -> None:
    assert azure.ask("POST", path_of("virtualMachineScaleSets/train/explode")).status == 404


def test_an_action_that_is_not_simulated_says_so(azure: Azure) -> None:
    sets, vms = azure.compute.virtual_machine_scale_sets, azure.compute.virtual_machine_scale_set_vms
    refused = "The simulator does not simulate the action performMaintenance."

    hibernated = refusal(sets.begin_deallocate, "rg", "train", hibernate=True)
    assert hibernated[1:] == ("NotSimulated", "The simulator does not simulate hibernation.")
    assert refusal(sets.begin_perform_maintenance, "rg", "train") == (400, "NotSimulated", refused)
    assert refusal(vms.begin_perform_maintenance, "rg", "train", "0") == (400, "NotSimulated", refused)


def test_actions_go_through_the_clients_as_well(azure: Azure) -> None:
    sets, vms = azure.compute.virtual_machine_scale_sets, azure.compute.virtual_machine_scale_set_vms
    began = [azure.start(sets.begin_redeploy, "rg", "train", {"instanceIds": ["0", "1"]})]
    began.append(azure.start(vms.begin_reimage_all, "rg", "train", "2"))
    azure.wait(300)
    began.append(azure.start(sets.begin_reapply, "rg", "train"))
    azure.wait(300)

    assert [azure.status_of(each) for each in began] == ["Succeeded"] * 3


def test_each_action_on_one_instance_goes_through_its_client(azure: Azure) -> None:
    nodes = azure.compute.virtual_machine_scale_set_vms
    seen: list[list[str]] = []
    for begin in (nodes.begin_power_off, nodes.begin_start, nodes.begin_deallocate, nodes.begin_start):
        azure.finish(begin, "rg", "train", "1")
        seen.append(power(azure))
    for begin in (nodes.begin_restart, nodes.begin_redeploy, nodes.begin_reimage, nodes.begin_reimage_all):
        azure.finish(begin, "rg", "train", "1")
    before = [node["properties"]["vmId"] for node in azure.nodes()]
    azure.finish(nodes.begin_delete, "rg", "train", "1")

    shown = nodes.get_instance_view("rg", "train", "2")
    assert seen == [["running", each, "running"] for each in ("stopped", "running", "deallocated", "running")]
    assert [node["properties"]["vmId"] for node in azure.nodes()] == [before[0], before[2]]
    assert [each.code for each in shown.statuses or []] == ["ProvisioningState/succeeded", "PowerState/running"]


def test_reimaging_all_disks_makes_the_data_disks_anew() -> None:
    azure = azure_with_a_network()
    disks = [{"lun": 0, "createOption": "Empty", "diskSizeGB": 1024}]
    storage = {"imageReference": IMAGE, "osDisk": {"createOption": "FromImage"}, "dataDisks": disks}
    azure.make_scale_set(nodes=1, profile={"storageProfile": storage})

    def names() -> tuple[str, str]:
        storage = azure.nodes()[0]["properties"]["storageProfile"]
        return storage["osDisk"]["name"], storage["dataDisks"][0]["name"]

    first = names()
    act(azure, "reimage", "0")
    azure.wait(120)
    second = names()
    act(azure, "reimageall", "0")
    azure.wait(120)
    third = names()

    assert (first[0] != second[0], first[1] == second[1]) == (True, True)
    assert (second[0] != third[0], second[1] != third[1]) == (True, True)


def test_what_needs_a_running_system_is_refused_by_name_and_passed_over_otherwise(azure: Azure) -> None:
    act(azure, "deallocate", "0")
    azure.wait(60)
    act(azure, "poweroff", "1")
    azure.wait(60)

    for action, number, message in (
        ("restart", "0", "The operation requires the VM to be running (or set to run)."),
        ("redeploy", "1", "The operation requires the VM to be running (or set to run)."),
        (
            "poweroff",
            "0",
            "Operation 'powerOff' is not allowed on VM 'train_0' since the VM is either deallocated or marked to be "
            "deallocated.",
        ),
    ):
        answer = act(azure, action, number)
        assert (answer.status, answer.json()["error"]) == (409, {"code": "OperationNotAllowed", "message": message})
    act(azure, "restart")
    azure.wait(60)

    assert power(azure) == ["deallocated", "stopped", "running"]


def test_a_body_with_other_keys_is_refused(azure: Azure) -> None:
    answer = azure.ask("POST", path_of("virtualMachineScaleSets/train/restart"), {"instance_ids": ["0"]})

    assert (answer.status, answer.json()["error"]["code"]) == (400, "BadRequest")
