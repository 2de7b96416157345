"""Marketplace images: what is listed, what `latest` means, what is refused of an image, and plans that are bought."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import SUBSCRIPTION, Azure, a_scale_set, azure_with_a_network, refusal

HPC = ("eastus", "microsoft-dsvm", "ubuntu-hpc", "2204")
SOLD = {"publisher": "acme", "offer": "trainer", "sku": "gen2", "version": "1.2.3"}
PLAN = {"publisher": "acme", "product": "trainer", "name": "gold"}
TERMS = (
    f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/acme"
    "/offers/trainer/plans/gold/agreements/current?api-version=2021-01-01"
)


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def a_set(image: Any, **top: Any) -> Any:
    disk = {"createOption": "FromImage"}
    return a_scale_set(nodes=2, profile={"storageProfile": {"imageReference": image, "osDisk": disk}}, **top)


def reference(sku: str = "2204", version: str = "latest") -> dict[str, str]:
    return {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": sku, "version": version}


def exact(azure: Azure) -> list[str]:
    return [node["properties"]["storageProfile"]["imageReference"]["exactVersion"] for node in azure.nodes()]


def test_clients_find_their_way_from_publishers_to_a_version() -> None:
    images = Azure().compute.virtual_machine_images

    assert "microsoft-dsvm" in [row.name for row in images.list_publishers("eastus")]
    assert [row.name for row in images.list_offers("eastus", "microsoft-dsvm")] == ["ubuntu-hpc"]
    assert "2204" in [row.name for row in images.list_skus("eastus", "microsoft-dsvm", "ubuntu-hpc")]
    found = [row.name for row in images.list(*HPC)]
    newest = [row.name for row in images.list(*HPC, top=1, orderby="name desc")]
    assert (len(found) > 1, newest) == (True, [found[-1]])
    row = images.get(*HPC, "latest")
    assert (row.name, row.hyper_v_generation, row.architecture, row.plan) == (found[-1], "V2", "x64", None)
    assert row.id == (
        f"/Subscriptions/{SUBSCRIPTION}/Providers/Microsoft.Compute/Locations/eastus/Publishers/microsoft-dsvm"
        f"/ArtifactTypes/VMImage/Offers/ubuntu-hpc/Skus/2204/Versions/{found[-1]}"
    )


def test_what_is_not_there_is_no_artifact(azure: Azure) -> None:
    azure.set_world(
        settings={"missingImages": ["microsoft-dsvm:ubuntu-hpc:2204", "microsoft-dsvm:ubuntu-hpc:2404:1.2"]}
    )
    images = azure.compute.virtual_machine_images
    absent = (404, "NotFound", "Artifact: VMImage was not found.")

    assert refusal(images.list_offers, "eastus", "nobody") == absent
    assert refusal(images.list_skus, "eastus", "microsoft-dsvm", "nothing") == absent
    assert refusal(images.list, *HPC) == absent
    assert refusal(images.get, "eastus", "microsoft-dsvm", "ubuntu-hpc", "2404", "1.2") == absent
    assert refusal(images.list_publishers, "atlantis")[1] == "LocationNotAvailableForResourceType"


def test_a_set_of_an_image_that_is_not_there_is_refused(azure: Azure) -> None:
    azure.set_world(
        settings={"missingImages": ["Microsoft-DSVM:ubuntu-hpc:2204", "microsoft-dsvm:ubuntu-hpc:2404:1.2"]}
    )
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update

    assert refusal(begin, "rg", "train", a_set(reference())) == (
        404,
        "PlatformImageNotFound",
        "The platform image 'microsoft-dsvm:ubuntu-hpc:2204:latest' is not available. Verify that all fields in the "
        "storage profile are correct. For more details about storage profile information, please refer to "
        "https://aka.ms/storageprofile",
    )
    assert refusal(begin, "rg", "train", a_set(reference("2404", "1.2")))[1] == "PlatformImageNotFound"
    assert azure.put_scale_set("train", a_set(reference("2404", "1.3"))).status == 201


def test_an_image_that_the_size_cannot_boot_is_refused(azure: Azure) -> None:
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    first = {"publisher": "OpenLogic", "offer": "CentOS-HPC", "sku": "7_9", "version": "latest"}

    assert refusal(begin, "rg", "train", a_set(first))[2].startswith(
        "The selected VM size 'Standard_ND96isr_H100_v5' cannot boot Hypervisor Generation '1'."
    )
    status, code, message = refusal(begin, "rg", "train", a_set(reference("2404-gb")))
    assert (status, code) == (400, "BadRequest")
    assert "only supports a CPU Architecture of 'x64', but an image or disk with CPU Architecture 'Arm64'" in message


def test_instances_run_the_version_that_was_the_latest_when_they_were_made(azure: Azure) -> None:
    old, new = ({"microsoft-dsvm:ubuntu-hpc:2204": {"versions": ["1.9.0", version]}} for version in ("1.8.0", "1.10.0"))
    azure.set_world(settings={"images": old})
    azure.start(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", a_set(reference()))
    azure.wait(600)
    azure.set_world(settings={"images": new})
    grown = {"location": "eastus", "sku": {"capacity": 3}}
    azure.start(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "rg", "train", grown)
    azure.wait(600)

    assert exact(azure) == ["1.9.0", "1.9.0", "1.10.0"]

    azure.start(azure.compute.virtual_machine_scale_sets.begin_reimage, "rg", "train", {"instanceIds": ["0"]})
    azure.wait(300)

    assert exact(azure) == ["1.10.0", "1.9.0", "1.10.0"]


def test_an_image_with_stated_versions_has_no_others(azure: Azure) -> None:
    azure.set_world(settings={"images": {"acme:trainer:free": {"versions": ["1.0.0"]}}})
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    image = {"publisher": "acme", "offer": "trainer", "sku": "free"}

    assert refusal(begin, "rg", "train", a_set({**image, "version": "2.0.0"}))[1] == "PlatformImageNotFound"
    assert azure.put_scale_set("train", a_set({**image, "version": "1.0.0"})).status == 201
    assert "acme" in [row.name for row in azure.compute.virtual_machine_images.list_publishers("eastus")]


def test_a_plan_is_stated_and_its_terms_accepted_before_an_image_is_used(azure: Azure) -> None:
    azure.set_world(settings={"images": {"acme:trainer:gen2": {"plan": "gold"}}})
    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    other = {**PLAN, "name": "silver"}
    asked = azure.compute.virtual_machine_images.get("eastus", "acme", "trainer", "gen2", "1.2.3")

    assert asked.plan is not None
    assert (asked.plan.publisher, asked.plan.product, asked.plan.name) == ("acme", "trainer", "gold")
    assert "requires Plan information" in refusal(begin, "rg", "train", a_set(SOLD))[2]
    assert "does not match" in refusal(begin, "rg", "train", a_set(SOLD, plan=other))[2]
    assert "does not need Plan" in refusal(begin, "rg", "train", a_set(reference(), plan=PLAN))[2]
    answer = azure.put_scale_set("train", a_set(SOLD, plan=PLAN))
    assert answer.json()["error"]["code"] == "MarketplacePurchaseEligibilityFailed"
    assert "Legal terms have not been accepted" in answer.json()["error"]["details"][0]["message"]

    before = azure.ask("GET", TERMS).json()["properties"]
    accepted = azure.ask("PUT", TERMS, {"properties": {**before, "accepted": True}})

    assert (before["accepted"], accepted.json()["properties"]["accepted"]) == (False, True)
    assert azure.put_scale_set("train", a_set(SOLD, plan=PLAN)).status == 201


def test_terms_can_be_given_up_again(azure: Azure) -> None:
    azure.ask("PUT", TERMS, {"properties": {"accepted": True}})
    azure.ask("PUT", TERMS, {"properties": {"accepted": False}})

    assert azure.ask("GET", TERMS).json()["properties"]["accepted"] is False
    assert azure.ask("PUT", TERMS, {"properties": {}}).json()["error"]["code"] == "InvalidRequestContent"


@pytest.mark.parametrize(
    "images",
    [{"acme": {}}, {"a:b:c": []}, {"a:b:c": {"version": "1"}}, {"a:b:c": {"versions": "1"}}, {"a:b:c": {"plan": 1}}],
)
def test_images_that_make_no_sense_are_not_set(azure: Azure, images: Any) -> None:
    answer = azure.ask("PUT", "/_simulator/world", {"settings": {"images": images}})

    assert (answer.status, "settings.images" in answer.json()["error"]) == (400, True)
