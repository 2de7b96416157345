"""Types of which nothing is simulated but that they exist."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import Azure, Json, a_stack, group_id

ACCOUNT = f"{group_id()}/providers/Microsoft.NetApp/netAppAccounts/homes"
POOL = f"{ACCOUNT}/capacityPools/fast"
SHELF = f"{group_id()}/providers/Contoso.Storage/shelves/a"
VERSION = "api-version=2025-06-01"


@pytest.fixture
def azure() -> Azure:
    azure = Azure()
    azure.make_group()
    return azure


def put(azure: Azure, id: str, body: Any) -> int:
    answer = azure.ask("PUT", f"{id}?{VERSION}", body)
    azure.wait(600)
    return answer.status


def code_of(azure: Azure, method: str, path: str, body: Any = None) -> tuple[int, str]:
    answer = azure.ask(method, path, body)
    return answer.status, answer.json()["error"]["code"]


def an_account(**parts: Any) -> Json:
    return {"location": "East US", "tags": {"a": "b"}, "properties": {"anything": [1, {"at": "all"}]}, **parts}


def test_what_is_sent_is_what_is_shown(azure: Azure) -> None:
    assert put(azure, ACCOUNT, an_account(sku={"name": "S"}, zones=["1"])) == 201
    assert put(azure, ACCOUNT, an_account(properties={"other": None, "one": 1})) == 200

    assert azure.ask("GET", f"{ACCOUNT.lower()}?{VERSION}").json() == {
        "id": ACCOUNT,
        "name": "homes",
        "type": "Microsoft.NetApp/netAppAccounts",
        "location": "eastus",
        "tags": {"a": "b"},
        "properties": {"one": 1, "provisioningState": "Succeeded"},
    }


def test_a_write_takes_its_time_and_can_be_polled(azure: Azure) -> None:
    answer = azure.ask("PUT", f"{ACCOUNT}?{VERSION}", an_account())
    poll = answer.headers["Azure-AsyncOperation"]
    states = [azure.ask("GET", poll).json()["status"]]
    busy = code_of(azure, "PUT", f"{ACCOUNT}?{VERSION}", an_account())
    shown = azure.ask("GET", f"{ACCOUNT}?{VERSION}").json()["properties"]["provisioningState"]
    azure.wait(15)
    states.append(azure.ask("GET", poll).json()["status"])

    assert (answer.status, states, shown) == (201, ["InProgress", "Succeeded"], "Creating")
    assert busy == (409, "Conflict")


def test_some_are_there_and_gone_at_once(azure: Azure) -> None:
    vault = f"{group_id()}/providers/Microsoft.KeyVault/vaults/keys"

    made = azure.ask("PUT", f"{vault}?{VERSION}", an_account())
    deleted = [azure.ask("DELETE", f"{vault}?{VERSION}").status for _ in range(2)]

    assert made.json()["properties"]["provisioningState"] == "Succeeded"
    assert deleted == [200, 204]


def test_a_child_needs_its_parent_and_a_parent_goes_last(azure: Azure) -> None:
    early = code_of(azure, "PUT", f"{POOL}?{VERSION}", {"properties": {}})
    put(azure, ACCOUNT, an_account())
    put(azure, POOL, {"properties": {}})
    held = code_of(azure, "DELETE", f"{ACCOUNT}?{VERSION}")
    azure.ask("DELETE", f"{POOL}?{VERSION}")
    azure.wait(60)
    gone = azure.ask("DELETE", f"{ACCOUNT}?{VERSION}")
    azure.wait(60)

    assert (early, held, gone.status) == ((404, "ParentResourceNotFound"), (409, "CannotDeleteResource"), 202)
    assert azure.world["resources"] == []


def test_they_are_listed_and_a_child_with_a_place_of_its_own_beside_its_parent(azure: Azure) -> None:
    put(azure, ACCOUNT, an_account())
    put(azure, POOL, {"location": "eastus", "properties": {}})
    put(azure, f"{ACCOUNT}/capacityPools/slow", {"properties": {}})

    def names(path: str, version: str = VERSION) -> list[str]:
        return [row["name"] for row in azure.ask("GET", f"{path}?{version}").json()["value"]]

    assert names(ACCOUNT.rpartition("/")[0]) == ["homes"]
    assert names(POOL.rpartition("/")[0]) == ["fast", "slow"]
    assert names(f"{group_id()}/resources", "api-version=2025-04-01") == ["homes", "fast"]


def test_their_tags_can_be_patched_and_nothing_else(azure: Azure) -> None:
    put(azure, ACCOUNT, an_account())

    assert azure.ask("PATCH", f"{ACCOUNT}?{VERSION}", {"tags": {"c": "d"}}).json()["tags"] == {"c": "d"}
    assert code_of(azure, "PATCH", f"{ACCOUNT}?{VERSION}", {"properties": {}})[0] == 400


@pytest.mark.parametrize(
    ("method", "path", "body", "refusal"),
    [
        ("GET", f"{ACCOUNT}?{VERSION}", None, (404, "ResourceNotFound")),
        ("GET", f"{POOL}?{VERSION}", None, (404, "ResourceNotFound")),
        ("GET", ACCOUNT, None, (400, "MissingApiVersionParameter")),
        ("GET", f"{ACCOUNT}?api-version=newest", None, (404, "InvalidResourceType")),
        ("POST", f"{ACCOUNT}?{VERSION}", None, (405, "MethodNotAllowed")),
        ("PUT", f"{ACCOUNT}?{VERSION}", [], (400, "InvalidRequestContent")),
        ("PUT", f"{ACCOUNT}?{VERSION}", {"location": "moon"}, (400, "LocationNotAvailableForResourceType")),
        ("PUT", f"{ACCOUNT}?{VERSION}", {"tags": {"a": []}}, (400, "InvalidRequestContent")),
        ("PUT", f"{ACCOUNT.replace('/rg/', '/no/')}?{VERSION}", {}, (404, "ResourceGroupNotFound")),
        ("GET", f"{ACCOUNT}/snapshots/a?{VERSION}", None, (404, "InvalidResourceType")),
        ("PUT", f"{SHELF}?{VERSION}", {}, (404, "InvalidResourceNamespace")),
    ],
)
def test_what_cannot_be_is_refused_as_azure_refuses_it(
    azure: Azure, method: str, path: str, body: Any, refusal: tuple[int, str]
) -> None:
    assert code_of(azure, method, path, body) == refusal


def test_a_tester_adds_types_that_are_stored_too(azure: Azure) -> None:
    added = azure.ask(
        "POST", "/_simulator/types", {"store": ["Microsoft.NetApp/netAppAccounts", "Contoso.Storage/shelves"]}
    )
    again = azure.ask("POST", "/_simulator/types", {"store": ["contoso.storage/shelves"]})

    assert (added.json(), again.json()) == (
        {"stored": ["Contoso.Storage/shelves"]},
        {"stored": ["contoso.storage/shelves"]},
    )
    assert azure.world["settings"] == {"plainTypes": ["Contoso.Storage/shelves"]}
    assert put(azure, SHELF, {}) == 201
    assert code_of(azure, "GET", f"{SHELF}/boxes/b?{VERSION}") == (404, "InvalidResourceType")
    assert (
        azure.ask(
            "GET", f"/subscriptions/{SHELF.split('/')[2]}/providers/Contoso.Storage?api-version=2025-04-01"
        ).status
        == 200
    )


@pytest.mark.parametrize("types", ["Contoso.Storage/shelves", ["shelves"], [1], None])
def test_what_is_no_list_of_types_is_refused_and_changes_nothing(azure: Azure, types: Any) -> None:
    added = azure.ask("POST", "/_simulator/types", {"store": types})
    set_up = azure.ask("PUT", "/_simulator/world", {"settings": {"plainTypes": types}})

    assert (added.status, set_up.status, azure.world["settings"]) == (400, 400, {})


def test_a_template_deploys_them_after_what_they_depend_on(azure: Azure) -> None:
    def resource(id: str, *needs: str, **parts: Any) -> Json:
        rest = id.partition("/providers/")[2].split("/")
        kind, name = "/".join([rest[0], *rest[1::2]]), "/".join(rest[2::2])
        return {"type": kind, "apiVersion": "2025-06-01", "name": name, "dependsOn": [*needs], **parts}

    stack = a_stack(resource(POOL, ACCOUNT, properties={"size": 1}), resource(ACCOUNT, location="eastus"))
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
    azure.ask("PUT", path, stack)
    azure.wait(900)

    assert azure.ask("GET", path).json()["properties"]["provisioningState"] == "succeeded"
    assert [row["name"] for row in azure.world["resources"]] == ["homes", "fast"]


def test_a_world_with_them_can_be_put_as_it_was_read(azure: Azure) -> None:
    put(azure, ACCOUNT, an_account())
    put(azure, POOL, {"properties": {"size": 1}})
    world = azure.world

    azure.set_world(resources=[])
    azure.set_world(resources=world["resources"][::-1])

    assert azure.world["resources"] == world["resources"]
