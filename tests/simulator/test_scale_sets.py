"""Scale sets: creating, merging, scaling, deleting, and what Compute adds."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.simulator.azure import (
    HOST,
    SIZE,
    SSH_KEY,
    SUBSCRIPTION,
    Azure,
    a_scale_set,
    azure_with_a_network,
    path_of,
    refusal,
    set_id,
    subnet_id,
)


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def test_a_scale_set_is_created_in_computes_own_dialect(azure: Azure) -> None:
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    started = azure.start(begin, "rg", "train", a_scale_set(nodes=2))
    running = azure.ask("GET", started.poll)
    azure.wait(242)
    over = azure.ask("GET", started.poll)

    operation = started.headers["x-ms-request-id"]
    region = f"{HOST}/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Compute/locations/eastus"
    assert (started.status, started.body["properties"]["provisioningState"]) == (201, "Creating")
    assert started.poll.startswith(f"{region}/operations/{operation}?p=")
    assert started.headers["Retry-After"] == "10"
    assert started.headers["Azure-AsyncNotification"] == "Enabled"
    assert started.headers["ETag"] == '"1"'
    assert "Location" not in started.headers
    assert "x-ms-ratelimit-remaining-resource" in started.headers
    begun = {"startTime": "2026-12-01T00:01:00.0000000+00:00"}
    assert running.json() == {**begun, "status": "InProgress", "name": operation}
    ended = {"endTime": "2026-12-01T00:05:02.0000000+00:00", "status": "Succeeded", "name": operation}
    assert over.json() == {**begun, **ended}
    assert "Retry-After" not in over.headers


def test_defaults_are_filled_in(azure: Azure) -> None:
    azure.make_scale_set(nodes=2)

    found = azure.scale_set()

    assert found == {
        "name": "train",
        "id": set_id(),
        "type": "Microsoft.Compute/virtualMachineScaleSets",
        "location": "eastus",
        "tags": {},
        "sku": {"name": SIZE, "tier": "Standard", "capacity": 2},
        "etag": '"1"',
        "properties": {
            "singlePlacementGroup": True,
            "orchestrationMode": "Uniform",
            "upgradePolicy": {"mode": "Manual"},
            "overprovision": False,
            "doNotRunExtensionsOnOverprovisionedVMs": False,
            "platformFaultDomainCount": 1,
            "virtualMachineProfile": {
                "osProfile": {
                    "secrets": [],
                    "allowExtensionOperations": True,
                    "requireGuestProvisionSignal": True,
                    "computerNamePrefix": "train",
                    "adminUsername": "azureuser",
                    "linuxConfiguration": {
                        "disablePasswordAuthentication": True,
                        "ssh": {"publicKeys": [SSH_KEY]},
                        "provisionVMAgent": True,
                        "patchSettings": {"patchMode": "ImageDefault", "assessmentMode": "ImageDefault"},
                    },
                },
                "storageProfile": {
                    "diskControllerType": "SCSI",
                    "imageReference": {
                        "publisher": "microsoft-dsvm",
                        "offer": "ubuntu-hpc",
                        "sku": "2204",
                        "version": "22.04.2026071501",
                    },
                    "osDisk": {
                        "osType": "Linux",
                        "createOption": "FromImage",
                        "caching": "ReadWrite",
                        "diskSizeGB": 64,
                        "managedDisk": {"storageAccountType": "Premium_LRS"},
                    },
                },
                "networkProfile": {
                    "networkInterfaceConfigurations": [
                        {
                            "name": "nic",
                            "properties": {
                                "primary": True,
                                "enableAcceleratedNetworking": False,
                                "disableTcpStateTracking": False,
                                "enableIPForwarding": False,
                                "deleteOption": "Delete",
                                "ipConfigurations": [
                                    {
                                        "name": "ip",
                                        "properties": {
                                            "primary": True,
                                            "privateIPAddressVersion": "IPv4",
                                            "subnet": {"id": subnet_id()},
                                        },
                                    }
                                ],
                                "dnsSettings": {"dnsServers": []},
                            },
                        }
                    ]
                },
                "timeCreated": "2026-12-01T00:01:00.0000000+00:00",
            },
            "provisioningState": "Succeeded",
            "uniqueId": found["properties"]["uniqueId"],
            "timeCreated": "2026-12-01T00:01:00.0000000+00:00",
        },
    }


def test_what_is_left_out_gets_azures_defaults(azure: Azure) -> None:
    body = a_scale_set(nodes=2)
    profile = body["properties"]["virtualMachineProfile"]
    body["properties"] = {"virtualMachineProfile": profile}

    properties = azure.put_scale_set("train", body).json()["properties"]

    del properties["virtualMachineProfile"], properties["uniqueId"]
    assert properties == {
        "singlePlacementGroup": True,
        "orchestrationMode": "Uniform",
        "upgradePolicy": {"mode": "Automatic"},
        "overprovision": True,
        "doNotRunExtensionsOnOverprovisionedVMs": False,
        "platformFaultDomainCount": 5,
        "provisioningState": "Creating",
        "timeCreated": "2026-12-01T00:01:00.0000000+00:00",
    }


def test_a_put_of_what_is_there_changes_nothing(azure: Azure) -> None:
    azure.make_scale_set(nodes=2)
    before = azure.scale_set()
    azure.put_scale_set("train", a_scale_set(nodes=2))
    azure.wait(60)
    azure.put_scale_set("train", before)
    azure.wait(60)

    after = azure.scale_set()

    assert {**after, "etag": before["etag"]} == before
    assert all(node["properties"]["latestModelApplied"] for node in azure.nodes())


def test_a_put_of_location_and_sku_alone_scales(azure: Azure) -> None:
    azure.make_scale_set(nodes=2, tags={"a": "b"})
    before = azure.scale_set()

    answer = azure.put_scale_set("train", {"location": "eastus", "sku": {"name": SIZE, "capacity": 3}})
    azure.wait(300)

    after = azure.scale_set()
    assert (answer.status, answer.json()["properties"]["provisioningState"]) == (200, "Updating")
    assert after == {**before, "sku": {**before["sku"], "capacity": 3}, "etag": '"2"'}
    assert [node["instanceId"] for node in azure.nodes()] == ["0", "1", "2"]
    assert all(node["properties"]["latestModelApplied"] for node in azure.nodes())


def test_a_put_merges_deeply_and_null_takes_away(azure: Azure) -> None:
    azure.make_scale_set(nodes=2, properties={"scaleInPolicy": {"rules": ["NewestVM"]}})
    osdisk = {"osDisk": {"diskSizeGB": 256}}
    change = {
        "location": "eastus",
        "properties": {"scaleInPolicy": None, "virtualMachineProfile": {"storageProfile": osdisk}},
    }

    azure.put_scale_set("train", change)
    azure.wait(60)

    properties = azure.scale_set()["properties"]
    storage = properties["virtualMachineProfile"]["storageProfile"]
    assert "scaleInPolicy" not in properties
    assert storage["osDisk"]["diskSizeGB"] == 256
    assert storage["imageReference"]["offer"] == "ubuntu-hpc"


def test_tags_are_replaced_as_a_whole_where_they_are_given(azure: Azure) -> None:
    azure.make_scale_set(nodes=1, tags={"a": "1", "b": "2"})

    azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 1}})
    azure.wait(60)
    kept = azure.scale_set()["tags"]
    azure.put_scale_set("train", {"location": "eastus", "tags": {"c": "3"}})
    azure.wait(60)

    assert (kept, azure.scale_set()["tags"]) == ({"a": "1", "b": "2"}, {"c": "3"})
    assert all(node["properties"]["latestModelApplied"] for node in azure.nodes())


def test_a_patch_answers_200(azure: Azure) -> None:
    azure.make_scale_set(nodes=1)

    started = azure.start(azure.compute.virtual_machine_scale_sets.begin_update, "rg", "train", {"tags": {"a": "b"}})

    assert (started.status, started.body["tags"]) == (200, {"a": "b"})
    assert azure.status_of(started) == "InProgress"


def test_write_only_values_never_come_back_but_their_change_is_seen(azure: Azure) -> None:
    def with_data(text: str) -> Any:
        os_profile = {
            "computerNamePrefix": "train",
            "adminUsername": "azureuser",
            "customData": base64.b64encode(text.encode()).decode(),
            "linuxConfiguration": {"ssh": {"publicKeys": [SSH_KEY]}},
        }
        settings = {"publisher": "Microsoft.Azure.Extensions", "type": "CustomScript", "typeHandlerVersion": "2.1"}
        extension = {"name": "script", "properties": {**settings, "protectedSettings": {"secret": "canary"}}}
        profile = {"osProfile": os_profile, "extensionProfile": {"extensions": [extension]}}
        return a_scale_set(nodes=1, profile=profile)

    first = azure.put_scale_set("train", with_data("one"))
    azure.wait(300)
    azure.put_scale_set("train", with_data("one"))
    azure.wait(60)
    same = azure.nodes()[0]["properties"]["latestModelApplied"]
    azure.put_scale_set("train", with_data("two"))
    azure.wait(60)
    changed = azure.nodes()[0]["properties"]["latestModelApplied"]

    shown = first.body + str(azure.nodes()).encode() + azure.ask("GET", "/_simulator/world").body
    assert (same, changed) == (True, False)
    assert b"customData" not in shown
    assert b"canary" not in shown
    assert b"protectedSettings" not in shown


def test_a_change_of_the_model_waits_for_the_nodes_where_upgrades_are_manual(azure: Azure) -> None:
    azure.make_scale_set(nodes=2)
    change = {
        "location": "eastus",
        "properties": {"virtualMachineProfile": {"storageProfile": {"osDisk": {"diskSizeGB": 256}}}},
    }

    azure.put_scale_set("train", change)
    azure.wait(60)
    azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 3}})
    azure.wait(300)

    nodes = azure.nodes()
    sizes = [node["properties"]["storageProfile"]["osDisk"]["diskSizeGB"] for node in nodes]
    assert [node["properties"]["latestModelApplied"] for node in nodes] == [False, False, True]
    assert sizes == [64, 64, 256]


def test_scaling_in_takes_the_highest_ids_and_never_gives_them_out_again(azure: Azure) -> None:
    azure.make_scale_set(nodes=4)

    azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 2}})
    during = [node["properties"]["provisioningState"] for node in azure.nodes()]
    azure.wait(60)
    left = [node["instanceId"] for node in azure.nodes()]
    azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 4}})
    azure.wait(300)

    assert during == ["Succeeded", "Succeeded", "Deleting", "Deleting"]
    assert left == ["0", "1"]
    assert [node["instanceId"] for node in azure.nodes()] == ["0", "1", "4", "5"]


def test_overprovisioning_leaves_holes_in_the_ids(azure: Azure) -> None:
    azure.make_scale_set(nodes=2, properties={"overprovision": True})

    assert [node["instanceId"] for node in azure.nodes()] == ["0", "2"]


def test_one_placement_group_holds_a_hundred_nodes_until_support_raises_it() -> None:
    azure = azure_with_a_network(prefix="10.0.0.0/22")
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    found = refusal(begin, "rg", "train", a_scale_set(nodes=101))
    azure.set_world(quota={"eastus": {"placementGroupLimit": 300}})
    started = azure.start(begin, "rg", "train", a_scale_set(nodes=101))

    assert found == (
        409,
        "OperationNotAllowed",
        "Unable to create or update VirtualMachineScaleSet 'train' as it exceeds the total limit of '100' Virtual "
        "Machine instances.",
    )
    assert started.status == 201


def test_security_type_standard_wants_a_new_api_version(azure: Azure) -> None:
    body = a_scale_set(nodes=1, profile={"securityProfile": {"securityType": "Standard"}})
    path = f"{set_id()}?api-version="

    old = azure.ask("PUT", f"{path}2025-04-01", body)
    new = azure.ask("PUT", f"{path}2025-11-01", body)

    assert (old.status, old.json()["error"]["code"], old.json()["error"]["target"]) == (
        400,
        "InvalidParameter",
        "securityProfile.securityType",
    )
    assert new.status == 201


def test_clients_meet_that_by_the_api_version_that_they_are_told(azure: Azure) -> None:
    body = a_scale_set(nodes=1, profile={"securityProfile": {"securityType": "Standard"}})
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    answers = [
        azure.answer_to(begin, "rg", f"set-{version}", body, api_version=version)
        for version in ("2024-11-01", "2025-04-01", "2025-11-01")
    ]

    assert [answer.status for answer in answers] == [400, 400, 201]


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"sku": {"name": "Standard_D4s_v9", "capacity": 1}}, 400, "InvalidParameter"),
        ({"sku": {"name": SIZE}}, 400, "InvalidParameter"),
        ({"sku": {"name": SIZE, "capacity": "two"}}, 400, "BadRequest"),
        ({"sku": {"name": SIZE, "capacity": -1}}, 400, "InvalidParameter"),
        ({"sku": [SIZE]}, 400, "BadRequest"),
        ({"properties": {}}, 400, "InvalidParameter"),
        ({"properties": None}, 400, "InvalidParameter"),
        ({"location": None}, 400, "LocationRequired"),
        ({"location": "brazilsouth"}, 400, "InvalidParameter"),
        ({"zones": ["9"]}, 400, "InvalidAvailabilityZone"),
        ({"capacity": 1}, 400, "InvalidRequestContent"),
        ({"tags": {"a": []}}, 400, "InvalidRequestContent"),
    ],
)
def test_a_body_that_cannot_be_is_refused(azure: Azure, change: Any, status: int, code: str) -> None:
    answer = azure.put_scale_set("train", {**a_scale_set(nodes=1), **change})

    assert (answer.status, answer.json()["error"]["code"]) == (status, code)
    assert azure.ask("GET", path_of("virtualMachineScaleSets/train")).status == 404


def test_a_subnet_that_does_not_exist_is_refused(azure: Azure) -> None:
    answer = azure.put_scale_set("train", a_scale_set(subnet=subnet_id("none")))

    assert (answer.status, answer.json()["error"]["code"]) == (400, "InvalidResourceReference")


def test_a_write_during_another_one_is_a_conflict(azure: Azure) -> None:
    azure.put_scale_set("train", a_scale_set(nodes=1))

    answer = azure.put_scale_set("train", a_scale_set(nodes=2))

    assert (answer.status, answer.json()["error"]["code"]) == (409, "Conflict")


def test_a_deletion_takes_over_from_a_creation(azure: Azure) -> None:
    begin = azure.compute.virtual_machine_scale_sets
    created = azure.start(begin.begin_create_or_update, "rg", "train", a_scale_set(nodes=1))
    azure.wait(10)

    deleted = azure.start(begin.begin_delete, "rg", "train")
    azure.wait(90)

    error = azure.ask("GET", created.poll).json()["error"]
    assert deleted.status == 202
    assert error["code"] == "OperationPreempted"
    assert azure.status_of(deleted) == "Succeeded"
    assert azure.ask("GET", path_of("virtualMachineScaleSets/train")).status == 404


def test_a_deletion_can_be_followed_in_two_places(azure: Azure) -> None:
    azure.make_scale_set(nodes=1)

    started = azure.start(azure.compute.virtual_machine_scale_sets.begin_delete, "rg", "train")
    running = azure.ask("GET", started.headers["Location"])
    azure.wait(90)
    over = azure.ask("GET", started.headers["Location"])

    assert "monitor=true" in started.headers["Location"]
    assert "Retry-After" not in started.headers
    assert (running.status, over.status, over.body) == (202, 200, b"")
    assert azure.ask("DELETE", path_of("virtualMachineScaleSets/train")).status == 204


def test_an_etag_guards_a_write(azure: Azure) -> None:
    azure.make_scale_set(nodes=1)
    path, body = path_of("virtualMachineScaleSets/train"), a_scale_set(nodes=1)

    assert azure.ask("PUT", path, body, **{"If-Match": '"9"'}).status == 412
    assert azure.ask("PUT", path, body, **{"If-None-Match": "*"}).status == 412
    assert azure.ask("PUT", path, body, **{"If-Match": '"1"'}).status == 200


def test_lists_page_and_the_subscriptions_shows_groups_in_capitals(azure: Azure) -> None:
    for name in ("b", "a"):
        azure.make_scale_set(name, nodes=1)
    azure.set_world(settings={"pageSize": 1})

    first = azure.ask("GET", path_of("virtualMachineScaleSets")).json()
    names = [row.name for row in azure.compute.virtual_machine_scale_sets.list("rg")]
    everywhere = [row.id for row in azure.compute.virtual_machine_scale_sets.list_all()]

    assert (len(first["value"]), "nextLink" in first) == (1, True)
    assert names == ["a", "b"]
    upper = set_id("a").replace("/rg/", "/RG/")
    assert everywhere[0] == upper


def test_identities_get_ids(azure: Azure) -> None:
    own = azure.make_identity()
    identity = {"type": "UserAssigned", "userAssignedIdentities": {own: {}}}
    azure.make_scale_set(nodes=1, identity=identity)

    found = azure.scale_set()["identity"]

    assert sorted(found["userAssignedIdentities"][own]) == ["clientId", "principalId"]


def test_no_identity_gives_up_all_that_there_were(azure: Azure) -> None:
    identity = {"type": "UserAssigned", "userAssignedIdentities": {azure.make_identity(): {}}}
    azure.make_scale_set(nodes=1, identity=identity)

    azure.make_scale_set(nodes=1, identity={"type": "None"})

    assert azure.scale_set()["identity"] == {"type": "None"}
