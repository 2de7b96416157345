"""What Compute's client makes of the answers in its own types: what no type reads, no user of it sees."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from azure.mgmt.compute.models import CapacityReservationGroup, ProximityPlacementGroup, VirtualMachineScaleSet

from tests.simulator.azure import SIZE, Azure, a_scale_set, azure_with_a_network, group_id, set_id


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    begin = made.compute.virtual_machine_scale_sets.begin_create_or_update
    made.finish(begin, "rg", "train", VirtualMachineScaleSet(a_scale_set(nodes=3, zones=["1"])))
    return made


def test_a_scale_set(azure: Azure) -> None:
    found = azure.compute.virtual_machine_scale_sets.get("rg", "train")

    assert found.sku is not None
    assert (found.id, found.name, found.zones) == (set_id(), "train", ["1"])
    assert (found.sku.name, found.sku.tier, found.sku.capacity) == (SIZE, "Standard", 3)
    assert (found.single_placement_group, found.overprovision, found.orchestration_mode) == (True, False, "Uniform")
    assert found.time_created == datetime(2026, 12, 1, 0, 1, tzinfo=UTC)
    assert (len(str(found.unique_id)), found.provisioning_state) == (36, "Succeeded")


def test_an_instance_and_its_view(azure: Azure) -> None:
    first, *others = azure.compute.virtual_machine_scale_set_vms.list("rg", "train", expand="instanceView")

    view = first.instance_view
    assert view is not None
    assert (first.name, first.instance_id, first.latest_model_applied, first.zones) == ("train_0", "0", True, ["1"])
    assert first.os_profile is not None
    assert first.os_profile.computer_name == "train000000"
    assert [each.code for each in view.statuses or []] == ["ProvisioningState/succeeded", "PowerState/running"]
    assert len(str(view.placement_group_id)) == 36
    groups = {each.instance_view.placement_group_id for each in others if each.instance_view is not None}
    assert groups == {view.placement_group_id}
    assert first.protection_policy is None


def test_the_view_of_a_set(azure: Azure) -> None:
    view = azure.compute.virtual_machine_scale_sets.get_instance_view("rg", "train")

    assert view.virtual_machine is not None
    counted = [(each.code, each.count) for each in view.virtual_machine.statuses_summary or []]
    assert counted == [("ProvisioningState/succeeded", 3)]
    assert [each.code for each in view.statuses or []] == ["ProvisioningState/succeeded"]


def test_a_change_of_the_model_and_a_manual_upgrade(azure: Azure) -> None:
    sets, nodes = azure.compute.virtual_machine_scale_sets, azure.compute.virtual_machine_scale_set_vms
    change = {"properties": {"virtualMachineProfile": {"userData": "aGVsbG8="}}}

    azure.finish(sets.begin_update, "rg", "train", change)
    before = [each.latest_model_applied for each in nodes.list("rg", "train")]
    azure.finish(sets.begin_update_instances, "rg", "train", {"instanceIds": ["1"]})

    assert before == [False, False, False]
    assert [each.latest_model_applied for each in nodes.list("rg", "train")] == [False, True, False]


def test_sizes_with_zones_and_restrictions(azure: Azure) -> None:
    azure.set_world(restrictions=[{"location": "eastus", "size": SIZE, "zones": ["3"]}])

    (row,) = [each for each in azure.compute.resource_skus.list(filter="location eq 'eastus'") if each.name == SIZE]

    (place,) = row.location_info or []
    (restriction,) = row.restrictions or []
    assert (place.location, sorted(place.zones or [])) == ("eastus", ["1", "2", "3"])
    assert restriction.restriction_info is not None
    assert (restriction.type, restriction.restriction_info.zones) == ("Zone", ["3"])
    assert restriction.reason_code == "NotAvailableForSubscription"
    facts = {each.name: each.value for each in row.capabilities or []}
    assert (facts["vCPUs"], facts["RdmaEnabled"]) == ("96", "True")


def test_usages(azure: Azure) -> None:
    found = {each.name.value: each for each in azure.compute.usage.list("eastus")}

    family, total = found["standardNDSH100v5Family"], found["cores"]
    assert (family.current_value, family.name.localized_value) == (288, "Standard NDSH100v5 Family vCPUs")
    assert (total.current_value, total.unit) == (288, "Count")


def test_a_rolling_upgrade(azure: Azure) -> None:
    sets = azure.compute.virtual_machine_scale_sets
    kind = {"publisher": "Microsoft.ManagedServices", "type": "ApplicationHealthLinux", "typeHandlerVersion": "1.0"}
    health = {"extensionProfile": {"extensions": [{"name": "health", "properties": kind}]}}
    rolling = {"upgradePolicy": {"mode": "Rolling"}}
    azure.finish(sets.begin_create_or_update, "rg", "roll", a_scale_set(nodes=5, properties=rolling, profile=health))
    azure.finish(sets.begin_update, "rg", "roll", {"properties": {"virtualMachineProfile": {"userData": "aGVsbG8="}}})

    found = azure.compute.virtual_machine_scale_set_rolling_upgrades.get_latest("rg", "roll")

    assert (found.running_status is not None, found.progress is not None, found.policy is not None) == (True,) * 3
    assert found.running_status.code == "Completed"
    assert found.progress.successful_instance_count == 5
    assert found.policy.max_batch_instance_percent == 20


def test_a_proximity_group_and_a_reservation_group(azure: Azure) -> None:
    groups = azure.compute.proximity_placement_groups
    made = groups.create_or_update("rg", "near", ProximityPlacementGroup(location="eastus"))
    body = a_scale_set(nodes=1, properties={"proximityPlacementGroup": {"id": made.id}})
    azure.finish(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "close", body)
    reserved = azure.compute.capacity_reservation_groups.create_or_update(
        "rg", "kept", CapacityReservationGroup(location="eastus")
    )

    found = groups.get("rg", "near", include_colocation_status="true")
    assert [each.id for each in found.virtual_machine_scale_sets or []] == [set_id("close")]
    assert found.colocation_status is not None
    assert reserved.id == f"{group_id()}/providers/Microsoft.Compute/capacityReservationGroups/kept"


def test_an_image_of_the_marketplace(azure: Azure) -> None:
    images = azure.compute.virtual_machine_images
    newest = list(images.list("eastus", "microsoft-dsvm", "ubuntu-hpc", "2204"))[-1]

    found = images.get("eastus", "microsoft-dsvm", "ubuntu-hpc", "2204", str(newest.name))
    assert found.os_disk_image is not None
    assert (found.os_disk_image.operating_system, found.hyper_v_generation) == ("Linux", "V2")


def test_the_result_of_a_script(azure: Azure) -> None:
    nodes = azure.compute.virtual_machine_scale_set_vms
    body = {"commandId": "RunShellScript", "script": ["hostname"]}

    (said,) = azure.finish(nodes.begin_run_command, "rg", "train", "0", body).value

    assert (said.code, said.level) == ("ProvisioningState/succeeded", "Info")
    assert "[stdout]" in said.message
