"""What bodies may hold: unknown and read-only keys, wrong types, closed sets, limits, in each provider's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from provision.simulator.bodies.shapes import (
    Demanded,
    Each,
    Echoed,
    Fixed,
    Ignored,
    Needed,
    Object,
    OneOf,
    ReadOnly,
    Reference,
    Since,
    Text,
    Whole,
)
from provision.simulator.tables import RESOURCES
from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    a_file_system,
    a_scale_set,
    azure_with_a_network,
    group_id,
    identity_id,
    lustre_id,
    network_id,
    network_path,
    path_of,
    set_id,
)

VERSIONS = {
    "microsoft.compute": "2026-04-01",
    "microsoft.network": "2025-05-01",
    "microsoft.storagecache": "2025-07-01",
    "microsoft.managedidentity": "2024-11-30",
    "locks": "2020-05-01",
    "roleassignments": "2022-04-01",
    "deploymentstacks": "2025-07-01",
}
FREE = (str, object, dict)
"""Shapes that take whatever a test could put there, or nearly."""


@pytest.fixture(scope="module")
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_scale_set(nodes=1)
    made.put(network_id("networkSecurityGroups/nsg"), {"location": "eastus"})
    made.ask("PUT", path_of("capacityReservationGroups/new"), {"location": "eastus"})
    return made


def path_for(type_: str) -> str:
    """Return where one of a type would be put."""
    if type_.endswith("/resourcegroups"):
        return f"{group_id('other')}?api-version=2025-04-01"
    namespace, *kinds = type_.split("/")
    places = {
        "subnets": "virtualNetworks/net/subnets/new",
        "virtualnetworkpeerings": "virtualNetworks/net/virtualNetworkPeerings/new",
        "securityrules": "networkSecurityGroups/nsg/securityRules/new",
        "runcommands": "virtualMachineScaleSets/train/virtualMachines/0/runCommands/new",
        "extensions": "virtualMachineScaleSets/train/extensions/new",
        "capacityreservations": "capacityReservationGroups/new/capacityReservations/new",
        "tags": "tags/default",
        "roleassignments": f"roleAssignments/{SUBSCRIPTION}",
    }
    version = VERSIONS.get(kinds[-1]) or VERSIONS.get(namespace, "2025-04-01")
    return f"{group_id()}/providers/{namespace}/{places.get(kinds[-1], f'{kinds[-1]}/new')}?api-version={version}"


def bare(shape: Any) -> Any:
    while isinstance(shape, Needed | Demanded | Since | Ignored | Echoed | Fixed):
        shape = shape.shape
    return shape


def a_value(shape: Any) -> Any:
    """Return the least value that has the shape."""
    shape = bare(shape)
    if isinstance(shape, Object):
        needed = {key: each for key, each in shape.fields.items() if isinstance(each, Needed | Demanded)}
        return {key: "eastus" if key == "location" else a_value(each) for key, each in needed.items()}
    if isinstance(shape, Reference):
        kind = shape.kind or "things"
        rest = "/".join(f"{word}/x" for word in kind.split("/"))
        return {"id": f"{group_id()}/providers/Microsoft.Network/{rest}"}
    if isinstance(shape, OneOf):
        return shape.values[0]
    if isinstance(shape, Whole):
        return shape.least or 1
    if isinstance(shape, list):
        return [a_value(shape[0])]
    return {str: "x", Text: "x", int: 1, float: 1, bool: True, object: {}}.get(
        type(shape) if isinstance(shape, Text) else shape, {}
    )


def places(shape: Any, here: tuple[Any, ...] = (), depth: int = 0) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every place below a shape with the shape that is there, read-only ones apart; not endlessly deep."""
    shape = bare(shape)
    yield here, shape
    if depth > 12 or len([each for each in here if each == "linkedPublicIPAddress"]) > 1:
        return
    if isinstance(shape, Object):
        for key, inner in shape.fields.items():
            if not isinstance(inner, ReadOnly):
                yield from places(inner, (*here, key), depth + 1)
    elif isinstance(shape, list):
        yield from places(shape[0], (*here, 0), depth + 1)
    elif isinstance(shape, Each):
        yield from places(shape.shape, (*here, "key"), depth + 1)


def put_at(shape: Any, place: tuple[Any, ...], value: Any) -> Any:
    """Return the least body of a shape with a value at a place."""
    if not place:
        return value
    shape = bare(shape)
    if isinstance(shape, list):
        return [put_at(shape[0], place[1:], value)]
    if isinstance(shape, Each):
        return {place[0]: put_at(shape.shape, place[1:], value)}
    return {**a_value(shape), place[0]: put_at(shape.fields[place[0]], place[1:], value)}


def said(error: Any) -> str:
    """Return an error's texts: Network has the reason in the details."""
    return " ".join([error["message"], *(each["message"] for each in error.get("details", []))])


def of_types() -> list[Any]:
    return [pytest.param(type_, id=type_.partition("/")[2]) for type_ in sorted(RESOURCES)]


@pytest.mark.parametrize("type_", of_types())
def test_an_unknown_property_is_refused_wherever_it_is(azure: Azure, type_: str) -> None:
    missed = []
    for place, shape in places(RESOURCES[type_]):
        if isinstance(shape, Object):
            body = put_at(RESOURCES[type_], place, {**a_value(shape), "colour": "red"})
            answer = azure.ask("PUT", path_for(type_), body)
            if answer.status != 400 or "Could not find member 'colour' on object of type" not in said(
                answer.json()["error"]
            ):
                missed.append((place, answer.status, answer.body))

    assert missed == []


@pytest.mark.parametrize("type_", of_types())
def test_a_value_of_another_type_is_refused_wherever_it_is(azure: Azure, type_: str) -> None:
    missed = []
    for place, shape in places(RESOURCES[type_]):
        if shape in (object, dict) or isinstance(shape, dict) or not place:
            continue
        wrong: Any = {"no": "list"} if isinstance(shape, list) else [1]
        answer = azure.ask("PUT", path_for(type_), put_at(RESOURCES[type_], place, wrong))
        if answer.status != 400 or "to type '" not in said(answer.json()["error"]):
            missed.append((place, answer.status, answer.body))

    assert missed == []


@pytest.mark.parametrize("type_", of_types())
def test_a_value_outside_its_set_or_limits_is_refused_wherever_it_is(azure: Azure, type_: str) -> None:
    missed = []
    for place, shape in places(RESOURCES[type_]):
        wrong: list[Any] = ["colourful"] if isinstance(shape, OneOf) else []
        if isinstance(shape, Whole):
            wrong = [each for each in (shape.least, shape.most) if each is not None]
            wrong = [wrong[0] - 1, *(each + 1 for each in wrong[1:])]
        if isinstance(shape, Text) and shape.longest is not None:
            wrong = ["x" * (shape.longest + 1)]
        for value in wrong:
            answer = azure.ask("PUT", path_for(type_), put_at(RESOURCES[type_], place, value))
            if answer.status != 400:
                missed.append((place, value, answer.status, answer.body))

    assert missed == []


@pytest.mark.parametrize("type_", of_types())
def test_what_is_needed_cannot_be_left_out(azure: Azure, type_: str) -> None:
    missed = []
    for place, shape in places(RESOURCES[type_]):
        if not isinstance(shape, Object):
            continue
        for key, inner in shape.fields.items():
            if isinstance(inner, Needed):
                value = {name: each for name, each in a_value(shape).items() if name != key}
                answer = azure.ask("PUT", path_for(type_), put_at(RESOURCES[type_], place, value))
                if answer.status != 400:
                    missed.append((place, key, answer.status, answer.body))

    assert missed == []


# --- in whose words ---


def test_resource_manager_itself_refuses_a_key_at_the_top(azure: Azure) -> None:
    answer = azure.ask("PUT", network_path("virtualNetworks/new"), {"location": "eastus", "colour": "red"})

    assert (answer.status, answer.headers["x-ms-failure-cause"]) == (400, "gateway")
    assert answer.json() == {
        "error": {
            "code": "InvalidRequestContent",
            "message": "The request content was invalid and could not be deserialized: 'Could not find member 'colour' "
            "on object of type 'ResourceDefinition'. Path 'colour', line 1, position 32.'.",
        }
    }


def test_network_cannot_parse_what_it_does_not_know(azure: Azure) -> None:
    answer = azure.ask("PUT", network_path("virtualNetworks/net/subnets/new"), {"properties": {"addressPrefx": "x"}})

    assert "x-ms-failure-cause" not in answer.headers
    assert (answer.status, answer.json()) == (
        400,
        {
            "error": {
                "code": "InvalidRequestFormat",
                "message": "Cannot parse the request.",
                "details": [
                    {
                        "code": "InvalidJson",
                        "message": "Could not find member 'addressPrefx' on object of type 'SubnetProperties'. "
                        "Path 'properties.addressPrefx', line 1, position 31.",
                    }
                ],
            }
        },
    )


def test_network_names_its_own_type_of_a_value_that_it_does_not_know(azure: Azure) -> None:
    body = {"location": "eastus", "properties": {"publicIPAllocationMethod": "playground"}}

    error = azure.ask("PUT", network_path("publicIPAddresses/new"), body).json()["error"]

    assert error["details"] == [
        {
            "code": "InvalidJson",
            "message": 'Error converting value "playground" to type '
            "'Microsoft.WindowsAzure.Networking.Nrp.Frontend.Contract.Csm.Public.IpAllocationMethod'. "
            "Path 'properties.publicIPAllocationMethod', line 1, position 78.",
        }
    ]


def test_network_wants_the_id_of_what_is_referred_to(azure: Azure) -> None:
    body = {"properties": {"addressPrefix": "10.0.9.0/24", "natGateway": {}}}

    error = azure.ask("PUT", network_path("virtualNetworks/net/subnets/new"), body).json()["error"]

    assert error["details"] == [
        {
            "code": "MissingJsonReferenceId",
            "message": "Value for reference id is missing. Path properties.natGateway.",
        }
    ]


def test_compute_refuses_each_kind_of_misfit_in_its_own_way(azure: Azure) -> None:
    def answered(**profile: Any) -> Any:
        answer = azure.put_scale_set("new", a_scale_set(profile=profile))
        return answer.status, answer.json()["error"]

    unknown = answered(securityProfile={"secure": True})
    value = answered(priority="Cheap")
    missing = answered(securityPostureReference={})
    link = answered(capacityReservation={"capacityReservationGroup": {"id": "mine"}})

    status, error = unknown
    assert (status, error["code"]) == (400, "BadRequest")
    path = "properties.virtualMachineProfile.securityProfile.secure"
    assert error["message"].startswith(
        f"Could not find member 'secure' on object of type 'SecurityProfile'. Path '{path}', line 1, position "
    )
    assert value == (
        400,
        {
            "code": "InvalidParameter",
            "message": "The value 'Cheap' of parameter 'priority' is invalid.",
            "target": "priority",
        },
    )
    assert missing[1]["message"] == "Required parameter 'securityPostureReference.id' is missing (null)."
    assert link == (
        400,
        {
            "code": "LinkedInvalidPropertyId",
            "message": "Property id 'mine' at path 'properties.virtualMachineProfile.capacityReservation."
            "capacityReservationGroup.id' is invalid. Expect fully qualified resource Id that start with "
            "'/subscriptions/{subscriptionId}' or '/providers/{resourceProviderNamespace}/'.",
        },
    )


def test_a_text_of_several_lines_is_counted_by_lines(azure: Azure) -> None:
    text = b'{\r\n  "location": "eastus",\r\n  "properties": {\r\n    "colour": {"a": [1, 2]}\r\n  }\r\n}'
    url = f"https://management.azure.com{network_path('natGateways/new')}"

    answer = azure.simulator.handle("PUT", url, {"Authorization": "Bearer any"}, text)

    assert answer.json()["error"]["details"][0]["message"] == (
        "Could not find member 'colour' on object of type 'NatGatewayProperties'. "
        "Path 'properties.colour', line 4, position 13."
    )


# --- what is taken all the same ---


def test_keys_and_values_of_sets_are_taken_in_any_case_and_shown_in_azures(azure: Azure) -> None:
    body = {
        "Location": "East US",
        "SKU": {"NAME": "standard"},
        "PROPERTIES": {"PublicIpAllocationMethod": "STATIC", "publicIPAddressversion": "ipv4"},
    }

    found = azure.put(network_id("publicIPAddresses/cased"), body).json()

    assert found["location"] == "eastus"
    assert found["sku"]["name"] == "Standard"
    shown = found["properties"]
    assert (shown["publicIPAllocationMethod"], shown["publicIPAddressVersion"]) == ("Static", "IPv4")


def test_numbers_and_truth_values_may_be_written_as_texts() -> None:
    azure = azure_with_a_network()

    answer = azure.put_scale_set("train", a_scale_set(properties={"overprovision": "False"}, nodes="2"))  # type: ignore[arg-type]  # on purpose

    assert answer.status == 201
    assert (answer.json()["sku"]["capacity"], answer.json()["properties"]["overprovision"]) == (2, False)


def test_an_older_api_version_does_not_know_a_newer_property() -> None:
    azure = azure_with_a_network()
    body = a_scale_set(properties={"highSpeedInterconnectPlacement": "None"})

    old = azure.ask("PUT", f"{set_id()}?api-version=2024-07-01", body)
    new = azure.ask("PUT", f"{set_id()}?api-version=2025-11-01", body)

    assert (old.status, new.status) == (400, 201)
    assert "Could not find member 'highSpeedInterconnectPlacement'" in old.json()["error"]["message"]


def test_what_only_azure_sets_is_not_looked_at(azure: Azure) -> None:
    body = {
        "location": "eastus",
        "id": "mine",
        "etag": "mine",
        "type": "mine",
        "systemData": {"createdBy": "me"},
        "properties": {"provisioningState": "Broken", "resourceGuid": "mine", "defaultSecurityRules": ["none"]},
    }

    found = azure.put(network_id("networkSecurityGroups/read"), body).json()

    assert found["id"] == network_id("networkSecurityGroups/read")
    assert found["properties"]["provisioningState"] == "Updating"
    assert found["properties"]["resourceGuid"] != "mine"
    assert len(found["properties"]["defaultSecurityRules"]) == 6


def everything() -> Azure:
    """Return an Azure with one of each type that has a body."""
    azure = azure_with_a_network()
    azure.make_identity()
    azure.put(network_id("networkSecurityGroups/nsg"), {"location": "eastus", "properties": {}})
    for name in ("ip", "door"):
        body = {"location": "eastus", "sku": {"name": "Standard"}, "properties": {"publicIPAllocationMethod": "Static"}}
        azure.put(network_id(f"publicIPAddresses/{name}"), body)
    addresses = {"publicIpAddresses": [{"id": network_id("publicIPAddresses/ip")}]}
    azure.put(network_id("natGateways/nat"), {"location": "eastus", "properties": addresses})
    subnet = {
        "addressPrefix": "10.0.8.0/24",
        "networkSecurityGroup": {"id": network_id("networkSecurityGroups/nsg")},
        "natGateway": {"id": network_id("natGateways/nat")},
    }
    azure.put(network_id("virtualNetworks/net/subnets/used"), {"properties": subnet})
    azure.put(
        network_id("virtualNetworks/net/subnets/AzureBastionSubnet"), {"properties": {"addressPrefix": "10.0.4.0/26"}}
    )
    far = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.1.0.0/16"]}}}
    azure.put(network_id("virtualNetworks/far"), far)
    for here, there in (("net", "far"), ("far", "net")):
        half = {"properties": {"remoteVirtualNetwork": {"id": network_id(f"virtualNetworks/{there}")}}}
        azure.put(network_id(f"virtualNetworks/{here}/virtualNetworkPeerings/half"), half)
    door = {
        "name": "conf",
        "properties": {
            "subnet": {"id": network_id("virtualNetworks/net/subnets/AzureBastionSubnet")},
            "publicIPAddress": {"id": network_id("publicIPAddresses/door")},
        },
    }
    azure.put(network_id("bastionHosts/door"), {"location": "eastus", "properties": {"ipConfigurations": [door]}})
    azure.put(lustre_id(), a_file_system(subnet=network_id("virtualNetworks/net/subnets/used")))
    azure.make_scale_set(
        nodes=1, identity={"type": "UserAssigned", "userAssignedIdentities": {identity_id(): {}}}, tags={"a": "b"}
    )
    return azure


def test_what_is_read_can_be_written_back_and_changes_nothing() -> None:
    azure = everything()
    ids = [row["id"] for row in azure.world["resources"]]

    changed = []
    for resource_id in ids:
        before = azure.get(resource_id)
        answer = azure.put(resource_id, before)
        after = azure.get(resource_id)
        if answer.status != 200 or without_etags(after) != without_etags(before):
            changed.append((resource_id, answer.status, answer.body))

    assert len(ids) == 15
    assert changed == []


def without_etags(body: Any) -> Any:
    if isinstance(body, dict):
        return {key: without_etags(each) for key, each in body.items() if key != "etag"}
    return [without_etags(each) for each in body] if isinstance(body, list) else body
