"""What cannot change on a scale set that exists."""

from __future__ import annotations

from typing import Any

import pytest

from provision.simulator.bodies.bodies import at_path
from provision.simulator.bodies.shapes import Object, OneOf, Reference, fixed_in
from provision.simulator.tables.compute import SCALE_SET
from tests.simulator.azure import Azure, a_scale_set, azure_with_a_network, group_id, refusal, subnet_id
from tests.simulator.test_bodies import bare

PROFILE = "virtualMachineProfile"


@pytest.fixture(scope="module")
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_scale_set(nodes=1, properties={"singlePlacementGroup": False}, zones=["1"])
    return made


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("orchestrationMode", "Flexible"),
        ("platformFaultDomainCount", 5),
        ("singlePlacementGroup", True),
        ("zoneBalance", True),
        ("hostGroup", {"id": "/subscriptions/x"}),
        (f"{PROFILE}.priority", "Spot"),
        (f"{PROFILE}.osProfile.computerNamePrefix", "other"),
        (f"{PROFILE}.osProfile.allowExtensionOperations", False),
        (f"{PROFILE}.osProfile.linuxConfiguration.provisionVMAgent", False),
        (f"{PROFILE}.storageProfile.imageReference.publisher", "canonical"),
        (f"{PROFILE}.storageProfile.imageReference.offer", "other"),
        (f"{PROFILE}.storageProfile.osDisk.managedDisk.storageAccountType", "Standard_LRS"),
        (f"{PROFILE}.storageProfile.osDisk.diffDiskSettings", {"option": "Local"}),
        (f"{PROFILE}.securityProfile.securityType", "TrustedLaunch"),
    ],
)
def test_a_fixed_property_cannot_change(azure: Azure, path: str, value: Any) -> None:
    change = value
    for part in reversed(path.split(".")):
        change = {part: change}

    answer = azure.put_scale_set("train", {"location": "eastus", "properties": change})

    expected = {
        "code": "PropertyChangeNotAllowed",
        "message": f"Changing property '{path}' is not allowed.",
        "target": path,
    }
    assert (answer.status, answer.json()["error"]) == (409, expected)


@pytest.mark.parametrize("path", list(fixed_in(SCALE_SET)))
def test_every_property_that_the_table_marks_is_refused_to_change(azure: Azure, path: str) -> None:
    shape: Any = SCALE_SET
    for part in path.split("."):
        shape = bare(shape).fields[part]
    before = at_path(azure.scale_set(), path)
    change = another(shape, before)
    for part in reversed(path.split(".")):
        change = {part: change}

    answer = azure.put_scale_set("train", {"location": "eastus", **change})

    assert (answer.status, answer.json()["error"]["code"]) == (409, "PropertyChangeNotAllowed")
    assert answer.json()["error"]["target"] == path.removeprefix("properties.")


def another(shape: Any, before: Any) -> Any:
    """Return a value of a shape that is not the one that is there."""
    shape = bare(shape)
    if isinstance(shape, OneOf):
        return next(value for value in reversed(shape.values) if value != before)
    if isinstance(shape, Object):
        key = next(iter(shape.fields))
        return {key: another(shape.fields[key], (before or {}).get(key))}
    if isinstance(shape, Reference):
        return {"id": f"{group_id()}/providers/Microsoft.Compute/things/other"}
    if shape is bool:
        return not before
    return (before or 0) + 4 if shape is int else "other"


def test_interfaces_keep_their_names(azure: Azure) -> None:
    body = a_scale_set(nodes=1)
    body["properties"][PROFILE]["networkProfile"]["networkInterfaceConfigurations"][0]["name"] = "other"
    change = {
        "location": "eastus",
        "properties": {PROFILE: {"networkProfile": body["properties"][PROFILE]["networkProfile"]}},
    }

    answer = azure.put_scale_set("train", change)

    assert answer.json()["error"]["target"] == f"{PROFILE}.networkProfile.networkInterfaceConfigurations.name"


def test_zones_can_be_added_and_not_taken_away(azure: Azure) -> None:
    taken = azure.put_scale_set("train", {"location": "eastus", "zones": []})
    moved = azure.put_scale_set("train", {"location": "eastus", "zones": ["2"]})
    added = azure.put_scale_set("train", {"location": "eastus", "zones": ["1", "2"]})

    assert (taken.json()["error"]["target"], moved.json()["error"]["target"], added.status) == ("zones", "zones", 200)


def test_several_placement_groups_are_for_good() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)

    away = azure.put_scale_set("train", {"location": "eastus", "properties": {"singlePlacementGroup": False}})
    azure.wait(60)
    back = azure.put_scale_set("train", {"location": "eastus", "properties": {"singlePlacementGroup": True}})

    assert (away.status, back.status) == (200, 409)


def test_a_scale_set_stays_in_its_region(azure: Azure) -> None:
    answer = azure.put_scale_set("train", {"location": "westus3", "sku": {"capacity": 1}})

    assert (answer.status, answer.json()["error"]["code"]) == (409, "InvalidResourceLocation")


def test_a_regional_set_gets_no_zones_and_a_zonal_one_keeps_its_own() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    azure.make_scale_set("zonal", nodes=1, zones=["1"])
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    refused = (409, "PropertyChangeNotAllowed", "Changing property 'zones' is not allowed.")

    assert refusal(begin, "rg", "train", a_scale_set(nodes=1, zones=["1"])) == refused
    assert refusal(begin, "rg", "zonal", a_scale_set(nodes=1, zones=["2"])) == refused
    assert azure.finish(begin, "rg", "zonal", a_scale_set(nodes=1, zones=["1", "2"])).zones == ["1", "2"]


def test_a_set_stays_in_its_virtual_network() -> None:
    azure = azure_with_a_network()
    azure.make_network("there")
    azure.make_scale_set(nodes=1)
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    found = refusal(begin, "rg", "train", a_scale_set(nodes=1, subnet=subnet_id(group="there")))

    assert found[:2] == (409, "PropertyChangeNotAllowed")
    assert "ipConfigurations.subnet.id" in found[2]
