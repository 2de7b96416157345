"""Extensions of a scale set as resources of their own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, a_stack, a_template, azure_with_a_network, group_id, path_of, refusal, set_id


@pytest.fixture
def azure() -> Azure:
    made = azure_with_a_network()
    made.make_scale_set(nodes=2)
    return made


def an_extension(kind: str = "CustomScript", **properties: Any) -> Any:
    stated = {"publisher": "Microsoft.Azure.Extensions", "type": kind, "typeHandlerVersion": "2.1"}
    return {"properties": {**stated, **properties}}


def put(azure: Azure, name: str = "setup", body: Any = None) -> Any:
    begin = azure.compute.virtual_machine_scale_set_extensions.begin_create_or_update
    started = azure.start(begin, "rg", "train", name, body or an_extension())
    azure.wait(60)
    return started


def names(azure: Azure) -> list[str]:
    profile = azure.scale_set()["properties"]["virtualMachineProfile"].get("extensionProfile", {})
    return [each["name"] for each in profile.get("extensions", [])]


def test_an_extension_becomes_part_of_the_model_and_of_upgraded_nodes(azure: Azure) -> None:
    started = put(azure, body=an_extension(settings={"a": 1}, protectedSettings={"secret": "x"}))
    behind = [node["properties"]["latestModelApplied"] for node in azure.nodes()]
    upgrade = {"instanceIds": ["0"]}
    azure.start(azure.compute.virtual_machine_scale_sets.begin_update_instances, "rg", "train", upgrade)
    azure.wait(300)
    found = azure.compute.virtual_machine_scale_set_extensions.get("rg", "train", "setup")

    assert (started.status, azure.status_of(started)) == (201, "Succeeded")
    assert (names(azure), behind) == (["setup"], [False, False])
    assert (found.id, found.type_handler_version) == (f"{set_id()}/extensions/setup", "2.1")
    assert (found.settings, found.protected_settings, found.provisioning_state) == ({"a": 1}, None, "Succeeded")
    views = [node["properties"]["instanceView"] for node in azure.nodes()]
    assert [[each["name"] for each in view.get("extensions", [])] for view in views] == [["setup"], []]


def test_extensions_are_listed_patched_replaced_and_deleted(azure: Azure) -> None:
    extensions = azure.compute.virtual_machine_scale_set_extensions
    put(azure, "setup", an_extension(settings={"a": 1}))
    put(azure, "other", an_extension("Other"))

    change: Any = {"properties": {"forceUpdateTag": "2"}}
    patched = azure.start(extensions.begin_update, "rg", "train", "setup", change)
    azure.wait(60)
    after = extensions.get("rg", "train", "setup")
    replaced = put(azure, "setup", an_extension(settings={"b": 2}))
    again = extensions.get("rg", "train", "setup")
    deleted = azure.start(extensions.begin_delete, "rg", "train", "other")
    azure.wait(60)

    assert (patched.status, after.force_update_tag, after.settings) == (200, "2", {"a": 1})
    assert (replaced.status, again.force_update_tag, again.settings) == (200, None, {"b": 2})
    assert (deleted.status, [row.name for row in extensions.list("rg", "train")]) == (202, ["setup"])
    assert azure.start(extensions.begin_delete, "rg", "train", "other").status == 204
    assert refusal(extensions.get, "rg", "train", "other")[:2] == (404, "NotFound")
    assert refusal(extensions.begin_update, "rg", "train", "other", change)[0] == 404


def test_a_secret_that_changes_is_a_change_of_the_model(azure: Azure) -> None:
    put(azure, body=an_extension(protectedSettings={"secret": "x"}))
    upgrade = {"instanceIds": ["*"]}
    azure.start(azure.compute.virtual_machine_scale_sets.begin_update_instances, "rg", "train", upgrade)
    azure.wait(300)

    put(azure, body=an_extension(protectedSettings={"secret": "x"}))
    same = all(node["properties"]["latestModelApplied"] for node in azure.nodes())
    put(azure, body=an_extension(protectedSettings={"secret": "y"}))
    other = any(node["properties"]["latestModelApplied"] for node in azure.nodes())

    assert (same, other) == (True, False)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "InvalidParameter"),
        ({"properties": {"colour": 1}}, "BadRequest"),
        (an_extension(provisionAfterExtensions=["nobody"]), "InvalidParameter"),
    ],
)
def test_an_extension_that_cannot_be_is_refused(azure: Azure, body: Any, code: str) -> None:
    answer = azure.ask("PUT", path_of("virtualMachineScaleSets/train/extensions/setup"), body)

    assert (answer.status, answer.json()["error"]["code"]) == (400, code)
    assert names(azure) == []


def test_two_of_a_handler_and_a_set_that_is_not_there_are_refused(azure: Azure) -> None:
    put(azure)
    begin = azure.compute.virtual_machine_scale_set_extensions.begin_create_or_update

    assert "Multiple VMExtensions per handler" in refusal(begin, "rg", "train", "again", an_extension())[2]
    assert refusal(begin, "rg", "none", "setup", an_extension())[:2] == (404, "ParentResourceNotFound")


def test_a_template_can_bring_an_extension(azure: Azure) -> None:
    kind = "Microsoft.Compute/virtualMachineScaleSets/extensions"
    resource = {"type": kind, "apiVersion": "2025-11-01", "name": "train/setup", **an_extension()}
    body = {"properties": {"mode": "Incremental", "template": a_template(resource)}}
    path = f"{group_id()}/providers/Microsoft.Resources/deployments/d?api-version=2025-04-01"

    azure.ask("PUT", path, body)
    azure.wait(120)

    assert azure.ask("GET", path).json()["properties"]["provisioningState"] == "Succeeded"
    assert names(azure) == ["setup"]


def test_a_stack_takes_an_extension_away_that_its_template_no_longer_has(azure: Azure) -> None:
    kind = "Microsoft.Compute/virtualMachineScaleSets/extensions"
    resource = {"type": kind, "apiVersion": "2025-11-01", "name": "train/setup", **an_extension()}
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
    azure.ask("PUT", path, a_stack(resource, unmanaged="delete"))
    azure.wait(300)
    there = names(azure)

    azure.ask("PUT", path, a_stack(unmanaged="delete"))
    azure.wait(300)

    assert (there, names(azure)) == (["setup"], [])
    assert azure.ask("GET", path).json()["properties"]["provisioningState"] == "succeeded"


def test_a_world_states_extensions_inside_their_set(azure: Azure) -> None:
    answer = azure.ask("PUT", "/_simulator/world", {"resources": [{"id": f"{set_id()}/extensions/setup"}]})

    assert (answer.status, "part of its scale set" in answer.json()["error"]) == (400, True)
