"""Instances that are protected: what keeps off them, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, azure_with_a_network, path_of, refusal


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_scale_set(nodes=3)
    return made


def protect(azure: Azure, number: int, **policy: bool) -> None:
    body = {"properties": {"protectionPolicy": policy}}
    azure.start(azure.compute.virtual_machine_scale_set_vms.begin_update, "rg", "train", str(number), body)
    azure.wait(60)


def act(azure: Azure, action: str, **body: Any) -> Any:
    answer = azure.ask("POST", path_of(f"virtualMachineScaleSets/train/{action}"), body or None)
    azure.wait(300)
    return answer


def power(azure: Azure) -> list[str]:
    return [node["properties"]["instanceView"]["statuses"][-1]["code"].split("/")[1] for node in azure.nodes()]


def test_an_instance_shows_its_protection(azure: Azure) -> None:
    vms = azure.compute.virtual_machine_scale_set_vms
    body = {"properties": {"protectionPolicy": {"protectFromScaleIn": True}}}

    started = azure.start(vms.begin_update, "rg", "train", "1", body)
    during = vms.get("rg", "train", "1")
    azure.wait(60)
    after = vms.get("rg", "train", "1")

    assert (started.status, azure.status_of(started)) == (200, "Succeeded")
    assert (during.provisioning_state, during.protection_policy) == ("Updating", None)
    assert after.protection_policy is not None
    assert (after.protection_policy.protect_from_scale_in, after.protection_policy.protect_from_scale_set_actions) == (
        True,
        None,
    )
    assert vms.get("rg", "train", "0").protection_policy is None


def test_what_was_read_can_be_written_back_with_another_policy(azure: Azure) -> None:
    vms = azure.compute.virtual_machine_scale_set_vms
    read = vms.get("rg", "train", "1").as_dict()
    read["properties"]["protectionPolicy"] = {"protectFromScaleIn": True, "protectFromScaleSetActions": True}

    azure.start(vms.begin_update, "rg", "train", "1", read)
    azure.wait(60)
    protect(azure, 1, protectFromScaleSetActions=False)

    policy = vms.get("rg", "train", "1").protection_policy
    assert policy is not None
    assert (policy.protect_from_scale_in, policy.protect_from_scale_set_actions) == (True, False)


def test_nothing_else_of_an_instance_can_be_written(azure: Azure) -> None:
    begin = azure.compute.virtual_machine_scale_set_vms.begin_update
    resized = {"properties": {"hardwareProfile": {"vmSize": "Standard_D2s_v5"}}}
    half = {"properties": {"protectionPolicy": {"protectFromScaleIn": False, "protectFromScaleSetActions": True}}}

    assert refusal(begin, "rg", "train", "1", resized)[1] == "PropertyChangeNotAllowed"
    assert refusal(begin, "rg", "train", "1", half)[1] == "InvalidParameter"
    assert refusal(begin, "rg", "train", "7", {})[1] == "NotFound"
    assert refusal(begin, "rg", "train", "1", {"properties": {"protectionPolicy": {"protectFromScaleIn": 1}}})[0] == 400


def test_actions_of_the_set_pass_over_an_instance_that_is_protected_from_them(azure: Azure) -> None:
    protect(azure, 1, protectFromScaleSetActions=True)
    protect(azure, 2, protectFromScaleIn=True)

    act(azure, "poweroff")

    assert power(azure) == ["stopped", "running", "stopped"]

    act(azure, "deallocate", instanceIds=["0", "1"])

    assert power(azure) == ["deallocated", "running", "stopped"]


def test_what_is_asked_of_a_protected_instance_itself_is_done(azure: Azure) -> None:
    protect(azure, 1, protectFromScaleIn=True, protectFromScaleSetActions=True)

    azure.start(azure.compute.virtual_machine_scale_set_vms.begin_power_off, "rg", "train", "1")
    azure.wait(60)

    assert power(azure) == ["running", "stopped", "running"]

    act(azure, "delete", instanceIds=["1"])

    assert [node["instanceId"] for node in azure.nodes()] == ["0", "2"]


def test_a_manual_upgrade_passes_over_a_protected_instance(azure: Azure) -> None:
    protect(azure, 1, protectFromScaleSetActions=True)
    change = {"storageProfile": {"osDisk": {"diskSizeGB": 256}}}
    azure.put_scale_set("train", {"location": "eastus", "properties": {"virtualMachineProfile": change}})
    azure.wait(120)

    act(azure, "manualupgrade", instanceIds=["*"])

    assert [node["properties"]["latestModelApplied"] for node in azure.nodes()] == [True, False, True]
