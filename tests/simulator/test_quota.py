"""Quota, capacity, usages, and what happens where they run out."""

from __future__ import annotations

from typing import Any

from tests.simulator.azure import SIZE, SUBSCRIPTION, Azure, a_scale_set, azure_with_a_network, refusal

FAMILY = "standardNDSH100v5Family"


def usage(azure: Azure, name: str) -> tuple[int, int]:
    rows = [row.as_dict() for row in azure.compute.usage.list("eastus")]
    row = next(row for row in rows if row["name"]["value"] == name)
    return row["currentValue"], row["limit"]


def states(azure: Azure) -> list[str]:
    return [node["properties"]["provisioningState"] for node in azure.nodes()]


def test_usages_count_vcpus_by_family_and_region() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set("a", nodes=2)
    azure.make_scale_set("b", nodes=3, profile={"priority": "Spot"})

    rows = azure.ask(
        "GET",
        f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Compute/locations/eastus/usages?api-version=2025-11-01",
    ).json()["value"]

    assert usage(azure, FAMILY) == (192, 10_000_000)
    assert usage(azure, "cores") == (192, 10_000_000)
    assert usage(azure, "lowPriorityCores") == (288, 10_000_000)
    assert usage(azure, "virtualMachineScaleSets") == (2, 2500)
    family = next(row for row in rows if row["name"]["value"] == FAMILY)
    assert family["name"]["localizedValue"] == "Standard NDSH100v5 Family vCPUs"
    assert family["unit"] == "Count"


def test_a_family_quota_is_refused_in_azures_words() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set("first", nodes=2)
    azure.set_world(quota={"eastus": {FAMILY: 960}})
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    status, code, message = refusal(begin, "rg", "second", a_scale_set(nodes=9))

    assert (status, code) == (409, "OperationNotAllowed")
    assert message.startswith(
        "Operation could not be completed as it results in exceeding approved standardNDSH100v5Family Cores quota. "
        "Additional details - Deployment Model: Resource Manager, Location: eastus, Current Limit: 960, Current "
        "Usage: 192, Additional Required: 864, (Minimum) New Limit Required: 1056."
    )
    assert azure.start(begin, "rg", "second", a_scale_set(nodes=8)).status == 201


def test_the_regions_total_and_spot_have_limits_of_their_own() -> None:
    azure = azure_with_a_network()
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    azure.set_world(quota={"*": {"cores": 96}})
    regional = refusal(begin, "rg", "a", a_scale_set(nodes=2))[2]
    azure.set_world(quota={"eastus": {"LOWPRIORITYCORES": 96, FAMILY: 0}})
    spot = refusal(begin, "rg", "a", a_scale_set(nodes=2, profile={"priority": "Spot"}))[2]
    fits = azure.start(begin, "rg", "a", a_scale_set(nodes=1, profile={"priority": "Spot"}))

    assert "exceeding approved Total Regional Cores quota" in regional
    assert "exceeding approved LowPriorityCores quota" in spot
    assert fits.status == 201


def test_scaling_out_counts_only_what_is_added() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    azure.set_world(quota={"eastus": {FAMILY: 288}})

    def scale(nodes: int) -> Any:
        return azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": nodes}})

    assert (scale(4).status, scale(3).status) == (409, 200)


def test_a_full_region_gives_what_it_has_and_fails_the_operation() -> None:
    azure = azure_with_a_network()
    azure.set_world(capacity={"eastus": {SIZE: 3}})

    started = azure.make_scale_set(nodes=4)

    over = azure.ask("GET", started.poll).json()
    nodes = azure.nodes()
    assert (started.status, over["status"], over["error"]["code"]) == (201, "Failed", "AllocationFailed")
    assert over["error"]["message"].startswith(
        "Allocation failed. If you are trying to add a new VM to a Virtual Machine"
    )
    assert states(azure) == ["Succeeded", "Succeeded", "Succeeded", "Failed"]
    assert nodes[3]["properties"]["instanceView"]["statuses"][0]["code"] == "ProvisioningState/failed/AllocationFailed"
    assert azure.scale_set()["properties"]["provisioningState"] == "Failed"
    assert usage(azure, "cores")[0] == 288


def test_a_write_after_capacity_came_back_repairs_the_set_in_place() -> None:
    azure = azure_with_a_network()
    azure.set_world(capacity={"eastus": {SIZE: 3}})
    azure.make_scale_set(nodes=4)
    azure.set_world(capacity={"eastus": {SIZE: 4}})

    azure.put_scale_set("train", a_scale_set(nodes=4))
    during = states(azure)
    azure.wait(300)

    assert during == ["Succeeded", "Succeeded", "Succeeded", "Updating"]
    assert states(azure) == ["Succeeded"] * 4
    assert azure.scale_set()["properties"]["provisioningState"] == "Succeeded"


def test_deallocated_nodes_hold_quota_and_no_hardware() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set("a", nodes=2)
    azure.set_world(capacity={"*": {SIZE.lower(): 2}})
    azure.compute.virtual_machine_scale_sets.begin_deallocate("rg", "a", polling=False)
    azure.wait(60)

    azure.make_scale_set("train", nodes=2)

    assert states(azure) == ["Succeeded", "Succeeded"]
    assert usage(azure, FAMILY)[0] == 4 * 96


def test_a_zonal_set_of_several_groups_names_its_zone() -> None:
    azure = azure_with_a_network()
    azure.set_world(capacity={"eastus": {SIZE: 0}})

    started = azure.make_scale_set(nodes=1, zones=["2"], properties={"singlePlacementGroup": False})

    assert azure.ask("GET", started.poll).json()["error"]["code"] == "ZonalAllocationFailed"
