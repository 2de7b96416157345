"""The interfaces of instances, and the private address that each keeps for as long as it is there."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from provision.simulator import Simulator
from tests.simulator.azure import (
    Azure,
    Json,
    a_file_system,
    a_scale_set,
    azure_with_a_network,
    lustre_id,
    network_id,
    network_path,
    path_of,
    refusal,
    set_id,
    subnet_id,
)

SETS = path_of("virtualMachineScaleSets/train")


def addresses(azure: Azure, name: str = "train") -> dict[str, str]:
    """Return the private address of each instance's only interface, by instance id."""
    interfaces = azure.network.network_interfaces.list_virtual_machine_scale_set_network_interfaces("rg", name)
    found: dict[str, str] = {}
    for each in interfaces:
        body: Any = each.as_dict()
        (configuration,) = body["properties"]["ipConfigurations"]
        node = body["properties"]["virtualMachine"]["id"].rpartition("/")[2]
        found[node] = configuration["properties"]["privateIPAddress"]
    return found


def delete(azure: Azure, *instances: str, name: str = "train") -> None:
    azure.ask("POST", path_of(f"virtualMachineScaleSets/{name}/delete"), {"instanceIds": list(instances)})
    azure.wait(600)


def test_each_interface_has_the_lowest_free_address_behind_those_that_azure_keeps() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=3)
    azure.make_scale_set("other", nodes=2)

    assert addresses(azure) == {"0": "10.0.0.4", "1": "10.0.0.5", "2": "10.0.0.6"}
    assert addresses(azure, "other") == {"0": "10.0.0.7", "1": "10.0.0.8"}


def test_an_address_stays_while_others_come_and_go_and_is_given_again_when_it_is_free() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=4)
    delete(azure, "1")

    azure.make_scale_set("other", nodes=2)

    assert addresses(azure) == {"0": "10.0.0.4", "2": "10.0.0.6", "3": "10.0.0.7"}
    assert addresses(azure, "other") == {"0": "10.0.0.5", "1": "10.0.0.8"}


def test_no_address_is_given_twice_in_a_full_subnet() -> None:
    azure = azure_with_a_network(prefix="10.0.0.0/27")
    azure.make_scale_set(nodes=20)
    delete(azure, *(str(number) for number in range(0, 20, 2)))
    azure.make_scale_set("other", nodes=17)

    given = [*addresses(azure).values(), *addresses(azure, "other").values()]

    assert len(given) == len(set(given)) == 27
    usable = {str(each) for each in list(ip_network("10.0.0.0/27"))[4:-1]}
    assert set(given) == usable


def test_an_interface_is_shown_as_network_shows_it() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    shown = azure.network.network_interfaces.get_virtual_machine_scale_set_network_interface("rg", "train", "0", "NIC")

    assert str(shown.id) == f"{set_id()}/virtualMachines/0/networkInterfaces/nic"
    assert shown.virtual_machine is not None
    assert shown.virtual_machine.id == f"{set_id()}/virtualMachines/0"
    assert ip_address(str((shown.ip_configurations or [])[0].private_ip_address)) in ip_network("10.0.0.0/24")
    path = path_of("virtualMachineScaleSets/train/virtualMachines/0/networkInterfaces/nic")
    answer = azure.ask("GET", path.replace("2025-11-01", "2018-10-01"))
    assert answer.headers["ETag"] == answer.json()["etag"]
    assert [row.name for row in list_of(azure, "0")] == ["nic"]


def list_of(azure: Azure, instance: str) -> list[Any]:
    listed = azure.network.network_interfaces.list_virtual_machine_scale_set_vm_network_interfaces
    return list(listed("rg", "train", instance))


def test_what_there_is_not_is_not_found() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    get = azure.network.network_interfaces.get_virtual_machine_scale_set_network_interface

    assert refusal(get, "rg", "train", "0", "other")[:2] == (404, "NotFound")
    assert refusal(get, "rg", "train", "7", "nic")[:2] == (404, "NotFound")
    assert refusal(list_of, azure, "7")[:2] == (404, "NotFound")


def test_a_set_that_moves_to_another_subnet_gets_addresses_there() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    azure.ask("PUT", network_path("virtualNetworks/net/subnets/more"), {"properties": {"addressPrefix": "10.0.1.0/24"}})
    azure.wait(60)
    azure.ask("PUT", SETS, a_scale_set(nodes=2, subnet=network_id("virtualNetworks/net/subnets/more")))
    azure.wait(600)

    assert addresses(azure) == {"0": "10.0.1.4", "1": "10.0.1.5"}


def test_addresses_outlive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "world.db"
    azure = Azure(Simulator(state=path))
    azure.make_network()
    azure.make_scale_set(nodes=3)
    before = addresses(azure)
    azure.simulator.close()

    assert len(before) == 3
    assert addresses(Azure(Simulator(state=path))) == before


def test_a_file_system_and_nodes_share_a_subnet_and_no_address() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    azure.put(lustre_id(), a_file_system(tib=8))
    azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 3}})
    azure.wait(900)

    assert azure.get(lustre_id())["properties"]["clientInfo"]["mgsAddress"] == "10.0.0.6"
    given = addresses(azure)
    assert (given["0"], given["1"]) == ("10.0.0.4", "10.0.0.5")
    assert given["2"] == "10.0.0.18", "twelve addresses are the file system's"


def test_addresses_of_a_deleted_set_are_free_when_its_interfaces_are() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    azure.start(azure.compute.virtual_machine_scale_sets.begin_delete, "rg", "train")
    azure.wait(90)
    azure.make_scale_set("early", nodes=1)
    azure.make_scale_set("late", nodes=1)

    assert (addresses(azure, "early"), addresses(azure, "late")) == ({"0": "10.0.0.6"}, {"0": "10.0.0.4"})


def test_several_interfaces_have_an_address_each_in_their_own_subnets() -> None:
    azure = azure_with_a_network()
    azure.put(network_id("virtualNetworks/net/subnets/data"), {"properties": {"addressPrefix": "10.0.1.0/24"}})

    def an_interface(name: str, subnet: str, **more: Any) -> Json:
        address = {"name": "ip", "properties": {"subnet": {"id": subnet}}}
        return {"name": name, "properties": {"ipConfigurations": [address], **more}}

    both = [an_interface("nic", subnet_id(), primary=True), an_interface("data", subnet_id("data"))]
    azure.make_scale_set(nodes=2, profile={"networkProfile": {"networkInterfaceConfigurations": both}})

    listed = azure.network.network_interfaces.list_virtual_machine_scale_set_network_interfaces("rg", "train")
    given = [
        each["properties"]["privateIPAddress"]
        for interface in listed
        for each in interface.as_dict()["properties"]["ipConfigurations"]
    ]
    assert given == ["10.0.0.4", "10.0.1.4", "10.0.0.5", "10.0.1.5"]


def test_an_address_configuration_that_gets_another_name_has_addresses_too() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    body = a_scale_set(2)
    (interface,) = body["properties"]["virtualMachineProfile"]["networkProfile"]["networkInterfaceConfigurations"]
    interface["properties"]["ipConfigurations"][0]["name"] = "other"

    azure.finish(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", body)

    assert addresses(azure) == {"0": "10.0.0.4", "1": "10.0.0.5"}
