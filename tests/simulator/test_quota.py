"""Quota and usages, and what happens where a quota runs out."""

from __future__ import annotations

from typing import Any

from tests.simulator.azure import (
    SIZE,
    SUBSCRIPTION,
    Azure,
    a_scale_set,
    a_template,
    azure_with_a_network,
    group_id,
    network_id,
    refusal,
    set_id,
    subnet_id,
)

FAMILY = "standardNDSH100v5Family"
OTHER = "Standard_ND96amsr_A100_v4"
OTHER_FAMILY = "standard NDAMSv4_A100Family"


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
    assert usage(azure, "virtualMachines") == (5, 25_000)
    assert usage(azure, "availabilitySets") == (0, 2500)
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


def test_another_subscriptions_nodes_are_its_own_but_hardware_is_shared() -> None:
    azure = azure_with_a_network()
    other = "00000000-0000-0000-0000-000000000002"
    azure.make_scale_set("ours", nodes=3)
    azure.set_world(quota={"eastus": {FAMILY: 384}}, capacity={"eastus": {SIZE: 5}})
    theirs = {
        key: _of(other, value) for key, value in (("group", group_id()), ("net", network_id("virtualNetworks/net")))
    }
    azure.ask("PUT", f"{theirs['group']}?api-version=2025-04-01", {"location": "eastus"})
    subnets = [{"name": "nodes", "properties": {"addressPrefix": "10.0.0.0/24"}}]
    network = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}, "subnets": subnets}
    azure.put(theirs["net"], {"location": "eastus", "properties": network})

    body = a_scale_set(nodes=4, subnet=_of(other, subnet_id()))
    made = azure.put(_of(other, set_id("theirs")), body)
    more = azure.put(_of(other, set_id("more")), {**body, "sku": {"name": SIZE, "capacity": 1}})

    path = f"{_of(other, set_id('theirs'))}/virtualMachines?api-version=2025-11-01"
    nodes = azure.ask("GET", path).json()["value"]
    assert (made.status, more.status) == (201, 201)
    assert [node["properties"]["provisioningState"] for node in nodes] == ["Succeeded"] * 2 + ["Failed"] * 2
    assert usage(azure, FAMILY) == (288, 384)


def _of(subscription: str, resource_id: str) -> str:
    return resource_id.replace(SUBSCRIPTION, subscription)


def test_a_limit_can_be_one_subscriptions_own() -> None:
    azure = azure_with_a_network("10.0.0.0/23")
    azure.set_world(
        quota={
            "*": {"placementGroupLimit": 100, "cores": 9},
            f"{SUBSCRIPTION}/*": {"placementGroupLimit": 200, "cores": 20_000},
            f"{SUBSCRIPTION}/eastus": {"placementGroupLimit": 300},
        }
    )
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    too_many = refusal(begin, "rg", "a", a_scale_set(nodes=301))
    too_much = refusal(begin, "rg", "a", a_scale_set(nodes=209))[2]
    fits = azure.start(begin, "rg", "a", a_scale_set(nodes=208))

    assert too_many == (
        409,
        "OperationNotAllowed",
        "Unable to create or update VirtualMachineScaleSet 'a' as it exceeds the total limit of '300' Virtual Machine "
        "instances.",
    )
    assert "Current Limit: 20000, Current Usage: 0, Additional Required: 20064," in too_much
    assert fits.status == 201


def test_a_size_of_another_family_is_counted_whole_and_the_regions_total_by_the_difference() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=4)
    azure.set_world(quota={"eastus": {"cores": 384, OTHER_FAMILY: 96}})

    def resize(nodes: int) -> tuple[int, Any]:
        answer = azure.put_scale_set("train", {"location": "eastus", "sku": {"name": OTHER, "capacity": nodes}})
        return answer.status, answer.json().get("error", {}).get("message", "")

    status, message = resize(4)
    azure.set_world(quota={"eastus": {"cores": 384, OTHER_FAMILY: 384}})

    assert status == 409
    assert f"exceeding approved {OTHER_FAMILY} Cores quota" in message
    assert "Current Usage: 0, Additional Required: 384," in message
    assert resize(4)[0] == 200
    azure.wait(600)
    assert (usage(azure, OTHER_FAMILY)[0], usage(azure, FAMILY)[0]) == (384, 0)


def test_preflight_finds_both_tiers_of_all_sets_together_before_anything_is_made() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set("a", nodes=2)
    azure.set_world(quota={"eastus": {FAMILY: 480, "cores": 400}})
    sets = [_resource("a", 4), _resource("b", 4)]

    properties = {"mode": "Incremental", "template": a_template(*sets)}
    begin = azure.deployments.deployments.begin_create_or_update
    status, code, _ = refusal(begin, "rg", "d", {"properties": properties})
    path = f"{group_id()}/providers/Microsoft.Resources/deployments/d?api-version=2025-04-01"
    answer = azure.ask("PUT", path, {"properties": properties})

    details = answer.json()["error"]["details"]
    assert (status, code) == (400, "InvalidTemplateDeployment")
    assert [(each["code"], each["message"].split(". Additional")[0].split("approved ")[1]) for each in details] == [
        ("QuotaExceeded", f"{FAMILY} Cores quota"),
        ("QuotaExceeded", "Total Regional Cores quota"),
    ]
    assert "Current Limit: 480, Current Usage: 192, Additional Required: 576," in details[0]["message"]
    assert not [each for each in azure.world["resources"] if each["id"] == set_id("b")]


def test_preflight_counts_spot_and_size_changes_as_a_write_does() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set("a", nodes=4, profile={"priority": "Spot"})
    azure.make_scale_set("b", nodes=4)
    limits = {"lowPriorityCores": 480, FAMILY: 384, OTHER_FAMILY: 288}
    azure.set_world(quota={"eastus": limits})

    def preflight(*sets: Any) -> list[str]:
        path = f"{group_id()}/providers/Microsoft.Resources/deployments/d/validate?api-version=2025-04-01"
        body = {"properties": {"mode": "Incremental", "template": a_template(*sets)}}
        error = azure.ask("POST", path, body).json().get("error", {})
        return [each["message"].split("approved ")[1].split(" quota")[0] for each in error.get("details", [])]

    spot = {"virtualMachineProfile": {"priority": "Spot"}}
    assert preflight(_resource("a", 5, properties=spot)) == []
    assert preflight(_resource("a", 6, properties=spot)) == ["LowPriorityCores"]
    assert preflight(_resource("a", 6, properties={})) == ["LowPriorityCores"]
    assert preflight(_resource("b", 4, size=OTHER)) == [f"{OTHER_FAMILY} Cores"]
    assert preflight(_resource("b", 3, size=OTHER)) == []


def _resource(name: str, nodes: int, size: str = SIZE, **parts: Any) -> Any:
    kind = {"type": "Microsoft.Compute/virtualMachineScaleSets", "apiVersion": "2025-11-01", "name": name}
    return {**kind, **a_scale_set(nodes=nodes, size=size), **parts}
