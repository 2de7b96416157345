"""Sizes: the SKU list, and what a subscription may not use."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import SIZE, SUBSCRIPTION, Azure, a_scale_set, a_template, azure_with_a_network, group_id

PATH = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Compute/skus?api-version=2021-07-01"


def row_of(azure: Azure, location: str = "eastus") -> Any:
    rows = azure.ask("GET", f"{PATH}&$filter=location eq '{location}'".replace(" ", "%20")).json()["value"]
    return next((row for row in rows if row["name"] == SIZE), None)


def test_a_size_is_listed_where_it_has_a_price() -> None:
    azure = Azure()

    row = row_of(azure)

    assert row_of(azure, "brazilsouth") is None
    assert row["locationInfo"] == [{"location": "eastus", "zones": ["1", "2", "3"], "zoneDetails": []}]
    assert (row["resourceType"], row["family"], row["restrictions"]) == (
        "virtualMachines",
        "standardNDSH100v5Family",
        [],
    )
    capabilities = {each["name"]: each["value"] for each in row["capabilities"]}
    assert capabilities == {
        "vCPUs": "96",
        "MemoryGB": "1900",
        "GPUs": "8",
        "MaxDataDiskCount": "32",
        "PremiumIO": "True",
        "AcceleratedNetworkingEnabled": "True",
        "EphemeralOSDiskSupported": "True",
        "RdmaEnabled": "True",
        "CapacityReservationSupported": "False",
        "HyperVGenerations": "V2",
        "OSVhdSizeMB": "1047552",
        "VMDeploymentTypes": "IaaS",
        "vCPUsAvailable": "96",
        "MaxResourceVolumeMB": "1048576",
        "CpuArchitectureType": "x64",
    }


def test_clients_read_the_list() -> None:
    azure = Azure()

    rows = list(azure.compute.resource_skus.list(filter="location eq 'eastus'"))

    assert SIZE in [row.name for row in rows if row.resource_type == "virtualMachines"]
    # Whoever reads the list has to look at the type: a name alone says little.
    assert {row.resource_type for row in rows} == {"virtualMachines", "disks", "availabilitySets"}


def test_clients_read_the_older_list_of_sizes() -> None:
    sizes = {row.name: row for row in Azure().compute.virtual_machine_sizes.list("eastus")}

    found = sizes[SIZE]
    assert (found.number_of_cores, found.memory_in_mb, found.max_data_disk_count) == (96, 1945600, 32)
    with pytest.raises(Exception, match="LocationNotAvailableForResourceType"):
        list(Azure().compute.virtual_machine_sizes.list("atlantis"))


def test_a_restricted_region_is_shown_and_refused() -> None:
    azure = azure_with_a_network()
    azure.set_world(restrictions=[{"location": "eastus", "size": SIZE}])

    answer = azure.put_scale_set("train", a_scale_set(nodes=1))

    assert row_of(azure)["restrictions"] == [
        {
            "type": "Location",
            "values": ["eastus"],
            "restrictionInfo": {"locations": ["eastus"]},
            "reasonCode": "NotAvailableForSubscription",
        }
    ]
    assert answer.status == 409
    assert answer.json()["error"] == {
        "code": "SkuNotAvailable",
        "message": "The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: "
        f"{SIZE}' is currently not available in location 'eastus'. Please try another size or deploy to a different "
        "location or different zone. See https://aka.ms/azureskunotavailable for details.",
        "target": "sku.name",
    }


def test_a_restriction_is_found_before_a_deployment_starts() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set("here", nodes=1)
    azure.set_world(restrictions=[{"location": "eastus", "size": SIZE}])
    kind = {"type": "Microsoft.Compute/virtualMachineScaleSets", "apiVersion": "2025-11-01"}
    path = f"{group_id()}/providers/Microsoft.Resources/deployments/d?api-version=2025-04-01"

    def deploy(name: str) -> Any:
        template = a_template({**kind, "name": name, **a_scale_set(nodes=1)})
        return azure.ask("PUT", path, {"properties": {"mode": "Incremental", "template": template}})

    refused = deploy("new")

    error = refused.json()["error"]
    assert (refused.status, error["code"]) == (400, "InvalidTemplateDeployment")
    assert [(each["code"], each["target"]) for each in error["details"]] == [("SkuNotAvailable", "sku.name")]
    assert deploy("here").status == 201


def test_a_restricted_zone_leaves_the_others() -> None:
    azure = azure_with_a_network()
    azure.set_world(restrictions=[{"location": "eastus", "size": SIZE, "zones": ["1", "3"], "reasonCode": "QuotaId"}])

    assert azure.put_scale_set("a", a_scale_set(nodes=1, zones=["1"])).status == 409
    assert azure.put_scale_set("b", a_scale_set(nodes=1, zones=["2"])).status == 201
    assert azure.put_scale_set("c", a_scale_set(nodes=1)).status == 201
    assert row_of(azure)["restrictions"][0]["restrictionInfo"] == {"locations": ["eastus"], "zones": ["1", "3"]}
