"""What Compute refuses of how the machines of a set are to be."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.simulator.azure import (
    SSH_KEY,
    Azure,
    Json,
    a_scale_set,
    azure_with_a_network,
    network_id,
    refusal,
    subnet_id,
)

OS: Json = {
    "computerNamePrefix": "train",
    "adminUsername": "azureuser",
    "linuxConfiguration": {"disablePasswordAuthentication": True, "ssh": {"publicKeys": [SSH_KEY]}},
}
IMAGE = {
    "publisher": "microsoft-dsvm",
    "offer": "ubuntu-hpc",
    "sku": "2204",
    "version": "22.04.2026071501",
}
NO_LOGIN = "Authentication using either SSH or by user name and password must be enabled in Linux profile."
PASSWORD = (
    "The supplied password must be between 6-72 characters long and must satisfy at least 3 of password complexity "
    "requirements from the following:\r\n1) Contains an uppercase character\r\n2) Contains a lowercase character\r\n"
    "3) Contains a numeric digit\r\n4) Contains a special character\r\n5) Control characters are not allowed"
)
HOST_NAME = (
    "Linux host name cannot exceed 64 characters in length or contain the following characters: "
    "` ~ ! @ # $ % ^ & * ( ) = + _ [ ] { } \\ | ; : ' \" , < > / ?."
)


@pytest.fixture(scope="module")
def azure() -> Azure:
    return azure_with_a_network()


def refused(azure: Azure, body: Json) -> tuple[int, str, str]:
    return refusal(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", body)


def with_os(**changes: Any) -> Json:
    return a_scale_set(nodes=1, profile={"osProfile": {**OS, **changes}})


def with_disk(*data: Json, size: str | None = None, properties: Json | None = None, **disk: Any) -> Json:
    os_disk = {"createOption": "FromImage", **disk}
    storage = {"imageReference": IMAGE, "osDisk": os_disk, "dataDisks": list(data)}
    more = {"size": size} if size is not None else {}
    return a_scale_set(nodes=1, profile={"storageProfile": storage}, properties=properties or {}, **more)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"customData": "not base64"},
            "Custom data in OSProfile must be in Base64 encoding and with a maximum length of 87380 characters.",
        ),
        (
            {"customData": base64.b64encode(b"x" * 65538).decode()},
            "Custom data in OSProfile must be in Base64 encoding and with a maximum length of 87380 characters.",
        ),
        ({"adminUsername": "Admin"}, "The Admin Username specified is not allowed."),
        ({"computerNamePrefix": "x" * 59}, HOST_NAME),
        ({"computerNamePrefix": "a_b"}, HOST_NAME),
        ({"linuxConfiguration": {"disablePasswordAuthentication": True}}, NO_LOGIN),
        ({"linuxConfiguration": {"disablePasswordAuthentication": True}, "adminPassword": "Good-1-enough"}, NO_LOGIN),
        ({"adminPassword": "simple"}, PASSWORD),
        (
            {"linuxConfiguration": {"ssh": {"publicKeys": [{**SSH_KEY, "path": "/root/.ssh/authorized_keys"}]}}},
            "Destination path for SSH public keys is currently limited to its default value "
            "/home/azureuser/.ssh/authorized_keys due to a known issue in Linux provisioning agent.",
        ),
        (
            {"linuxConfiguration": {"ssh": {"publicKeys": [{**SSH_KEY, "keyData": " "}]}}},
            "The value of parameter linuxConfiguration.ssh.publicKeys.keyData is invalid.",
        ),
    ],
)
def test_what_nobody_could_log_in_to_or_boot_is_refused(azure: Azure, changes: Json, message: str) -> None:
    assert refused(azure, with_os(**changes)) == (400, "InvalidParameter", message)


def test_a_password_is_remembered_though_it_never_comes_back() -> None:
    azure = azure_with_a_network()
    made = azure.put_scale_set("train", with_os(linuxConfiguration={}, adminPassword="Good-1-enough"))
    azure.wait(600)

    scaled = azure.put_scale_set("train", {"location": "eastus", "sku": {"capacity": 2}})

    assert (made.status, scaled.status) == (201, 200)


def test_user_data_is_base64_too(azure: Azure) -> None:
    found = refused(azure, a_scale_set(nodes=1, profile={"userData": "not base64"}))

    assert found[1:] == (
        "InvalidParameter",
        "User data in VirtualMachineProfile must be in Base64 encoding and with a maximum length of 87380 characters.",
    )


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ({"evictionPolicy": "Delete"}, "Eviction policy can be set only on Azure Spot Virtual Machines. "),
        ({"billingProfile": {"maxPrice": 1.5}}, "Max price can be set only on Azure Spot Virtual Machines. "),
    ],
)
def test_what_is_for_spot_alone_is_refused_elsewhere(azure: Azure, profile: Json, message: str) -> None:
    found = refused(azure, a_scale_set(nodes=1, profile=profile))

    assert found[:2] == (409, "OperationNotAllowed")
    assert found[2].startswith(message)


def test_a_price_is_positive_or_whatever_azure_asks(azure: Azure) -> None:
    spot = {"priority": "Spot", "billingProfile": {"maxPrice": 0}}

    assert refused(azure, a_scale_set(nodes=1, profile=spot))[1] == "InvalidParameter"


DATA: Json = {"lun": 0, "createOption": "Empty", "diskSizeGB": 64}
ULTRA: Json = {**DATA, "managedDisk": {"storageAccountType": "UltraSSD_LRS"}}
LOCAL: Json = {"diffDiskSettings": {"option": "Local"}}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (with_disk(diskSizeGB=32), "OperationNotAllowed"),
        (with_disk(createOption="Empty"), "InvalidParameter"),
        (with_disk({**DATA, "createOption": "Attach"}), "InvalidParameter"),
        (with_disk(ULTRA), "InvalidParameter"),
        (
            with_disk(
                {**ULTRA, "caching": "ReadOnly"}, properties={"additionalCapabilities": {"ultraSSDEnabled": True}}
            ),
            "InvalidParameter",
        ),
        (with_disk(**LOCAL, caching="ReadWrite"), "InvalidParameter"),
        (
            with_disk(**LOCAL, caching="ReadOnly", managedDisk={"storageAccountType": "Premium_LRS"}),
            "InvalidParameter",
        ),
    ],
)
def test_disks_that_do_not_go_together_are_refused(azure: Azure, body: Json, code: str) -> None:
    assert refused(azure, body)[1] == code


def test_disks_that_go_together_are_taken() -> None:
    for body in (
        with_disk(**LOCAL, caching="ReadOnly"),
        with_disk(ULTRA, properties={"additionalCapabilities": {"ultraSSDEnabled": True}}),
    ):
        assert azure_with_a_network().put_scale_set("train", body).status == 201


def with_interfaces(*interfaces: Json) -> Json:
    return a_scale_set(nodes=1, profile={"networkProfile": {"networkInterfaceConfigurations": list(interfaces)}})


def an_interface(name: str, subnet: str | None = None, **properties: Any) -> Json:
    address = {"name": "ip", "properties": {"subnet": {"id": subnet or subnet_id()}}}
    return {"name": name, "properties": {"ipConfigurations": [address], **properties}}


def test_one_interface_of_several_is_the_primary(azure: Azure) -> None:
    none = refused(azure, with_interfaces(an_interface("a"), an_interface("b")))
    both = refused(azure, with_interfaces(an_interface("a", primary=True), an_interface("b", primary=True)))

    assert none[:2] == both[:2] == (400, "VirtualMachineMustHaveOneNetworkInterfaceAsPrimary")


def test_interfaces_have_names_of_their_own(azure: Azure) -> None:
    found = refused(azure, with_interfaces(an_interface("a", primary=True), an_interface("A")))

    assert found[1] == "InvalidParameter"


def test_all_interfaces_are_in_one_network() -> None:
    azure = azure_with_a_network()
    space = {"addressSpace": {"addressPrefixes": ["10.1.0.0/16"]}}
    subnets = [{"name": "s", "properties": {"addressPrefix": "10.1.0.0/24"}}]
    azure.put(network_id("virtualNetworks/far"), {"location": "eastus", "properties": {**space, "subnets": subnets}})
    far = network_id("virtualNetworks/far/subnets/s")

    found = refused(azure, with_interfaces(an_interface("a", primary=True), an_interface("b", far)))

    assert found[:2] == (400, "SubnetsNotInSameVnet")


@pytest.mark.parametrize(
    ("properties", "more", "message"),
    [
        ({"platformFaultDomainCount": 6}, {}, "The specified fault domain count 6 must fall in the range 1 to 5."),
        (
            {"platformFaultDomainCount": 2},
            {"zones": ["1"]},
            "The specified fault domain count 2 must be 1 or 5 in a zone.",
        ),
    ],
)
def test_fault_domains_are_as_many_as_azure_has(azure: Azure, properties: Json, more: Json, message: str) -> None:
    assert refused(azure, a_scale_set(nodes=1, properties=properties, **more)) == (400, "InvalidParameter", message)


@pytest.mark.parametrize(
    "profile",
    [
        {"extensionProfile": {"extensionsTimeBudget": "PT10M"}},
        {"extensionProfile": {"extensionsTimeBudget": "soon"}},
        {"scheduledEventsProfile": {"terminateNotificationProfile": {"enable": True, "notBeforeTimeout": "PT20M"}}},
    ],
)
def test_a_time_lies_between_azures_limits(azure: Azure, profile: Json) -> None:
    assert refused(azure, a_scale_set(nodes=1, profile=profile))[1] == "InvalidParameter"


def test_secure_boot_is_for_trusted_launch(azure: Azure) -> None:
    plain = refused(azure, a_scale_set(nodes=1, profile={"securityProfile": {"uefiSettings": {"vTpmEnabled": True}}}))
    launch = {"securityType": "TrustedLaunch", "uefiSettings": {"vTpmEnabled": True, "secureBootEnabled": False}}

    assert plain[:2] == (400, "BadRequest")
    assert azure_with_a_network().put_scale_set(
        "train", a_scale_set(nodes=1, profile={"securityProfile": launch})
    ).status in (200, 201)


def test_a_size_without_trusted_launch_refuses_it(azure: Azure) -> None:
    body = a_scale_set(
        nodes=1, size="Standard_ND96asr_v4", profile={"securityProfile": {"securityType": "TrustedLaunch"}}
    )

    assert "TrustedLaunch" in refused(azure, body)[2]
