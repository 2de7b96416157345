"""Every switch, driven through Microsoft's clients: what they meet with it, and without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.mgmt.resource.resources import ResourceManagementClient

from provision.simulator.settings import SETTINGS
from provision.simulator.transport import SimulatedCredential
from tests.simulator.azure import (
    SIZE,
    SUBSCRIPTION,
    Azure,
    Json,
    a_scale_set,
    a_security_group,
    a_stack,
    azure_with_a_network,
    group_id,
    identity_id,
    network_id,
    refusal,
)

NSG = {"location": "eastus", "properties": {}}
OTHER = "00000000-0000-0000-0000-00000000000f"
READER = "acdd72a7-3385-48ef-bd42-f606fba81ae7"
GALLERY_IMAGE = f"{group_id('images')}/providers/Microsoft.Compute/galleries/ours/images/hpc/versions/1.0.0"


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def make_nsg(azure: Azure, name: str = "nsg", **more: Any) -> Any:
    return azure.finish(azure.network.network_security_groups.begin_create_or_update, "rg", name, {**NSG, **more})


def make_set(azure: Azure, name: str = "train", **changes: Any) -> Any:
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    return azure.finish(begin, "rg", name, a_scale_set(**changes))


def states(azure: Azure, name: str = "train") -> list[str]:
    found = azure.compute.virtual_machine_scale_set_vms.list("rg", name)
    return sorted(str(each.provisioning_state) for each in found)


def pages(listed: Any) -> list[int]:
    return [len(list(page)) for page in listed.by_page()]


def test_every_switch_is_set_here() -> None:
    here = Path(__file__).read_text("utf-8")

    assert [name for name in SETTINGS if f".control.set({name}=" not in here] == []


def test_throttling(azure: Azure) -> None:
    azure.control.set(budgets={"reads": [2, 0.1]})
    for _ in range(3):
        azure.resources.resource_groups.get("rg")

    azure.control.set(throttling=True)

    assert refusal(azure.resources.resource_groups.get, "rg")[:2] == (429, "SubscriptionRequestsThrottled")


def test_budgets(azure: Azure) -> None:
    azure.control.set(throttling=True)
    azure.control.set(budgets={"reads": [2, 0.1]})

    for _ in range(2):
        azure.resources.resource_groups.get("rg")
    with pytest.raises(HttpResponseError) as refused:
        azure.resources.resource_groups.get("rg")
    azure.wait(10)

    response: Any = refused.value.response
    assert (refused.value.status_code, response.headers["Retry-After"]) == (429, "10")
    assert azure.resources.resource_groups.get("rg").name == "rg"


def test_operations_kept_s(azure: Azure) -> None:
    azure.control.set(operationsKeptS=60)
    begin: Any = azure.network.network_security_groups.begin_create_or_update
    poller = begin("rg", "nsg", NSG)
    poller.result()
    token = poller.continuation_token()

    azure.wait(100)

    assert refusal(lambda: begin("rg", "nsg", NSG, continuation_token=token).result())[0] == 404


def test_page_size(azure: Azure) -> None:
    azure.control.set(pageSize=2)
    for name in "abcde":
        azure.make_group(name)

    assert pages(azure.resources.resource_groups.list()) == [2, 2, 2]


def test_instance_page_size() -> None:
    azure = azure_with_a_network()
    make_set(azure, nodes=5)

    azure.control.set(instancePageSize=2)

    assert pages(azure.compute.virtual_machine_scale_set_vms.list("rg", "train")) == [2, 2, 1]


def test_empty_pages(azure: Azure) -> None:
    azure.control.set(emptyPages=True)

    assert pages(azure.resources.resource_groups.list()) == [0, 1]


def test_read_lag_s(azure: Azure) -> None:
    azure.control.set(readLagS=20)
    azure.start(azure.network.network_security_groups.begin_create_or_update, "rg", "nsg", NSG)

    with pytest.raises(ResourceNotFoundError):
        azure.network.network_security_groups.get("rg", "nsg")
    listed = [each.name for each in azure.network.network_security_groups.list("rg")]
    azure.wait(21)

    assert listed == ["nsg"]
    assert azure.network.network_security_groups.get("rg", "nsg").name == "nsg"


def test_list_lag_s(azure: Azure) -> None:
    azure.control.set(listLagS=20)
    azure.start(azure.network.network_security_groups.begin_create_or_update, "rg", "nsg", NSG)

    early = [each.name for each in azure.network.network_security_groups.list("rg")]
    assert azure.network.network_security_groups.get("rg", "nsg").name == "nsg"
    azure.wait(21)

    assert (early, [each.name for each in azure.network.network_security_groups.list("rg")]) == ([], ["nsg"])


def test_case_drift(azure: Azure) -> None:
    sent = {network_id(f"networkSecurityGroups/nsg-{number}") for number in range(5)}
    for number in range(5):
        make_nsg(azure, f"nsg-{number}")

    azure.control.set(caseDrift=True)
    seen = {str(each.id) for _ in range(5) for each in azure.network.network_security_groups.list("rg")}

    assert {each.lower() for each in seen} == {each.lower() for each in sent}
    assert seen != sent


def test_shuffle(azure: Azure) -> None:
    names = [f"group-{number}" for number in range(9)]
    for name in names:
        azure.make_group(name)
    before = [str(each.name) for each in azure.resources.resource_groups.list()]

    azure.control.set(shuffle=True)
    after = [str(each.name) for each in azure.resources.resource_groups.list()]

    assert (sorted(before), before != after) == (sorted(after), True)


def test_token_life_s(azure: Azure) -> None:
    azure.control.set(tokenLifeS=1000)
    credential = SimulatedCredential(azure.simulator)
    client = ResourceManagementClient(credential, SUBSCRIPTION, transport=azure.transport, retry_total=0)
    assert client.resource_groups.get("rg").name == "rg"

    azure.wait(1001)

    assert refusal(client.resource_groups.get, "rg")[:2] == (401, "ExpiredAuthenticationToken")


def test_subscriptions(azure: Azure) -> None:
    azure.control.set(subscriptions=[OTHER])

    assert refusal(azure.resources.resource_groups.get, "rg")[:2] == (404, "SubscriptionNotFound")
    other = ResourceManagementClient(azure.credential, OTHER, transport=azure.transport)
    assert list(other.resource_groups.list()) == []


def test_permissions(azure: Azure) -> None:
    azure.control.set(permissions=[{"actions": ["*/read"]}])

    assert azure.resources.resource_groups.get("rg").name == "rg"
    begin = azure.network.network_security_groups.begin_create_or_update
    assert refusal(begin, "rg", "nsg", NSG)[:2] == (403, "AuthorizationFailed")


def test_policies(azure: Azure) -> None:
    azure.control.set(policies=[{"name": "none here", "match": {"location": "eastus"}}])

    begin = azure.network.network_security_groups.begin_create_or_update
    assert refusal(begin, "rg", "nsg", NSG)[:2] == (403, "RequestDisallowedByPolicy")


def test_principal_replicates_s(azure: Azure) -> None:
    azure.control.set(principalReplicatesS=300)
    by_id = azure.resources.resources
    made = azure.finish(
        by_id.begin_create_or_update_by_id, identity_id(), {"location": "eastus"}, api_version="2024-11-30"
    )
    assignment = f"{group_id()}/providers/Microsoft.Authorization/roleAssignments/11111111-2222-4333-8444-555555555555"
    role = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{READER}"
    body = {"properties": {"roleDefinitionId": role, "principalId": made.properties["principalId"]}}

    def assign() -> Any:
        return azure.finish(by_id.begin_create_or_update_by_id, assignment, body, api_version="2022-04-01")

    azure.wait(290)
    assert refusal(assign)[:2] == (400, "PrincipalNotFound")
    azure.wait(11)
    assert str(assign().id) == assignment


def test_partial_allocation() -> None:
    seen = {}
    for switch in (True, False):
        azure = azure_with_a_network()
        azure.set_world(capacity={"eastus": {SIZE: 3}})
        azure.control.set(partialAllocation=switch)
        with pytest.raises(HttpResponseError, match=r"AllocationFailed|OverconstrainedAllocationRequest"):
            make_set(azure, nodes=4)
        seen[switch] = states(azure)

    assert seen == {True: ["Failed", *["Succeeded"] * 3], False: ["Failed"] * 4}


def test_freed_nodes_are_taken() -> None:
    seen = {}
    for switch in (False, True):
        azure = azure_with_a_network()
        azure.set_world(capacity={"eastus": {SIZE: 4}})
        azure.control.set(freedNodesAreTaken=switch)
        make_set(azure, nodes=4)
        sets = azure.compute.virtual_machine_scale_sets
        azure.finish(sets.begin_delete_instances, "rg", "train", {"instanceIds": ["3"]})
        azure.start(sets.begin_update, "rg", "train", {"sku": {"capacity": 4}})
        azure.wait(600)
        seen[switch] = states(azure)

    assert seen == {False: ["Succeeded"] * 4, True: ["Failed", *["Succeeded"] * 3]}


def test_images(azure: Azure) -> None:
    azure.control.set(images={"contoso:hpc:one": {"versions": ["1.0.0", "1.1.0"]}})

    found = azure.compute.virtual_machine_images.list("eastus", "contoso", "hpc", "one")

    assert [each.name for each in found] == ["1.0.0", "1.1.0"]


def test_missing_images() -> None:
    azure = azure_with_a_network()
    azure.control.set(missingImages=["microsoft-dsvm:ubuntu-hpc:2204"])

    assert refusal(lambda: make_set(azure, nodes=1))[:2] == (404, "PlatformImageNotFound")


def test_image_regions() -> None:
    azure = azure_with_a_network()
    azure.control.set(imageRegions={GALLERY_IMAGE: ["westus3"]})
    stored = {
        "imageReference": {"id": GALLERY_IMAGE},
        "osDisk": {"createOption": "FromImage", "managedDisk": {"storageAccountType": "Premium_LRS"}},
    }

    def make() -> Any:
        return make_set(azure, nodes=1, profile={"storageProfile": stored})

    find = azure.compute.gallery_image_versions.get
    places = find("images", "ours", "hpc", "1.0.0").publishing_profile
    assert places is not None
    assert [each.name for each in places.target_regions or []] == ["West US 3"]
    assert refusal(make) == (
        404,
        "GalleryImageNotFound",
        f"The gallery image {GALLERY_IMAGE} is not available in eastus region. Please contact image owner to replicate "
        "to this region, or change your requested region.",
    )
    azure.control.set(imageRegions={GALLERY_IMAGE: ["westus3", "eastus"]})
    assert make().provisioning_state == "Succeeded"


def test_command_outputs() -> None:
    azure = azure_with_a_network()
    make_set(azure, nodes=1)
    azure.control.set(commandOutputs=[{"script": "nvidia-smi", "stdout": "8 GPUs"}])

    run = azure.compute.virtual_machine_scale_set_vms.begin_run_command
    found = azure.finish(run, "rg", "train", "0", {"commandId": "RunShellScript", "script": ["nvidia-smi -L"]})

    assert "8 GPUs" in str((found.value or [])[0].message)


def test_plain_types(azure: Azure) -> None:
    shelf = f"{group_id()}/providers/Contoso.Storage/shelves/one"
    by_id = azure.resources.resources
    body: Json = {"location": "eastus", "properties": {"boards": 3}}

    def make() -> Any:
        return azure.finish(by_id.begin_create_or_update_by_id, shelf, body, api_version="2024-01-01")

    assert refusal(make)[0] in (400, 404)
    azure.control.set(plainTypes=["Contoso.Storage/shelves"])
    assert make().properties == {"boards": 3, "provisioningState": "Succeeded"}
    assert by_id.get_by_id(shelf, api_version="2024-01-01").name == "one"


def test_failed_resources_are_managed() -> None:
    listed = {}
    for switch in (False, True):
        azure = Azure()
        azure.make_group()
        azure.control.set(failedResourcesAreManaged=switch)
        azure.control.fault("fail-operation", match={"url": "/networkSecurityGroups/"}, code="Odd")
        stacks = azure.stacks.deployment_stacks
        with pytest.raises(HttpResponseError):
            azure.finish(stacks.begin_create_or_update_at_resource_group, "rg", "unit", a_stack(a_security_group()))
        properties = stacks.get_at_resource_group("rg", "unit").properties
        assert properties is not None
        listed[switch] = [str(each.id).rpartition("/")[2] for each in properties.resources or []]

    assert listed == {False: [], True: ["nsg"]}


def half_to(azure: Azure, there: str) -> Json:
    return {"properties": {"remoteVirtualNetwork": {"id": network_id(f"virtualNetworks/net-{there}")}}}


def two_networks() -> tuple[Azure, Callable[[str, str], Any]]:
    """Return an Azure with `net-a` and `net-b`, and what begins to make the half of a peering."""
    azure = Azure()
    azure.make_group()
    for number, name in enumerate("ab"):
        body = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": [f"10.{number}.0.0/16"]}}}
        azure.finish(azure.network.virtual_networks.begin_create_or_update, "rg", f"net-{name}", body)

    def begin(here: str, there: str) -> Any:
        start = azure.network.virtual_network_peerings.begin_create_or_update
        return azure.start(start, "rg", f"net-{here}", f"to-{there}", half_to(azure, there))

    return azure, begin


def test_disconnected_peerings_can_be_updated() -> None:
    azure, begin = two_networks()
    for here, there in ("ab", "ba"):
        begin(here, there)
        azure.wait(30)
    azure.finish(azure.network.virtual_network_peerings.begin_delete, "rg", "net-a", "to-b")

    assert refusal(begin, "b", "a")[:2] == (400, "RemotePeeringIsDisconnected")
    azure.control.set(disconnectedPeeringsCanBeUpdated=True)
    begin("b", "a")
    azure.wait(30)

    assert azure.network.virtual_network_peerings.get("rg", "net-b", "to-a").peering_state == "Initiated"


def test_remote_peerings_may_run() -> None:
    azure, begin = two_networks()
    begin("a", "b")

    assert refusal(begin, "b", "a")[:2] == (400, "ReferencedResourceNotProvisioned")
    azure.control.set(remotePeeringsMayRun=True)
    begin("b", "a")
    azure.wait(30)

    assert azure.network.virtual_network_peerings.get("rg", "net-a", "to-b").peering_state == "Connected"
