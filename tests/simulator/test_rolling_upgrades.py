"""What becomes of instances when their model changes, by upgrade mode, and upgrades that go in batches."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, Json, Started, a_scale_set, azure_with_a_network, refusal, set_id
from tests.simulator.test_scale_set_requests import HEALTH

BATCH_S = 120.0
WRITE_S = 20.0


def a_pool(azure: Azure, nodes: int = 10, mode: str = "Rolling", top: Json | None = None, **policy: Any) -> None:
    """Make a set that tells the health of its nodes."""
    azure.make_scale_set(
        nodes=nodes,
        properties={"upgradePolicy": {"mode": mode, "rollingUpgradePolicy": policy}},
        profile={"extensionProfile": {"extensions": [HEALTH]}},
        **(top or {}),
    )


def change(azure: Azure, gib: int = 256) -> Started:
    profile = {"storageProfile": {"osDisk": {"diskSizeGB": gib}}}
    body = {"location": "eastus", "properties": {"virtualMachineProfile": profile}}
    return azure.start(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", body)


def latest(azure: Azure) -> Any:
    return azure.compute.virtual_machine_scale_set_rolling_upgrades.get_latest("rg", "train")


def progress(azure: Azure) -> tuple[int, int, int, int]:
    """Return `(done, failed, in progress, pending)`."""
    found = latest(azure).progress
    return (
        found.successful_instance_count,
        found.failed_instance_count,
        found.in_progress_instance_count,
        found.pending_instance_count,
    )


def upgraded(azure: Azure) -> list[int]:
    return [int(node["instanceId"]) for node in azure.nodes() if node["properties"]["latestModelApplied"]]


def updating(azure: Azure) -> list[int]:
    return [int(node["instanceId"]) for node in azure.nodes() if node["properties"]["provisioningState"] == "Updating"]


def set_health(azure: Azure, health: str | None, *numbers: int) -> None:
    body = {"scaleSet": set_id(), "instances": [str(number) for number in numbers], "health": health}
    assert azure.ask("POST", "/_simulator/nodes", body).status == 200


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def test_by_manual_mode_nothing_happens_to_running_nodes(azure: Azure) -> None:
    a_pool(azure, nodes=3, mode="Manual")

    started = change(azure)
    azure.wait(WRITE_S)

    assert (azure.status_of(started), updating(azure), upgraded(azure)) == ("Succeeded", [], [])
    assert refusal(azure.compute.virtual_machine_scale_set_rolling_upgrades.get_latest, "rg", "train")[0] == 404


def test_by_automatic_mode_all_nodes_are_upgraded_at_once(azure: Azure) -> None:
    a_pool(azure, nodes=3, mode="Automatic")
    body = {"properties": {"protectionPolicy": {"protectFromScaleSetActions": True}}}
    azure.start(azure.compute.virtual_machine_scale_set_vms.begin_update, "rg", "train", "1", body)
    azure.wait(60)

    started = change(azure)
    during = updating(azure)
    azure.wait(BATCH_S)

    assert (azure.status_of(started), during, upgraded(azure)) == ("Succeeded", [0, 2], [0, 2])


def test_by_rolling_mode_they_go_in_batches_with_pauses(azure: Azure) -> None:
    a_pool(azure, maxBatchInstancePercent=40, pauseTimeBetweenBatches="PT1M")
    began = azure.simulator.now

    started = change(azure)
    azure.wait(WRITE_S)
    seen = [(updating(azure), upgraded(azure), progress(azure))]
    for seconds in (BATCH_S, 60, BATCH_S, 60, BATCH_S):
        azure.wait(seconds)
        seen.append((updating(azure), upgraded(azure), progress(azure)))

    assert seen == [
        ([0, 1, 2, 3], [], (0, 0, 4, 6)),
        ([], [0, 1, 2, 3], (4, 0, 0, 6)),
        ([4, 5, 6, 7], [0, 1, 2, 3], (4, 0, 4, 2)),
        ([], [0, 1, 2, 3, 4, 5, 6, 7], (8, 0, 0, 2)),
        ([8, 9], [0, 1, 2, 3, 4, 5, 6, 7], (8, 0, 2, 0)),
        ([], list(range(10)), (10, 0, 0, 0)),
    ]
    found = latest(azure)
    assert azure.status_of(started) == "Succeeded"
    assert (found.running_status.code, found.running_status.last_action) == ("Completed", "Start")
    assert found.running_status.start_time.timestamp() == began + WRITE_S
    assert (found.policy.max_batch_instance_percent, found.policy.max_unhealthy_instance_percent) == (40, 20)
    assert (found.id, found.type) == (None, "Microsoft.Compute/virtualMachineScaleSets/rollingUpgrades")


def test_the_write_lasts_as_long_as_its_upgrade(azure: Azure) -> None:
    a_pool(azure, nodes=2, maxBatchInstancePercent=50)

    started = change(azure)
    azure.wait(WRITE_S + BATCH_S)
    running = (azure.status_of(started), azure.scale_set()["properties"]["provisioningState"])
    another = azure.put_scale_set("train", {"location": "eastus"})
    azure.wait(BATCH_S)

    assert (running, another.status) == (("InProgress", "Updating"), 409)
    assert (azure.status_of(started), upgraded(azure)) == ("Succeeded", [0, 1])


def test_a_batch_stays_in_its_zone_unless_it_may_cross(azure: Azure) -> None:
    a_pool(azure, nodes=6, maxBatchInstancePercent=50, top={"zones": ["1", "2", "3"]})

    change(azure)
    azure.wait(WRITE_S)
    alone = updating(azure)
    azure.wait(3 * BATCH_S)
    policy = {"upgradePolicy": {"rollingUpgradePolicy": {"enableCrossZoneUpgrade": True}}}
    azure.put_scale_set("train", {"location": "eastus", "properties": policy})
    azure.wait(WRITE_S)
    change(azure, gib=512)
    azure.wait(WRITE_S)

    assert (alone, updating(azure)) == ([0, 3], [0, 1, 2])


def test_sick_nodes_first_where_the_policy_wants_it(azure: Azure) -> None:
    a_pool(azure, maxBatchInstancePercent=20, prioritizeUnhealthyInstances=True)
    set_health(azure, "unhealthy", 7, 9)

    change(azure)
    azure.wait(WRITE_S)

    assert updating(azure) == [7, 9]


def test_no_batch_begins_while_too_many_are_sick(azure: Azure) -> None:
    a_pool(azure, maxUnhealthyInstancePercent=20)
    set_health(azure, "unhealthy", 0, 1)
    set_health(azure, "unknown", 2)

    started = change(azure)
    azure.wait(WRITE_S)

    poll = azure.ask("GET", started.poll).json()
    assert (poll["status"], poll["error"]) == (
        "Failed",
        {
            "code": "MaxUnhealthyInstancePercentExceededBeforeRollingUpgrade",
            "message": "Rolling Upgrade failed due to exceeding the MaxUnhealthyInstancePercent value (defined in the "
            "RollingUpgradePolicy) before any batch was attempted. 30% of instances are in an unhealthy state, more "
            "than the threshold of 20% configured in the RollingUpgradePolicy. The most impactful error is:  Instance "
            "found to be unhealthy or unreachable. For details on rolling upgrades, use "
            "http://aka.ms/AzureVMSSRollingUpgrade",
        },
    )
    assert (latest(azure).running_status.code, upgraded(azure)) == ("Faulted", [])
    assert azure.scale_set()["properties"]["provisioningState"] == "Failed"


def test_an_upgrade_stops_when_too_many_of_the_upgraded_are_sick(azure: Azure) -> None:
    a_pool(azure, maxBatchInstancePercent=20, maxUnhealthyInstancePercent=50, maxUnhealthyUpgradedInstancePercent=20)

    started = change(azure)
    azure.wait(WRITE_S + BATCH_S)
    set_health(azure, "unhealthy", 3)
    azure.wait(BATCH_S)

    error = azure.ask("GET", started.poll).json()["error"]
    assert error["code"] == "MaxUnhealthyUpgradedInstancePercentExceededInRollingUpgrade"
    assert (
        "25% of instances are in an unhealthy state after being upgraded - more than the threshold of 20%"
        in (error["message"])
    )
    assert (latest(azure).running_status.code, latest(azure).error.code) == ("Faulted", error["code"])
    assert (upgraded(azure), progress(azure)) == ([0, 1, 2, 3], (3, 1, 0, 6))


def test_an_upgrade_stops_when_others_fall_sick_meanwhile(azure: Azure) -> None:
    a_pool(azure, maxBatchInstancePercent=20, maxUnhealthyInstancePercent=20)

    started = change(azure)
    azure.wait(WRITE_S)
    set_health(azure, "unhealthy", 7, 8, 9)
    azure.wait(BATCH_S)

    error = azure.ask("GET", started.poll).json()["error"]
    assert error["code"] == "MaxUnhealthyInstancePercentExceededInRollingUpgrade"
    assert upgraded(azure) == [0, 1]


def test_sick_nodes_keep_the_old_model_where_the_policy_rolls_them_back(azure: Azure) -> None:
    a_pool(
        azure,
        maxBatchInstancePercent=20,
        maxUnhealthyInstancePercent=50,
        rollbackFailedInstancesOnPolicyBreach=True,
    )

    change(azure)
    azure.wait(WRITE_S)
    set_health(azure, "unhealthy", 1)
    azure.wait(BATCH_S)

    assert (latest(azure).running_status.code, upgraded(azure)) == ("Faulted", [0])


def test_nodes_that_fail_in_an_upgrade_are_told_of(azure: Azure) -> None:
    a_pool(azure, maxBatchInstancePercent=20)
    fault = {"effect": "fail-nodes", "code": "VMExtensionProvisioningError", "message": "no quorum", "nodes": 1}
    assert azure.ask("POST", "/_simulator/faults", {**fault, "match": {}}).status == 200

    started = change(azure)
    azure.wait(WRITE_S + BATCH_S)

    error = azure.ask("GET", started.poll).json()["error"]
    assert error["code"] == "MaxUnhealthyUpgradedInstancePercentExceededInRollingUpgrade"
    assert "The most impactful error is:  no quorum" in error["message"]


def test_a_stopped_upgrade_goes_on_with_the_next_write(azure: Azure) -> None:
    a_pool(azure, nodes=4, maxBatchInstancePercent=25, maxUnhealthyUpgradedInstancePercent=0)
    change(azure)
    azure.wait(WRITE_S)
    set_health(azure, "unhealthy", 0)
    azure.wait(BATCH_S)
    stopped = (latest(azure).running_status.code, upgraded(azure))
    set_health(azure, None, 0)

    azure.put_scale_set("train", {"location": "eastus"})
    azure.wait(WRITE_S + 3 * BATCH_S)

    assert stopped == ("Faulted", [0])
    assert (latest(azure).running_status.code, upgraded(azure)) == ("Completed", [0, 1, 2, 3])


def test_an_upgrade_can_be_cancelled(azure: Azure) -> None:
    a_pool(azure, maxBatchInstancePercent=20, pauseTimeBetweenBatches="PT10M")
    upgrades = azure.compute.virtual_machine_scale_set_rolling_upgrades

    nothing = refusal(upgrades.begin_cancel, "rg", "train")
    started = change(azure)
    azure.wait(WRITE_S)
    cancelled = azure.start(upgrades.begin_cancel, "rg", "train")
    azure.wait(BATCH_S + 10)

    assert nothing == (409, "OperationNotAllowed", "There is no ongoing Rolling Upgrade to cancel.")
    assert (cancelled.status, azure.status_of(cancelled), azure.status_of(started)) == (202, "Succeeded", "Failed")
    found = latest(azure).running_status
    assert (found.code, found.last_action, upgraded(azure)) == ("Cancelled", "Cancel", [0, 1])
    assert azure.scale_set()["properties"]["provisioningState"] == "Succeeded"


def test_an_upgrade_that_rests_is_cancelled_at_once(azure: Azure) -> None:
    a_pool(azure, maxBatchInstancePercent=20, pauseTimeBetweenBatches="PT10M")
    change(azure)
    azure.wait(WRITE_S + BATCH_S + 10)

    azure.start(azure.compute.virtual_machine_scale_set_rolling_upgrades.begin_cancel, "rg", "train")
    azure.wait(5)

    assert (latest(azure).running_status.code, upgraded(azure)) == ("Cancelled", [0, 1])


def test_a_deletion_takes_over_from_an_upgrade(azure: Azure) -> None:
    a_pool(azure)
    started = change(azure)
    azure.wait(WRITE_S)

    azure.start(azure.compute.virtual_machine_scale_sets.begin_delete, "rg", "train")
    azure.wait(600)

    assert azure.ask("GET", started.poll).json()["error"]["code"] == "OperationPreempted"
    assert list(azure.compute.virtual_machine_scale_sets.list("rg")) == []


# --- newer images and extensions ---


def with_image(azure: Azure, newest: str) -> None:
    azure.set_world(settings={"images": {"microsoft-dsvm:ubuntu-hpc:2204": {"versions": ["1.0.0", newest]}}})


def a_pool_on_the_latest_image(azure: Azure) -> None:
    with_image(azure, "1.1.0")
    image = {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204", "version": "latest"}
    profile = {
        "storageProfile": {"imageReference": image, "osDisk": {"createOption": "FromImage"}},
        "extensionProfile": {"extensions": [HEALTH]},
    }
    azure.make_scale_set(nodes=4, profile=profile)


def exact(azure: Azure) -> list[str]:
    return [node["properties"]["storageProfile"]["imageReference"]["exactVersion"] for node in azure.nodes()]


def test_an_upgrade_of_the_system_brings_the_newest_image_batch_by_batch(azure: Azure) -> None:
    a_pool_on_the_latest_image(azure)
    with_image(azure, "1.2.0")
    upgrades = azure.compute.virtual_machine_scale_set_rolling_upgrades
    disks = [node["properties"]["storageProfile"]["osDisk"]["name"] for node in azure.nodes()]

    started = azure.start(upgrades.begin_start_os_upgrade, "rg", "train")
    azure.wait(5 + BATCH_S)
    some = exact(azure)
    azure.wait(3 * BATCH_S)

    assert (started.status, azure.status_of(started)) == (202, "Succeeded")
    assert (some, exact(azure)) == (["1.2.0", "1.1.0", "1.1.0", "1.1.0"], ["1.2.0"] * 4)
    after = [node["properties"]["storageProfile"]["osDisk"]["name"] for node in azure.nodes()]
    assert not set(disks) & set(after)
    rows: Any = list(azure.compute.virtual_machine_scale_sets.get_os_upgrade_history("rg", "train"))
    past = [(row.properties.running_status.code, row.properties.started_by) for row in rows]
    assert (past, rows[0].properties.target_image_reference.version) == ([("Completed", "User")], "1.2.0")


def test_an_upgrade_of_the_system_has_nothing_to_do_on_the_newest_image(azure: Azure) -> None:
    a_pool_on_the_latest_image(azure)

    started = azure.start(
        azure.compute.virtual_machine_scale_set_rolling_upgrades.begin_start_os_upgrade, "rg", "train"
    )
    azure.wait(5)

    assert (azure.status_of(started), progress(azure)) == ("Succeeded", (0, 0, 0, 0))


def test_an_upgrade_of_the_system_wants_a_platform_image(azure: Azure) -> None:
    gallery = "/subscriptions/x/resourceGroups/g/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0"
    azure.make_scale_set(
        nodes=1,
        profile={"storageProfile": {"imageReference": {"id": gallery}, "osDisk": {"createOption": "FromImage"}}},
    )
    upgrades = azure.compute.virtual_machine_scale_set_rolling_upgrades

    assert refusal(upgrades.begin_start_os_upgrade, "rg", "train") == (
        409,
        "OperationNotAllowed",
        "The OS Rolling Upgrade API cannot be used on a VM Scale Set unless the VM Scale Set is using a Platform Image "
        "select the OS by setting imageReference.",
    )


def test_an_upgrade_of_the_extensions_walks_all_nodes(azure: Azure) -> None:
    a_pool(azure, nodes=4, mode="Manual", maxBatchInstancePercent=50)
    upgrades = azure.compute.virtual_machine_scale_set_rolling_upgrades

    started = azure.start(upgrades.begin_start_extension_upgrade, "rg", "train")
    azure.wait(5)
    first = (updating(azure), progress(azure))
    again = refusal(upgrades.begin_start_os_upgrade, "rg", "train")
    azure.wait(2 * BATCH_S)

    assert (first, again[:2]) == ((([0, 1]), (0, 0, 2, 2)), (409, "Conflict"))
    assert (azure.status_of(started), progress(azure)) == ("Succeeded", (4, 0, 0, 0))
    assert list(azure.compute.virtual_machine_scale_sets.get_os_upgrade_history("rg", "train")) == []


# --- policies that are refused ---


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        (
            {"upgradePolicy": {"mode": "Rolling"}},
            "Rolling Upgrade mode is not supported for this Virtual Machine Scale Set because a health probe or health "
            "extension was not provided.",
        ),
        (
            {"automaticRepairsPolicy": {"enabled": True}},
            "Automatic repairs not supported for this Virtual Machine Scale Set because a health probe or health "
            "extension was not provided.",
        ),
        (
            {"upgradePolicy": {"mode": "Manual", "automaticOSUpgradePolicy": {"enableAutomaticOSUpgrade": True}}},
            "Automatic OS Upgrade is not supported for this Virtual Machine Scale Set because a health probe or health "
            "extension was not provided.",
        ),
        (
            {"scaleInPolicy": {"rules": []}},
            "Virtual Machine Scale Sets scale in policy must contain at least one rule.",
        ),
    ],
)
def test_policies_without_what_they_need_are_refused(azure: Azure, properties: Any, message: str) -> None:
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    assert refusal(begin, "rg", "train", a_scale_set(properties=properties)) == (400, "BadRequest", message)


def test_a_rolling_policy_that_is_none_is_refused(azure: Azure) -> None:
    for policy in (
        {"pauseTimeBetweenBatches": "soon"},
        {"maxBatchInstancePercent": 4},
        {"maxUnhealthyInstancePercent": 101},
        {"maxSurge": True},
    ):
        body = a_scale_set(properties={"upgradePolicy": {"mode": "Manual", "rollingUpgradePolicy": policy}})
        assert azure.put_scale_set("train", body).status == 400


def test_what_is_not_simulated_says_so(azure: Azure) -> None:
    answer = azure.put_scale_set("train", a_scale_set(properties={"orchestrationMode": "Flexible"}))

    assert (answer.status, answer.json()["error"]["code"]) == (400, "NotSimulated")
    assert "orchestrationMode is Flexible" in answer.json()["error"]["message"]
