"""Names: what each type may be called, and in whose words it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    Azure,
    Json,
    a_file_system,
    a_scale_set,
    azure_with_a_network,
    group_id,
    identity_id,
    lustre_id,
    network_id,
    network_path,
    refusal,
    set_id,
)

PLAIN: Json = {"location": "eastus", "properties": {}}
SPACE: Json = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.9.0.0/16"]}}}
SUBNET: Json = {"properties": {"addressPrefix": "10.0.9.0/24"}}


@pytest.fixture(scope="module")
def azure() -> Azure:
    return azure_with_a_network()


def test_network_says_what_a_name_may_be(azure: Azure) -> None:
    found = refusal(azure.network.network_security_groups.begin_create_or_update, "rg", "-nsg", PLAIN)

    assert found == (
        400,
        "InvalidResourceName",
        "Resource name -nsg is invalid. The name can be up to 80 characters long. It must begin with a word character, "
        "and it must end with a word character or with '_'. The name may contain word characters or '.', '-', '_'.",
    )


@pytest.mark.parametrize(
    ("resource_id", "body"),
    [
        (network_id("networkSecurityGroups/nsg."), PLAIN),
        (network_id("networkSecurityGroups/n sg"), PLAIN),
        (network_id(f"networkSecurityGroups/{'n' * 81}"), PLAIN),
        (network_id(f"virtualNetworks/{'n' * 65}"), SPACE),
        (network_id("virtualNetworks/n"), SPACE),
        (network_id("virtualNetworks/net/subnets/a b"), SUBNET),
        (set_id("_train"), a_scale_set(nodes=1)),
        (set_id("train-"), a_scale_set(nodes=1)),
        (set_id("t" * 65), a_scale_set(nodes=1)),
        (lustre_id("s"), a_file_system()),
        (lustre_id("scratch_"), a_file_system()),
        (identity_id("id"), {"location": "eastus"}),
        (identity_id("-id"), {"location": "eastus"}),
    ],
)
def test_a_name_that_azure_would_not_take_is_refused(azure: Azure, resource_id: str, body: Any) -> None:
    answer = azure.put(resource_id.replace(" ", "%20"), body)

    assert (answer.status, answer.json()["error"]["code"]) == (400, "InvalidResourceName")


@pytest.mark.parametrize(
    ("resource_id", "body"),
    [
        (network_id("networkSecurityGroups/n"), PLAIN),
        (network_id(f"networkSecurityGroups/{'n' * 80}"), PLAIN),
        (network_id("networkSecurityGroups/n.s-g_"), PLAIN),
        (network_id(f"virtualNetworks/{'n' * 64}"), SPACE),
        (set_id("t" * 64), a_scale_set(nodes=1)),
        (identity_id("id1"), {"location": "eastus"}),
    ],
)
def test_a_name_at_its_limit_is_taken(azure: Azure, resource_id: str, body: Any) -> None:
    assert azure.put(resource_id, body).status == 201


def test_entries_of_lists_are_resources_with_names_of_their_own(azure: Azure) -> None:
    inline = {**SPACE["properties"], "subnets": [{"name": "a b", "properties": {"addressPrefix": "10.9.0.0/24"}}]}
    delegation = {"name": "a b", "properties": {"serviceName": "Microsoft.Web/serverFarms"}}

    network = azure.ask("PUT", network_path("virtualNetworks/other"), {"location": "eastus", "properties": inline})
    subnet = azure.ask(
        "PUT",
        network_path("virtualNetworks/net/subnets/new"),
        {"properties": {**SUBNET["properties"], "delegations": [delegation]}},
    )

    for answer in (network, subnet):
        assert answer.json()["error"]["message"].startswith("Resource name a b is invalid.")


def test_a_group_is_called_as_resource_manager_wants(azure: Azure) -> None:
    for name in ("g.", "g" * 91, "g%20g"):
        answer = azure.ask("PUT", f"{group_id(name)}?api-version=2025-04-01", {"location": "eastus"})
        assert answer.status == 400
