"""What a pool may have besides nodes, applied to the simulated Azure and taken away again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.azure import ENDPOINT, Azure
from tests.support.topologies import SUBSCRIPTION
from tests.support.worlds import QUICK

SHARED = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shared"
IDENTITY = f"{SHARED}/providers/Microsoft.ManagedIdentity/userAssignedIdentities"
HEALTHY = "{publisher: Microsoft.Azure.Monitor, type: AzureMonitorLinuxAgent, version: '1.29', after: [health]}"
ALL = f"""\
    identities: [{IDENTITY}/train, {IDENTITY}/data]
    data_disks: [{{size_gib: 64}}, {{size_gib: 128, kind: standard}}]
    public_ip: true
    upgrade: rolling
    extensions: {{monitor: {HEALTHY}}}
"""
LESS = f"""\
    identities: [{IDENTITY}/data]
    data_disks: [{{size_gib: 64}}]
    upgrade: rolling
"""


@pytest.fixture
def azure() -> Azure:
    """Return an Azure that has two identities of others."""
    azure = Azure()
    group = {"id": SHARED, "name": "shared", "location": "southcentralus", "properties": {}}
    identities: list[dict[str, Any]] = [
        {
            "id": f"{IDENTITY}/{name}",
            "name": name,
            "type": "Microsoft.ManagedIdentity/userAssignedIdentities",
            "location": "southcentralus",
            "properties": {},
        }
        for name in ("train", "data")
    ]
    azure.control("PUT", "world", {"resourceGroups": [group], "resources": identities})
    return azure


def asked_for(azure: Azure) -> dict[str, Any]:
    """Return what of the scale set a pool asks for beside its nodes."""
    world = azure.control("GET", "world")["resources"]
    (found,) = (row for row in world if row["id"].endswith("/quick-train-0"))
    profile = found["properties"]["virtualMachineProfile"]
    (interface,) = profile["networkProfile"]["networkInterfaceConfigurations"]
    (address,) = interface["properties"]["ipConfigurations"]
    identity = found.get("identity") or {}
    return {
        "identities": [id.rpartition("/")[2] for id in identity.get("userAssignedIdentities") or {}],
        "disks": [disk["diskSizeGB"] for disk in profile["storageProfile"].get("dataDisks") or []],
        "public": "publicIPAddressConfiguration" in address["properties"],
        "extensions": [each["name"] for each in (profile.get("extensionProfile") or {}).get("extensions") or []],
    }


EVERYTHING = {
    "identities": ["data", "train"],
    "disks": [64, 128],
    "public": True,
    "extensions": ["health", "monitor"],
}
STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    (ALL, EVERYTHING),
    (LESS, {"identities": ["data"], "disks": [64], "public": False, "extensions": ["health"]}),
    ("", {"identities": [], "disks": [], "public": False, "extensions": []}),
    (ALL, EVERYTHING),
)


def test_what_a_pool_may_have_comes_goes_in_part_and_goes(azure: Azure) -> None:
    for more, expected in STEPS:
        run = azure.apply(QUICK + more)

        assert run.named("operation-failed") == []
        assert asked_for(azure) == expected
        assert azure.plan(QUICK + more).changes == ()


def test_a_login_pool_of_a_size_without_a_price_can_be_had_everywhere(azure: Azure) -> None:
    text = QUICK.replace("Standard_ND96isr_H100_v5", "Standard_D8s_v5").replace("southcentralus: {", "norwaywest: {")
    text = text.replace('{zone: "1"}', "{}")

    plan = azure.plan(text)

    assert azure.carry_out(plan).named("operation-failed") == []
    assert azure.plan(text).changes == ()


def test_an_identity_that_others_gave_the_nodes_outlives_ours(azure: Azure) -> None:
    azure.apply(QUICK + LESS)
    id = next(row["id"] for row in azure.control("GET", "world")["resources"] if row["id"].endswith("/quick-train-0"))
    answer = azure.simulator.handle(
        "PATCH",
        f"{ENDPOINT}{id}?api-version=2025-04-01",
        {"Authorization": "Bearer somebody"},
        b'{"identity": {"type": "SystemAssigned, UserAssigned"}}',
    )
    assert answer.status in (200, 202)
    azure.wait(600)
    assert azure.plan(QUICK + LESS).changes == ()

    azure.apply(QUICK)

    (found,) = (row for row in azure.control("GET", "world")["resources"] if row["id"] == id)
    assert found["identity"]["type"] == "SystemAssigned"
    assert azure.plan(QUICK).changes == ()
