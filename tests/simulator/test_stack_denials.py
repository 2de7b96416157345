"""Deny settings of stacks: what they keep others from doing, as the API's own answers show it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, a_security_group, a_stack, group_id, network_id

STACK = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit"
PATH = f"{STACK}?api-version=2025-07-01"


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def denying(mode: str, *resources: Any, **settings: Any) -> Any:
    body = a_stack(*resources)
    body["properties"]["denySettings"] = {"mode": mode, **settings}
    return body


def guard(azure: Azure, mode: str, **settings: Any) -> None:
    azure.ask("PUT", PATH, denying(mode, a_security_group(), **settings))
    azure.wait(60)


NSG = f"{network_id('networkSecurityGroups/nsg')}?api-version=2025-05-01"
BODY = {"location": "eastus", "properties": {}}


@pytest.mark.parametrize(
    ("mode", "written", "deleted"),
    [("none", 200, 202), ("denyDelete", 200, 403), ("DenyWriteAndDelete", 403, 403)],
)
def test_deny_settings_keep_others_from_what_a_stack_manages(
    azure: Azure, mode: str, written: int, deleted: int
) -> None:
    guard(azure, mode)

    write = azure.ask("PUT", NSG, BODY)
    azure.wait(10)
    delete = azure.ask("DELETE", NSG)

    assert (write.status, delete.status) == (written, deleted)
    shown = azure.ask("GET", PATH).json()["properties"]
    status = {each["denyStatus"].lower() for each in shown["resources"]}
    assert status == {mode.lower()}
    assert azure.ask("PUT", NSG.replace("/nsg?", "/other?"), BODY).status == 201


def test_a_denial_names_the_stack(azure: Azure) -> None:
    guard(azure, "denyDelete")

    error = azure.ask("DELETE", NSG).json()["error"]

    here = network_id("networkSecurityGroups/nsg")
    assert error["code"] == "DenyAssignmentAuthorizationFailed"
    assert (
        f"has permission to perform action 'Microsoft.Network/networkSecurityGroups/delete' on scope '{here}'"
        in error["message"]
    )
    assert (
        "however, the access is denied because of the deny assignment with name 'Deny assignment '" in error["message"]
    )
    assert f"created by Deployment Stack '{STACK}'.' and Id '" in error["message"]


def test_a_stack_is_not_kept_from_its_own_work(azure: Azure) -> None:
    guard(azure, "denyWriteAndDelete")

    changed = denying("denyWriteAndDelete", a_security_group(tags={"a": "1"}))
    changed["properties"]["actionOnUnmanage"]["resources"] = "delete"
    azure.ask("PUT", PATH, changed)
    azure.wait(60)
    tags = azure.network.network_security_groups.get("rg", "nsg").tags
    changed["properties"]["template"]["resources"] = []
    azure.ask("PUT", PATH, changed)
    azure.wait(60)

    assert (tags, azure.world["resources"]) == ({"a": "1"}, [])


def test_another_deployment_is_kept_out(azure: Azure) -> None:
    guard(azure, "denyWriteAndDelete")
    body = {"properties": {"mode": "Incremental", "template": a_stack(a_security_group())["properties"]["template"]}}

    azure.start(azure.deployments.deployments.begin_create_or_update, "rg", "first", body)
    azure.wait(60)

    error = azure.deployments.deployments.get("rg", "first").as_dict()["properties"]["error"]
    assert error["details"][0]["code"] == "DenyAssignmentAuthorizationFailed"


def test_actions_principals_tags_and_whole_groups_are_let_through(azure: Azure) -> None:
    oid = token_principal(azure)
    guard(azure, "denyWriteAndDelete", excludedActions=["Microsoft.Network/networkSecurityGroups/write"])
    by_action = azure.ask("PUT", NSG, BODY).status
    guard(azure, "denyWriteAndDelete", excludedPrincipals=[oid])
    by_principal = azure.ask("DELETE", NSG).status
    azure.wait(60)
    guard(azure, "denyWriteAndDelete")
    tags = azure.ask(
        "PUT",
        f"{NSG.partition('?')[0]}/providers/Microsoft.Resources/tags/default?api-version=2025-04-01",
        {"properties": {"tags": {"a": "1"}}},
    )
    group = azure.ask("DELETE", f"{group_id()}?api-version=2025-04-01")

    assert (by_action, by_principal, tags.status, group.status) == (200, 202, 200, 202)


def token_principal(azure: Azure) -> str:
    """Return the object id of whoever sends the raw requests, as a refusal names it."""
    azure.set_world(settings={"permissions": []})
    message: str = azure.ask("GET", f"{group_id()}?api-version=2025-04-01").json()["error"]["message"]
    azure.set_world(settings={})
    return message.partition("with object id '")[2].partition("'")[0]


@pytest.mark.parametrize(("applies", "status"), [(False, 201), (True, 403)])
def test_what_is_below_is_protected_on_demand(azure: Azure, applies: bool, status: int) -> None:
    properties = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}
    kind = "Microsoft.Network/virtualNetworks"
    net = {"type": kind, "apiVersion": "2025-05-01", "name": "net", "location": "eastus", "properties": properties}
    azure.ask("PUT", PATH, denying("denyWriteAndDelete", net, applyToChildScopes=applies))
    azure.wait(60)
    path = f"{network_id('virtualNetworks/net/subnets/new')}?api-version=2025-05-01"

    assert azure.ask("PUT", path, {"properties": {"addressPrefix": "10.0.1.0/24"}}).status == status


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mode": "odd"}, "odd"),
        ({"mode": "none", "excludedPrincipals": ["x"] * 6}, "There are more than 5 excludedPrincipals."),
        ({"mode": "none", "excludedActions": ["x"] * 201}, "There are more than 200 excludedActions."),
    ],
)
def test_deny_settings_have_limits(azure: Azure, settings: Any, words: str) -> None:
    body = a_stack()
    body["properties"]["denySettings"] = settings

    answer = azure.ask("PUT", PATH, body)

    assert (answer.status, words in answer.json()["error"]["message"]) == (400, True)
