"""Instances as Compute shows them."""

from __future__ import annotations

from tests.simulator.azure import (
    SIZE,
    SSH_KEY,
    SUBSCRIPTION,
    a_scale_set,
    azure_with_a_network,
    path_of,
    set_id,
    subnet_id,
)


def test_an_instance_is_shown_whole() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1, tags={"a": "b"})

    found = azure.ask("GET", path_of("virtualMachineScaleSets/train/virtualMachines/0")).json()

    disk = found["properties"]["storageProfile"]["osDisk"]["name"]
    capitals = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/RG"
    interface = found["properties"]["networkProfileConfiguration"]["networkInterfaceConfigurations"][0]
    assert interface["properties"]["ipConfigurations"][0]["properties"]["subnet"] == {"id": subnet_id()}
    assert found == {
        "name": "train_0",
        "id": f"{set_id()}/virtualMachines/0",
        "type": "Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
        "location": "eastus",
        "tags": {"a": "b"},
        "instanceId": "0",
        "sku": {"name": SIZE, "tier": "Standard"},
        "etag": '"1"',
        "properties": {
            "latestModelApplied": True,
            "modelDefinitionApplied": "VirtualMachineScaleSet",
            "networkProfileConfiguration": {"networkInterfaceConfigurations": [interface]},
            "provisioningState": "Succeeded",
            "hardwareProfile": {"vmSize": SIZE},
            "vmId": found["properties"]["vmId"],
            "storageProfile": {
                "diskControllerType": "SCSI",
                "imageReference": {
                    "publisher": "microsoft-dsvm",
                    "offer": "ubuntu-hpc",
                    "sku": "2204",
                    "version": "22.04.2026071501",
                    "exactVersion": "22.04.2026071501",
                },
                "osDisk": {
                    "name": disk,
                    "osType": "Linux",
                    "createOption": "FromImage",
                    "caching": "ReadWrite",
                    "diskSizeGB": 64,
                    "managedDisk": {
                        "storageAccountType": "Premium_LRS",
                        "id": f"{capitals}/providers/Microsoft.Compute/disks/{disk}",
                    },
                },
                "dataDisks": [],
            },
            "osProfile": {
                "computerName": "train000000",
                "secrets": [],
                "allowExtensionOperations": True,
                "requireGuestProvisionSignal": True,
                "adminUsername": "azureuser",
                "linuxConfiguration": {
                    "disablePasswordAuthentication": True,
                    "ssh": {"publicKeys": [SSH_KEY]},
                    "provisionVMAgent": True,
                    "patchSettings": {"patchMode": "ImageDefault", "assessmentMode": "ImageDefault"},
                },
            },
            "networkProfile": {"networkInterfaces": [{"id": f"{set_id()}/virtualMachines/0/networkInterfaces/nic"}]},
            "timeCreated": "2026-12-01T00:01:00.0000000+00:00",
        },
    }
    assert disk.startswith("train_train_0_OsDisk_1_")


def test_a_running_instance_shows_its_view() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)

    view = azure.ask("GET", path_of("virtualMachineScaleSets/train/virtualMachines/1/instanceView")).json()

    assert view["computerName"] == "train000001"
    assert (view["osName"], view["hyperVGeneration"]) == ("ubuntu", "V2")
    assert view["vmAgent"]["statuses"][0]["displayStatus"] == "Ready"
    assert [status["code"] for status in view["statuses"]] == ["ProvisioningState/succeeded", "PowerState/running"]


def test_nodes_come_up_one_by_one() -> None:
    azure = azure_with_a_network()
    azure.put_scale_set("train", a_scale_set(nodes=4))

    up = []
    for _ in range(50):
        states = [node["properties"]["provisioningState"] for node in azure.nodes()]
        up.append(states.count("Succeeded"))
        azure.wait(5)

    assert (up, up[0], up[-1]) == (sorted(up), 0, 4)
    assert len(set(up)) > 2


def test_a_set_counts_its_nodes_by_state() -> None:
    azure = azure_with_a_network()
    azure.put_scale_set("train", a_scale_set(nodes=4))
    path = path_of("virtualMachineScaleSets/train/instanceView")

    early = azure.ask("GET", path).json()["virtualMachine"]
    azure.wait(244)
    late = azure.ask("GET", path).json()

    assert early == {"statusesSummary": [{"code": "ProvisioningState/creating", "count": 4}]}
    assert late == {
        "virtualMachine": {"statusesSummary": [{"code": "ProvisioningState/succeeded", "count": 4}]},
        "statuses": [
            {
                "code": "ProvisioningState/succeeded",
                "level": "Info",
                "displayStatus": "Provisioning succeeded",
                "time": "2026-12-01T00:05:04.0000000+00:00",
            }
        ],
        "orchestrationServices": [],
    }


def test_a_set_is_one_placement_group_and_shares_it_with_no_other() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set("a", nodes=3)
    azure.make_scale_set("b", nodes=3)

    groups = {
        name: {node["properties"]["instanceView"]["placementGroupId"] for node in azure.nodes(name)} for name in "ab"
    }

    assert (len(groups["a"]), len(groups["b"]), len(groups["a"] | groups["b"])) == (1, 1, 2)


def test_without_one_placement_group_a_large_set_has_several() -> None:
    azure = azure_with_a_network(prefix="10.0.0.0/22")
    azure.make_scale_set(nodes=150, properties={"singlePlacementGroup": False})
    nodes = azure.nodes()

    assert len(nodes) == 150
    assert len({node["properties"]["instanceView"]["placementGroupId"] for node in nodes}) == 2


def test_clients_follow_the_pages_of_instances() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=7)
    azure.set_world(settings={"instancePageSize": 3})

    names = [row.name for row in azure.compute.virtual_machine_scale_set_vms.list("rg", "train", expand="instanceView")]

    assert names == [f"train_{number}" for number in range(7)]


def test_an_absent_instance_is_not_found_by_compute() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)

    for name in ("1", "x", "00"):
        error = azure.ask("GET", path_of(f"virtualMachineScaleSets/train/virtualMachines/{name}")).json()["error"]
        assert error == {"code": "NotFound", "message": "The entity was not found in this Azure location."}


def test_instances_are_filtered_by_power_state_and_model() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=4)
    sets, vms = azure.compute.virtual_machine_scale_sets, azure.compute.virtual_machine_scale_set_vms
    azure.start(sets.begin_power_off, "rg", "train", {"instanceIds": ["1", "2"]})
    azure.wait(60)
    profile = {"storageProfile": {"osDisk": {"diskSizeGB": 256}}}
    change = {"location": "eastus", "properties": {"virtualMachineProfile": profile}}
    azure.start(sets.begin_create_or_update, "rg", "train", change)
    azure.wait(60)
    azure.start(sets.begin_update_instances, "rg", "train", {"instanceIds": ["2", "3"]})

    def found(text: str) -> list[str | None]:
        return [row.instance_id for row in vms.list("rg", "train", filter=text)]

    running = "startswith(instanceView/statuses/code, 'PowerState/running') eq true"
    assert found(running) == ["0", "3"]
    assert found("properties/provisioningState eq 'Updating'") == ["2", "3"]
    azure.wait(300)
    assert found("properties/latestModelApplied eq false") == ["0", "1"]
    assert found(f"{running} and properties/latestModelApplied eq true") == ["3"]
    assert found("properties/provisioningState ne 'Succeeded'") == []


def test_a_filter_selection_or_expansion_that_compute_does_not_have_is_refused() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    path = path_of("virtualMachineScaleSets/train/virtualMachines")

    for query in ("$filter=name%20eq%20'a'", "$expand=everything", "$select=name"):
        answer = azure.ask("GET", f"{path}&{query}")
        assert (answer.status, answer.json()["error"]["code"]) == (400, "InvalidParameter")
    selected = azure.ask("GET", f"{path}&$select=instanceView").json()["value"]
    assert "instanceView" in selected[0]["properties"]
