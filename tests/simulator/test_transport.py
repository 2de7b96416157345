"""The transport under Microsoft's own clients, pollers included."""

from __future__ import annotations

import pytest
from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.core.rest import HttpRequest
from azure.mgmt.compute.models import VirtualMachineScaleSet

from tests.simulator.azure import SUBSCRIPTION, a_scale_set, azure_with_a_network


def test_stock_pollers_come_to_their_end_without_waiting() -> None:
    azure = azure_with_a_network()
    before = azure.simulator.now

    made = azure.compute.virtual_machine_scale_sets.begin_create_or_update(
        "rg", "train", VirtualMachineScaleSet(a_scale_set(nodes=2))
    ).result()
    azure.compute.virtual_machine_scale_sets.begin_delete("rg", "train").result()

    assert made.as_dict()["properties"]["provisioningState"] == "Succeeded"
    assert azure.simulator.now - before == 360


def test_a_failed_operation_raises_in_the_poller() -> None:
    azure = azure_with_a_network()
    fault = {"match": {"url": "/train$"}, "effect": "fail-operation", "code": "AllocationFailed", "message": "full"}
    azure.ask("POST", "/_simulator/faults", fault)
    poller = azure.compute.virtual_machine_scale_sets.begin_create_or_update(
        "rg", "train", VirtualMachineScaleSet(a_scale_set(nodes=2))
    )

    with pytest.raises(HttpResponseError, match="AllocationFailed"):
        poller.result()


def test_raw_requests_go_the_same_way() -> None:
    azure = azure_with_a_network()
    url = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg?api-version=2025-04-01"

    response = azure.resources.send_request(HttpRequest("GET", f"https://management.azure.com{url}"))

    assert (response.status_code, response.json()["name"]) == (200, "rg")


def test_an_absent_resource_raises_what_clients_raise() -> None:
    azure = azure_with_a_network()

    with pytest.raises(ResourceNotFoundError) as found:
        azure.compute.virtual_machine_scale_sets.get("rg", "none")

    assert found.value.error is not None
    assert found.value.error.code == "ResourceNotFound"
