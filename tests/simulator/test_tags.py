"""The tags of a scope, as a resource of their own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    a_scale_set,
    azure_with_a_network,
    group_id,
    network_id,
    refusal,
    set_id,
)

HERE = f"/subscriptions/{SUBSCRIPTION}"
SCOPES = [HERE, group_id(), network_id("virtualNetworks/net"), set_id()]


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_scale_set(nodes=1)
    return made


def tags(**given: Any) -> Any:
    return {"properties": {"tags": given}}


@pytest.mark.parametrize("scope", SCOPES)
def test_tags_are_written_merged_taken_away_and_cleared(azure: Azure, scope: str) -> None:
    client = azure.resources.tags
    first = client.begin_create_or_update_at_scope(scope, tags(a="1", B="2")).result()
    read = client.get_at_scope(scope)
    merged = client.begin_update_at_scope(scope, {"operation": "Merge", **tags(b="3", c="4")}).result()
    less = client.begin_update_at_scope(scope, {"operation": "delete", **tags(a="1", c="other")}).result()
    replaced = client.begin_update_at_scope(scope, {"operation": "Replace", **tags(z="9")}).result()
    client.begin_delete_at_scope(scope).result()

    assert first.as_dict() == {
        "id": f"{scope}/providers/Microsoft.Resources/tags/default",
        "name": "default",
        "type": "Microsoft.Resources/tags",
        "properties": {"tags": {"a": "1", "B": "2"}},
    }
    assert read.as_dict() == first.as_dict()
    # Names compare without case, and are taken as they came last; a value has to be right to be taken away.
    assert merged.properties.tags == {"a": "1", "b": "3", "c": "4"}
    assert less.properties.tags == {"b": "3", "c": "4"}
    assert replaced.properties.tags == {"z": "9"}
    assert client.get_at_scope(scope).properties.tags == {}


def test_tags_are_those_that_the_resource_shows(azure: Azure) -> None:
    azure.resources.tags.begin_create_or_update_at_scope(set_id(), tags(a="1")).result()
    azure.resources.tags.begin_create_or_update_at_scope(group_id(), tags(b="2")).result()
    azure.resources.tags.begin_create_or_update_at_scope(HERE, tags(c="3")).result()

    subscription = azure.ask("GET", f"{HERE}?api-version=2022-12-01").json()
    assert azure.scale_set()["tags"] == {"a": "1"}
    assert azure.resources.resource_groups.get("rg").tags == {"b": "2"}
    assert subscription["tags"] == {"c": "3"}


def test_tags_have_limits_and_places(azure: Azure) -> None:
    begin = azure.resources.tags.begin_create_or_update_at_scope

    assert refusal(begin, group_id(), tags(**{f"t{n}": "x" for n in range(51)}))[1] == "InvalidTagsCount"
    assert refusal(begin, group_id(), tags(a="x" * 257))[1] == "InvalidTagValueLength"
    assert refusal(begin, network_id("virtualNetworks/net/subnets/nodes"), tags(a="1"))[1] == "TagsNotSupported"
    assert refusal(begin, network_id("virtualNetworks/no"), tags(a="1"))[1] == "ResourceNotFound"
    assert (
        refusal(azure.resources.tags.begin_update_at_scope, group_id(), {"operation": "Add", **tags(a="1")})[0] == 400
    )


def test_tagging_a_scale_set_leaves_its_nodes_alone(azure: Azure) -> None:
    azure.resources.tags.begin_create_or_update_at_scope(set_id(), tags(a="1")).result()

    assert [node["properties"]["latestModelApplied"] for node in azure.nodes()] == [True]
    assert azure.put_scale_set("train", a_scale_set(nodes=1, tags={"b": "2"})).json()["tags"] == {"b": "2"}
