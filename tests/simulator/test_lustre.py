"""Managed Lustre, through the generic resource client: there is no client of its own here."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.simulator.azure import (
    HOST,
    SUBSCRIPTION,
    Azure,
    a_file_system,
    a_scale_set,
    a_stack,
    azure_with_a_network,
    group_id,
    lustre_id,
    network_id,
    refusal,
    subnet_id,
)

VERSION = "2025-07-01"


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def put(azure: Azure, name: str = "scratch", **changes: Any) -> Any:
    return azure.put(lustre_id(name), a_file_system(**changes))


def code(answer: Any) -> tuple[int, str, str | None]:
    error = answer.json()["error"]
    return answer.status, error["code"], error.get("target")


def test_a_file_system_takes_its_time(azure: Azure) -> None:
    begin = azure.resources.resources.begin_create_or_update_by_id

    started = azure.start(begin, lustre_id(), a_file_system(), api_version=VERSION)
    first = azure.get(lustre_id())["properties"]
    azure.wait(719)
    running = azure.ask("GET", started.poll)
    azure.wait(1)
    over = azure.ask("GET", started.poll).json()

    path = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.StorageCache/locations/eastus/ascOperations"
    assert (started.status, started.body["properties"]["provisioningState"]) == (201, "Creating")
    assert started.poll.startswith(f"{HOST}{path}/{started.headers['x-ms-request-id']}?api-version={VERSION}")
    assert (running.json()["status"], over["status"]) == ("InProgress", "Succeeded")
    assert (first["health"]["state"], "clientInfo" in first) == ("Transitioning", False)


def test_the_generic_client_waits_for_it_and_reads_it(azure: Azure) -> None:
    poller = azure.resources.resources.begin_create_or_update_by_id(
        lustre_id(), a_file_system(), api_version=VERSION, polling_interval=10
    )

    made = poller.result()
    found = azure.resources.resources.get_by_id(lustre_id(), api_version=VERSION)

    assert (made.name, found.sku and found.sku.name) == ("scratch", "AMLFS-Durable-Premium-250")


def test_what_azure_fills_in(azure: Azure) -> None:
    put(azure, tags={"owner": "ml"})

    found = azure.get(lustre_id())

    interface = found["properties"]["clientInfo"].pop("containerStorageInterface")
    assert found == {
        "id": lustre_id(),
        "name": "scratch",
        "type": "Microsoft.StorageCache/amlFilesystems",
        "location": "eastus",
        "sku": {"name": "AMLFS-Durable-Premium-250"},
        "zones": ["1"],
        "tags": {"owner": "ml"},
        "properties": {
            "storageCapacityTiB": 16,
            "filesystemSubnet": subnet_id(),
            "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayUTC": "03:00"},
            "provisioningState": "Succeeded",
            "throughputProvisionedMBps": 4000,
            "health": {"state": "Available", "statusCode": "", "statusDescription": "amlFilesystem is ok."},
            "clientInfo": {
                "mgsAddress": "10.0.0.4",
                "mountCommand": "mount -t lustre -o noatime,flock 10.0.0.4@tcp:/lustrefs /lustre/lustrefs",
                "lustreVersion": "2.15.5",
            },
        },
    }
    assert sorted(interface) == ["persistentVolume", "persistentVolumeClaim", "storageClass"]
    assert b"mgs-ip-address: 10.0.0.4" in base64.b64decode(interface["persistentVolume"])


@pytest.mark.parametrize(
    ("change", "target"),
    [
        ({"tier": 300}, "sku.name"),
        ({"tib": 12}, "storageCapacityTiB"),
        ({"tib": 0}, "storageCapacityTiB"),
        ({"tib": 24, "tier": 40}, "storageCapacityTiB"),
        ({"tib": 136}, "storageCapacityTiB"),
        ({"zones": []}, "zones"),
        ({"zones": ["1", "2"]}, "zones"),
        ({"properties": {"maintenanceWindow": {"dayOfWeek": "Sunday"}}}, "maintenanceWindow"),
    ],
)
def test_a_body_that_azure_would_not_take_is_refused(azure: Azure, change: Any, target: str) -> None:
    assert code(put(azure, **change)) == (400, "InvalidParameter", target)


def test_a_capacity_that_support_has_granted_is_taken(azure: Azure) -> None:
    azure.set_world(quota={"eastus": {"AMLFS-Durable-Premium-250": 512}})

    assert put(azure, tib=512).status == 201


def test_a_subnet_must_have_enough_addresses() -> None:
    small = azure_with_a_network("10.0.0.0/28")

    answer = put(small, tib=8)

    assert code(answer)[:2] == (400, "SubnetIsFull")
    assert answer.json()["error"]["message"] == (
        "Subnet nodes with address prefix 10.0.0.0/28 does not have enough capacity for 12 IP addresses."
    )


def test_nodes_and_servers_share_the_addresses_of_a_subnet() -> None:
    azure = azure_with_a_network("10.0.0.0/27")
    put(azure, tib=16)

    fits = azure.put_scale_set("fits", a_scale_set(nodes=14))
    full = azure.put_scale_set("full", a_scale_set(nodes=1))

    assert (fits.status, code(full)[1]) == (201, "SubnetIsFull")


def test_the_subnet_is_held_until_the_deletion_ends(azure: Azure) -> None:
    put(azure)
    held = refusal(azure.network.subnets.begin_delete, "rg", "net", "nodes")

    started = azure.start(azure.resources.resources.begin_delete_by_id, lustre_id(), api_version=VERSION)
    azure.wait(299)
    still = refusal(azure.network.subnets.begin_delete, "rg", "net", "nodes")
    azure.wait(1)
    azure.start(azure.network.subnets.begin_delete, "rg", "net", "nodes")

    assert (held[1], still[1]) == ("InUseSubnetCannotBeDeleted", "InUseSubnetCannotBeDeleted")
    assert (started.status, azure.status_of(started)) == (202, "Succeeded")
    assert azure.ask("DELETE", f"{lustre_id()}?api-version={VERSION}").status == 204


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"tib": 24}, "storageCapacityTiB"),
        ({"tier": 125}, "sku.name"),
        ({"zones": ["2"]}, "zones"),
        ({"subnet": network_id("virtualNetworks/net/subnets/other")}, "filesystemSubnet"),
    ],
)
def test_what_cannot_change_is_refused(azure: Azure, change: Any, path: str) -> None:
    azure.put(network_id("virtualNetworks/net/subnets/other"), {"properties": {"addressPrefix": "10.0.2.0/24"}})
    put(azure)

    answer = put(azure, **change)

    assert code(answer) == (409, "PropertyChangeNotAllowed", path)


def test_the_maintenance_window_and_tags_can_change(azure: Azure) -> None:
    put(azure)
    window = {"dayOfWeek": "Friday", "timeOfDayUTC": "22:00"}

    answer = put(azure, tags={"a": "b"}, properties={"maintenanceWindow": window})

    found = azure.get(lustre_id())
    assert (answer.status, answer.json()["properties"]["provisioningState"]) == (200, "Updating")
    assert (found["tags"], found["properties"]["maintenanceWindow"]) == ({"a": "b"}, window)


def test_a_write_beside_another_one_is_refused(azure: Azure) -> None:
    path = f"{lustre_id()}?api-version={VERSION}"
    azure.ask("PUT", path, a_file_system())

    assert code(azure.ask("PUT", path, a_file_system()))[:2] == (409, "Conflict")


def test_a_subscription_has_four_in_a_region_until_it_asks(azure: Azure) -> None:
    for number in range(4):
        put(azure, f"fs{number}", tib=8)

    answer = put(azure, "one-more", tib=8)

    assert answer.json()["error"] == {
        "code": "OperationNotAllowed",
        "message": "Operation results in exceeding quota limits of resource type AmlFilesystem. Maximum allowed: 4, "
        "Current in use: 4, Additional requested: 1.",
    }


def test_a_stack_makes_one_beside_its_subnet_and_lists_it(azure: Azure) -> None:
    subnet = {
        "type": "Microsoft.Network/virtualNetworks/subnets",
        "apiVersion": "2025-05-01",
        "name": "net/lustre",
        "properties": {"addressPrefix": "10.0.3.0/24"},
    }
    there = network_id("virtualNetworks/net/subnets/lustre")
    kind = "Microsoft.StorageCache/amlFilesystems"
    body = a_file_system(subnet=there)
    file_system = {"type": kind, "apiVersion": VERSION, "name": "scratch", "dependsOn": [there], **body}
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/storage?api-version=2025-07-01"

    azure.ask("PUT", path, a_stack(subnet, file_system))
    azure.wait(800)

    stack = azure.ask("GET", path).json()["properties"]
    assert (stack["provisioningState"], [each["id"] for each in stack["resources"]]) == (
        "succeeded",
        sorted([there, lustre_id()]),
    )
    assert [each.name for each in azure.resources.resources.list_by_resource_group("rg")] == ["net", "scratch"]


def test_a_failed_creation_leaves_a_failed_file_system(azure: Azure) -> None:
    error = {"code": "CreateTimeout", "message": "The file system did not come up."}
    azure.ask("POST", "/_simulator/faults", {"effect": "fail-operation", "match": {"url": "amlFilesystems"}, **error})

    put(azure)

    found = azure.get(lustre_id())["properties"]
    assert (found["provisioningState"], found["health"]["state"]) == ("Failed", "Unavailable")


def ask_first(azure: Azure, what: str, **changes: Any) -> Any:
    body = {"sku": {"name": "AMLFS-Durable-Premium-250"}, "storageCapacityTiB": 16, **changes}
    path = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.StorageCache/{what}?api-version=2025-07-01"
    return azure.ask("POST", path, body)


def test_the_size_of_a_subnet_can_be_asked_first(azure: Azure) -> None:
    small, large = (ask_first(azure, "getRequiredAmlFSSubnetsSize", storageCapacityTiB=tib) for tib in (8, 480))

    assert (small.status, small.json()) == (200, {"filesystemSubnetSize": 12})
    assert large.json() == {"filesystemSubnetSize": 71}


def test_a_subnet_can_be_checked_first(azure: Azure) -> None:
    good = ask_first(azure, "checkAmlFSSubnets", filesystemSubnet=subnet_id(), location="East US")
    elsewhere = ask_first(azure, "checkAmlFSSubnets", filesystemSubnet=subnet_id(), location="westus")
    absent = ask_first(azure, "checkAmlFSSubnets", filesystemSubnet=subnet_id("no"))
    full = ask_first(azure, "checkAmlFSSubnets", filesystemSubnet=subnet_id(), storageCapacityTiB=4096)

    assert (good.status, good.body) == (200, b"")
    assert [(each.status, each.json()["filesystemSubnet"]["status"]) for each in (elsewhere, absent, full)] == [
        (400, "Invalid")
    ] * 3
    assert "does not have enough capacity for" in full.json()["filesystemSubnet"]["message"]


def test_questions_about_no_file_system_are_refused(azure: Azure) -> None:
    answers = [
        ask_first(azure, "getRequiredAmlFSSubnetsSize", sku={"name": "odd"}),
        ask_first(azure, "getRequiredAmlFSSubnetsSize", sku=None),
        ask_first(azure, "checkAmlFSSubnets", storageCapacityTiB="much"),
    ]

    assert [(answer.status, "error" in answer.json()) for answer in answers] == [(400, True)] * 3
