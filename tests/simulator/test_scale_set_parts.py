"""Parts of a scale set's model: data disks, gallery images, extensions, public addresses, common sizes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    Azure,
    Json,
    a_scale_set,
    azure_with_a_network,
    group_id,
    network_id,
    set_id,
    subnet_id,
)

GALLERY = f"{group_id('images')}/providers/Microsoft.Compute/galleries/ours/images/hpc/versions/1.0.0"
HEALTH = {
    "name": "health",
    "properties": {"publisher": "Microsoft.ManagedServices", "type": "ApplicationHealthLinux"},
}


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def storage(**parts: Any) -> Json:
    os_disk = {"createOption": "FromImage", "managedDisk": {"storageAccountType": "Premium_LRS"}}
    image = {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2204", "version": "latest"}
    return {"storageProfile": {"imageReference": image, "osDisk": os_disk, **parts}}


def disks(*luns: int) -> list[Json]:
    return [{"lun": lun, "createOption": "Empty", "diskSizeGB": 1024} for lun in luns]


def extension(name: str, *after: str, kind: str = "CustomScript") -> Json:
    properties = {"publisher": "Microsoft.Azure.Extensions", "type": kind, "typeHandlerVersion": "2.1"}
    return {"name": name, "properties": {**properties, "provisionAfterExtensions": list(after)}}


def extensions(*made: Json) -> Json:
    return {"extensionProfile": {"extensions": list(made)}}


def put(azure: Azure, profile: Json, **changes: Any) -> Any:
    answer = azure.put_scale_set("train", a_scale_set(**{"nodes": 1, "profile": profile, **changes}))
    azure.wait(600)
    return answer


def error(answer: Any) -> tuple[int, str, str | None]:
    found = answer.json()["error"]
    return answer.status, found["code"], found.get("target")


def test_data_disks_get_defaults_and_each_node_has_its_own(azure: Azure) -> None:
    put(azure, storage(dataDisks=disks(0, 1)), nodes=2)

    model = azure.scale_set()["properties"]["virtualMachineProfile"]["storageProfile"]["dataDisks"]
    nodes = [node["properties"]["storageProfile"]["dataDisks"] for node in azure.nodes()]

    assert model[0] == {
        "createOption": "Empty",
        "caching": "None",
        "lun": 0,
        "diskSizeGB": 1024,
        "managedDisk": {"storageAccountType": "Standard_LRS"},
    }
    ids = [disk["managedDisk"]["id"] for node in nodes for disk in node]
    assert (len(set(ids)), [disk["lun"] for disk in nodes[1]]) == (4, [0, 1])


def test_a_size_takes_only_so_many_data_disks(azure: Azure) -> None:
    answer = put(azure, storage(dataDisks=disks(*range(33))))

    assert error(answer) == (409, "OperationNotAllowed", "dataDisks")
    text = "The maximum number of data disks allowed to be attached to a VM of this size is 32."
    assert answer.json()["error"]["message"] == text


@pytest.mark.parametrize(
    ("made", "target"),
    [
        (disks(0, 0), "dataDisk.lun"),
        (disks(64), "dataDisk.lun"),
        ([{"lun": 0, "createOption": "Empty"}], "dataDisk.diskSizeGB"),
    ],
)
def test_a_data_disk_that_azure_would_not_take_is_refused(azure: Azure, made: Any, target: str) -> None:
    assert error(put(azure, storage(dataDisks=made))) == (400, "InvalidParameter", target)


def test_data_disks_can_change_as_a_change_of_the_model(azure: Azure) -> None:
    put(azure, storage(dataDisks=disks(0)))

    answer = put(azure, storage(dataDisks=disks(0, 1)))

    node = azure.nodes()[0]["properties"]
    assert (answer.status, node["latestModelApplied"], len(node["storageProfile"]["dataDisks"])) == (200, False, 1)


def test_an_image_of_a_gallery_is_taken(azure: Azure) -> None:
    put(azure, storage(imageReference={"id": GALLERY}))

    found = azure.nodes()[0]["properties"]["storageProfile"]["imageReference"]

    assert found == {"id": GALLERY}


def test_an_image_that_is_missing_is_refused(azure: Azure) -> None:
    azure.set_world(settings={"missingImages": [GALLERY.lower()]})

    answer = put(azure, storage(imageReference={"id": GALLERY}))

    assert error(answer) == (404, "GalleryImageNotFound", "imageReference")


def test_extensions_are_shown_each_after_those_it_waits_for(azure: Azure) -> None:
    script, late = extension("script", "health"), extension("late", "script", kind="Other")
    put(azure, extensions(late, script, HEALTH))

    node = azure.nodes()[0]["properties"]["instanceView"]
    whole = azure.compute.virtual_machine_scale_sets.get_instance_view("rg", "train")

    assert [each["name"] for each in node["extensions"]] == ["health", "script", "late"]
    assert node["extensions"][1]["type"] == "Microsoft.Azure.Extensions.CustomScript"
    assert node["vmAgent"]["extensionHandlers"][0]["type"] == "Microsoft.ManagedServices.ApplicationHealthLinux"
    assert [each.name for each in whole.extensions or []] == ["late", "script", "health"]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([extension("a", "no")], (400, "InvalidParameter", "provisionAfterExtensions")),
        ([extension("a", "a")], (400, "InvalidParameter", "provisionAfterExtensions")),
        (
            [extension("a", "b"), extension("b", "a", kind="Other")],
            (400, "InvalidParameter", "provisionAfterExtensions"),
        ),
        ([extension("a"), extension("a", kind="Other")], (400, "InvalidParameter", "extensionProfile.extensions")),
        ([extension("a"), extension("b")], (400, "BadRequest", None)),
    ],
)
def test_extensions_that_do_not_fit_together_are_refused(azure: Azure, made: Any, expected: Any) -> None:
    assert error(put(azure, extensions(*made))) == expected


def with_public_addresses(nodes: int = 2) -> Json:
    body = a_scale_set(nodes=nodes)
    interface = body["properties"]["virtualMachineProfile"]["networkProfile"]["networkInterfaceConfigurations"][0]
    interface["properties"]["ipConfigurations"][0]["properties"]["publicIPAddressConfiguration"] = {
        "name": "public",
        "sku": {"name": "Standard"},
    }
    return body


def test_nodes_have_public_addresses_of_their_own(azure: Azure) -> None:
    azure.put_scale_set("train", with_public_addresses())
    early = list(azure.network.public_ip_addresses.list_virtual_machine_scale_set_public_ip_addresses("rg", "train"))
    azure.wait(600)

    found = [
        each.as_dict()
        for each in azure.network.public_ip_addresses.list_virtual_machine_scale_set_public_ip_addresses("rg", "train")
    ]
    one = [
        each.as_dict()
        for each in azure.network.public_ip_addresses.list_virtual_machine_scale_set_vm_public_ip_addresses(
            "rg", "train", "1", "nic", "ip"
        )
    ]

    place = f"{set_id()}/virtualMachines/0/networkInterfaces/nic/ipConfigurations/ip"
    assert early == []
    assert found[0] == {
        "name": "public",
        "id": f"{place}/publicIPAddresses/public",
        "etag": found[0]["etag"],
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": found[0]["properties"]["resourceGuid"],
            "ipAddress": found[0]["properties"]["ipAddress"],
            "publicIPAddressVersion": "IPv4",
            "publicIPAllocationMethod": "Static",
            "idleTimeoutInMinutes": 4,
            "ipTags": [],
            "ipConfiguration": {"id": place},
        },
    }
    assert len({each["properties"]["ipAddress"] for each in found}) == 2
    assert one == found[1:]


def test_a_deallocated_node_has_no_public_address(azure: Azure) -> None:
    azure.put_scale_set("train", with_public_addresses())
    azure.wait(600)

    azure.start(azure.compute.virtual_machine_scale_sets.begin_deallocate, "rg", "train", {"instanceIds": ["0"]})
    azure.wait(100)

    found = azure.network.public_ip_addresses.list_virtual_machine_scale_set_public_ip_addresses("rg", "train")
    assert ["/virtualMachines/1/" in str(each.id) for each in found] == [True]


def public_addresses(azure: Azure, name: str = "train") -> dict[str, str]:
    """Return the public address by instance id."""
    listed = azure.network.public_ip_addresses.list_virtual_machine_scale_set_public_ip_addresses("rg", name)
    return {str(each.id).split("/")[10]: str(each.ip_address) for each in listed}


def test_no_public_address_is_given_twice_and_each_stays_with_its_node(azure: Azure) -> None:
    sets = azure.compute.virtual_machine_scale_sets
    azure.put_scale_set("train", with_public_addresses(nodes=3))
    azure.put_scale_set("other", with_public_addresses(nodes=2))
    azure.wait(600)
    first, second = public_addresses(azure), public_addresses(azure, "other")

    azure.finish(sets.begin_delete_instances, "rg", "train", {"instanceIds": ["1"]})
    azure.finish(sets.begin_update, "rg", "train", {"sku": {"capacity": 5}})
    azure.wait(600)

    grown = public_addresses(azure)
    assert (first, second) == (
        {"0": "52.0.0.4", "1": "52.0.0.5", "2": "52.0.0.6"},
        {"0": "52.0.0.7", "1": "52.0.0.8"},
    )
    assert grown == {"0": "52.0.0.4", "2": "52.0.0.6", "3": "52.0.0.5", "4": "52.0.0.9", "5": "52.0.0.10"}
    assert public_addresses(azure, "other") == second


def test_nodes_that_stay_get_the_addresses_of_a_changed_model(azure: Azure) -> None:
    sets = azure.compute.virtual_machine_scale_sets
    azure.finish(sets.begin_create_or_update, "rg", "train", a_scale_set(nodes=2))
    azure.put(network_id("virtualNetworks/net/subnets/more"), {"properties": {"addressPrefix": "10.0.1.0/24"}})
    body = with_public_addresses()
    interface = body["properties"]["virtualMachineProfile"]["networkProfile"]["networkInterfaceConfigurations"][0]
    interface["properties"]["ipConfigurations"][0]["properties"]["subnet"]["id"] = subnet_id("more")

    azure.finish(sets.begin_create_or_update, "rg", "train", body)

    listed = azure.network.network_interfaces.list_virtual_machine_scale_set_network_interfaces("rg", "train")
    private = [str((each.ip_configurations or [])[0].private_ip_address) for each in listed]
    assert private == ["10.0.1.4", "10.0.1.5"]
    assert public_addresses(azure) == {"0": "52.0.0.4", "1": "52.0.0.5"}


@pytest.mark.parametrize("location", ["eastus", "norwayeast"])
def test_common_sizes_are_offered_everywhere(location: str) -> None:
    azure = Azure()
    azure.make_network(location=location)
    body = a_scale_set(nodes=1, size="Standard_D8s_v5", location=location)

    answer = azure.put_scale_set("login", body)
    skus = azure.compute.resource_skus.list(filter=f"location eq '{location}'")

    assert answer.status == 201
    assert "Standard_D8s_v5" in [each.name for each in skus]
