"""Resource groups."""

from __future__ import annotations

import json

from tests.simulator.azure import (
    HOST,
    SUBSCRIPTION,
    Azure,
    a_scale_set,
    a_security_group,
    group_id,
    network_id,
    network_path,
    path_of,
    refusal,
    subnet_id,
)


def test_a_new_group_is_made_at_once() -> None:
    azure = Azure()

    first = azure.ask("PUT", f"{group_id()}?api-version=2025-04-01", {"location": "East US", "tags": {"a": "b"}})
    second = azure.ask("PUT", f"{group_id()}?api-version=2025-04-01", {"location": "eastus"})

    assert (first.status, first.json()) == (
        201,
        {
            "id": group_id(),
            "name": "rg",
            "type": "Microsoft.Resources/resourceGroups",
            "location": "eastus",
            "tags": {"a": "b"},
            "properties": {"provisioningState": "Succeeded"},
        },
    )
    assert (second.status, second.json()["tags"]) == (200, {})


def test_a_group_stays_where_it_is() -> None:
    azure = Azure()
    azure.make_group(location="eastus")

    found = refusal(azure.resources.resource_groups.create_or_update, "RG", {"location": "westus3"})

    assert found == (
        409,
        "InvalidResourceGroupLocation",
        "Invalid resource group location 'westus3'. The Resource group already exists in location 'eastus'.",
    )


def test_a_group_needs_a_location_that_azure_has() -> None:
    azure = Azure()
    put = azure.resources.resource_groups.create_or_update

    assert refusal(put, "rg", {"tags": {}})[:2] == (400, "LocationRequired")
    assert refusal(put, "rg", {"location": "atlantis"})[:2] == (400, "LocationNotAvailableForResourceGroup")


def test_an_unknown_key_is_refused() -> None:
    azure = Azure()

    answer = azure.ask("PUT", f"{group_id()}?api-version=2025-04-01", {"location": "eastus", "sku": {}})

    assert (answer.status, answer.json()["error"]["code"]) == (400, "InvalidRequestContent")


def test_a_group_is_found_whatever_the_case_of_its_name() -> None:
    azure = Azure()
    azure.make_group("Rg")

    assert azure.resources.resource_groups.check_existence("rG") is True
    assert azure.resources.resource_groups.check_existence("other") is False
    assert azure.ask("GET", f"/SUBSCRIPTIONS/{SUBSCRIPTION}/resourcegroups/RG?api-version=2025-04-01").status == 200


def test_an_absent_group_is_said_to_be_absent_by_the_gateway() -> None:
    azure = Azure()

    answer = azure.ask("GET", f"{group_id('none')}?api-version=2025-04-01")

    assert answer.status == 404
    assert answer.headers["x-ms-failure-cause"] == "gateway"
    assert answer.body == (
        b'{"error":{"code":"ResourceGroupNotFound","message":"Resource group \'none\' could not be found."}}'
    )


def test_groups_are_listed_by_tag() -> None:
    azure = Azure()
    azure.make_group("a", owner="ml")
    azure.make_group("b", owner="web")
    azure.make_group("c", Owner="ml")
    groups = azure.resources.resource_groups

    assert [group.name for group in groups.list()] == ["a", "b", "c"]
    assert [group.name for group in groups.list(filter="tagName eq 'owner' and tagValue eq 'ml'")] == ["a", "c"]
    assert [group.name for group in groups.list(filter="tagName eq 'owner'")] == ["a", "b", "c"]


def test_tags_are_replaced_as_a_whole() -> None:
    azure = Azure()
    azure.make_group(a="1", b="2")

    patched = azure.resources.resource_groups.update("rg", {"tags": {"c": "3"}})

    assert patched.as_dict()["tags"] == {"c": "3"}


def test_more_than_fifty_tags_are_refused() -> None:
    azure = Azure()
    tags = {f"tag{number}": "x" for number in range(51)}

    found = refusal(azure.resources.resource_groups.create_or_update, "rg", {"location": "eastus", "tags": tags})

    assert found[:2] == (400, "InvalidTagsCount")


def test_deleting_a_group_is_a_job_that_takes_everything_along() -> None:
    azure = Azure()
    azure.make_network()
    path = f"{group_id()}?api-version=2025-04-01"

    begun = azure.ask("DELETE", path)
    url = begun.headers["Location"]
    running = azure.ask("GET", url)
    refused = azure.ask("PUT", network_path("networkSecurityGroups/nsg"), {"location": "eastus", "properties": {}})
    azure.wait(71)
    over = azure.ask("GET", url)

    assert (begun.status, begun.headers["Retry-After"], begun.body) == (202, "15", b"")
    assert url.startswith(f"{HOST}/subscriptions/{SUBSCRIPTION}/operationresults/eyJqb2JJZCI6")
    assert (running.status, running.headers["Location"], running.headers["Retry-After"]) == (202, url, "15")
    assert (refused.status, refused.json()["error"]["code"]) == (409, "ResourceGroupBeingDeleted")
    assert (over.status, over.body) == (200, b"")
    assert azure.ask("GET", path).status == 404
    assert azure.world["resources"] == []


def test_deleting_an_absent_group_is_refused() -> None:
    azure = Azure()

    assert azure.ask("DELETE", f"{group_id('none')}?api-version=2025-04-01").status == 404


def test_resources_are_listed_without_their_children() -> None:
    azure = Azure()
    azure.make_network()
    azure.make_group("other")
    azure.ask("PUT", network_path("networkSecurityGroups/nsg", "other"), a_security_group(tags={"a": "b"}))
    azure.wait(10)

    in_group = [row.as_dict() for row in azure.resources.resources.list_by_resource_group("rg")]
    everywhere = [row.name for row in azure.resources.resources.list()]

    assert in_group == [
        {
            "id": f"{group_id()}/providers/Microsoft.Network/virtualNetworks/net",
            "name": "net",
            "type": "Microsoft.Network/virtualNetworks",
            "location": "eastus",
        }
    ]
    assert everywhere == ["nsg", "net"]


def test_subscriptions_locations_and_providers_can_be_read() -> None:
    azure = Azure()
    base = f"/subscriptions/{SUBSCRIPTION}"

    regions = azure.ask("GET", f"{base}/locations?api-version=2022-12-01").json()["value"]
    provider = azure.resources.providers.get("Microsoft.Compute").as_dict()

    assert azure.ask("GET", f"{base}?api-version=2022-12-01").json()["state"] == "Enabled"
    eastus = next(region for region in regions if region["name"] == "eastus")
    assert eastus["availabilityZoneMappings"][0] == {"logicalZone": "1", "physicalZone": "eastus-az1"}
    assert provider["registrationState"] == "Registered"
    assert "East US" in provider["resourceTypes"][0]["locations"]


def test_a_group_goes_but_for_what_another_groups_nodes_are_in() -> None:
    azure = Azure()
    azure.make_network()
    azure.ask("PUT", network_path("networkSecurityGroups/guard"), {"location": "eastus", "properties": {}})
    azure.ask("PUT", network_path("networkSecurityGroups/free"), {"location": "eastus", "properties": {}})
    azure.wait(60)
    subnet = {"addressPrefix": "10.0.0.0/24", "networkSecurityGroup": {"id": network_id("networkSecurityGroups/guard")}}
    azure.ask("PUT", network_path("virtualNetworks/net/subnets/nodes"), {"properties": subnet})
    azure.wait(60)
    azure.make_group("other")
    azure.ask("PUT", path_of("virtualMachineScaleSets/train", "other"), a_scale_set(nodes=1))
    azure.wait(600)

    poll = azure.ask("DELETE", f"{group_id()}?api-version=2025-04-01").headers["Location"]
    running = azure.ask("GET", poll).status
    azure.wait(600)
    over = azure.ask("GET", poll)

    assert (running, over.status) == (202, 409)
    error = over.json()["Error"]
    assert (error["Code"], error["Target"]) == ("ResourceGroupDeletionBlocked", None)
    assert error["Message"].startswith(
        "Deletion of resource group 'rg' failed as resources with identifiers 'Microsoft.Network/virtualNetworks/net/"
        "subnets/nodes,Microsoft.Network/networkSecurityGroups/guard,Microsoft.Network/virtualNetworks/net' could not "
        "be deleted. The provisioning state of the resource group will be rolled back. The tracking Id is '"
    )
    told = {each["Target"]: json.loads(each["Message"])["error"]["code"] for each in error["Details"]}
    assert told == {
        subnet_id(): "InUseSubnetCannotBeDeleted",
        network_id("networkSecurityGroups/guard"): "InUseNetworkSecurityGroupCannotBeDeleted",
        network_id("virtualNetworks/net"): "InUseSubnetCannotBeDeleted",
    }
    assert {each["Code"] for each in error["Details"]} == {None}
    group = azure.ask("GET", f"{group_id()}?api-version=2025-04-01").json()
    assert group["properties"]["provisioningState"] == "Succeeded"
    assert [row["name"] for row in azure.world["resources"]] == ["train", "guard", "net", "nodes"]

    azure.ask("DELETE", path_of("virtualMachineScaleSets/train", "other"))
    azure.wait(900)
    again = azure.ask("DELETE", f"{group_id()}?api-version=2025-04-01").headers["Location"]
    azure.wait(600)
    assert azure.ask("GET", again).status == 200
    assert [row["name"] for row in azure.world["resourceGroups"]] == ["other"]


def test_a_group_whose_nodes_are_in_its_own_network_goes_whole() -> None:
    azure = Azure()
    azure.make_network()
    azure.make_scale_set(nodes=2)

    poll = azure.ask("DELETE", f"{group_id()}?api-version=2025-04-01").headers["Location"]
    azure.wait(900)

    assert azure.ask("GET", poll).status == 200
    assert azure.world["resources"] == []
