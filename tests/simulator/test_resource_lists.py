"""Lists of groups and of resources: filters, pages, and what they tell more."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import SUBSCRIPTION, Azure, azure_with_a_network, identity_id, refusal


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_group("other", "westus", team="ml")
    made.put(identity_id("who"), {"location": "eastus", "tags": {"Team": "ml", "cost": "A"}})
    made.put(identity_id("who", "other"), {"location": "westus", "tags": {"team": "ops"}})
    return made


def names(rows: Any) -> list[str]:
    return [f"{row.id.split('/')[4]}/{row.name}" for row in rows]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("tagName eq 'team'", ["other/who", "rg/who"]),
        ("tagName eq 'TEAM' and tagValue eq 'ml'", ["rg/who"]),
        ("tagName eq 'team' and tagValue eq 'ML'", []),
        ("startswith(tagName, 'co')", ["rg/who"]),
        ("resourceType eq 'microsoft.network/virtualnetworks'", ["rg/net"]),
        ("resourceType eq 'Microsoft.Network/virtualNetworks' or location eq 'West US'", ["other/who", "rg/net"]),
        ("resourceGroup eq 'OTHER'", ["other/who"]),
        ("name eq 'who' and location ne 'westus'", ["rg/who"]),
        ("substringof('et', name)", ["rg/net"]),
        ("name eq 'it''s'", []),
    ],
)
def test_resources_are_filtered(azure: Azure, wanted: str, found: list[str]) -> None:
    assert names(azure.resources.resources.list(filter=wanted)) == found


@pytest.mark.parametrize(
    "wanted", ["odd", "name is 'x'", "colour eq 'x'", "name eq x", "name eq 'x' and", "substringof('x')"]
)
def test_a_filter_that_is_none_is_refused(azure: Azure, wanted: str) -> None:
    found = refusal(list, azure.resources.resources.list(filter=wanted))

    assert found == (400, "InvalidFilterInQueryString", f"Invalid $filter '{wanted}' specified in the query string.")


def test_a_filter_by_a_tag_and_its_value_leaves_the_tags_out(azure: Azure) -> None:
    one = next(iter(azure.resources.resources.list(filter="tagName eq 'team' and tagValue eq 'ml'")))
    other = next(iter(azure.resources.resources.list_by_resource_group("rg", filter="tagName eq 'team'")))

    assert (one.tags, other.tags) == (None, {"Team": "ml", "cost": "A"})


def test_lists_can_be_cut(azure: Azure) -> None:
    path = f"/subscriptions/{SUBSCRIPTION}/resources?api-version=2025-04-01&$top=2"

    first = azure.ask("GET", path).json()
    second = azure.ask("GET", first["nextLink"]).json()

    assert [len(first["value"]), len(second["value"])] == [2, 1]
    assert "nextLink" not in second
    assert len(names(azure.resources.resources.list(top=1))) == 3


def test_times_and_states_are_told_on_demand(azure: Azure) -> None:
    azure.wait(100)
    azure.network.virtual_networks.update_tags("rg", "net", {"tags": {"a": "1"}})
    listed = azure.resources.resources.list_by_resource_group(
        "rg", filter="name eq 'net'", expand="createdTime,changedTime,provisioningState"
    )
    plain = azure.resources.resources.list_by_resource_group("rg", filter="name eq 'net'")

    row = next(iter(listed)).as_dict()
    assert row["provisioningState"] == "Succeeded"
    assert row["createdTime"] < "2026-12-01T00:01" < row["changedTime"]
    assert not {"createdTime", "changedTime", "provisioningState"} & set(next(iter(plain)).as_dict())


def test_groups_are_filtered_by_tag(azure: Azure) -> None:
    found = azure.resources.resource_groups.list(filter="tagName eq 'team' and tagValue eq 'ml'")

    assert [(row.name, row.tags) for row in found] == [("other", {"team": "ml"})]
