"""User-assigned identities, and who may use them."""

from __future__ import annotations

import pytest

from tests.simulator.azure import Azure, a_file_system, a_scale_set, azure_with_a_network, identity_id, lustre_id

VERSION = "2024-11-30"


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def using(*ids: str) -> dict[str, object]:
    return {"type": "UserAssigned", "userAssignedIdentities": {each: {} for each in ids}}


def test_an_identity_exists_at_once_and_has_its_ids(azure: Azure) -> None:
    begin = azure.resources.resources.begin_create_or_update_by_id
    made = begin(identity_id(), {"location": "eastus"}, api_version=VERSION)
    found = azure.get(identity_id())

    assert made.result().name == "train"
    assert found == {
        "id": identity_id(),
        "name": "train",
        "type": "Microsoft.ManagedIdentity/userAssignedIdentities",
        "location": "eastus",
        "tags": {},
        "properties": {key: found["properties"][key] for key in ("tenantId", "principalId", "clientId")},
    }
    assert len(set(found["properties"].values())) == 3


def test_an_identity_made_again_is_another_one(azure: Azure) -> None:
    azure.make_identity()
    first = azure.get(identity_id())["properties"]

    again = azure.put(identity_id(), {"location": "eastus", "tags": {"a": "b"}})
    kept = azure.get(identity_id())["properties"]
    path = f"{identity_id()}?api-version={VERSION}"
    deleted = [azure.ask("DELETE", path).status for _ in range(2)]
    azure.make_identity()

    assert (again.status, kept, deleted) == (200, first, [200, 204])
    assert azure.get(identity_id())["properties"]["principalId"] != first["principalId"]


def test_identities_are_listed(azure: Azure) -> None:
    azure.make_identity("two")
    azure.make_identity("one")
    path = identity_id().rpartition("/")[0]

    found = azure.ask("GET", f"{path}?api-version={VERSION}").json()["value"]

    assert [row["name"] for row in found] == ["one", "two"]


def test_a_scale_set_with_an_identity_that_does_not_exist_is_refused(azure: Azure) -> None:
    answer = azure.put_scale_set("train", a_scale_set(nodes=1, identity=using(identity_id("no"))))

    resource = azure.world["resources"]
    assert (answer.status, answer.json()["error"]["code"]) == (400, "FailedIdentityOperation")
    assert answer.json()["error"]["message"].endswith(
        "failed with error 'Failed to perform resource identity operation. Status: 'BadRequest'. Response: "
        f'\'{{"error":{{"code":"BadRequest","message":"Resource \'{identity_id("no")}\' was not found."}}}}\'.\'.'
    )
    assert all("virtualMachineScaleSets" not in row["id"] for row in resource)


def test_a_scale_set_shows_the_ids_of_its_identities(azure: Azure) -> None:
    azure.make_identity()
    own = azure.get(identity_id())["properties"]

    azure.make_scale_set(nodes=1, identity=using(identity_id().upper()))

    shown = azure.scale_set()["identity"]["userAssignedIdentities"]
    assert shown == {identity_id().upper(): {key: own[key] for key in ("principalId", "clientId")}}


def test_an_identity_may_go_away_under_its_users(azure: Azure) -> None:
    azure.make_identity()
    azure.make_scale_set(nodes=1, identity=using(identity_id()))
    azure.ask("DELETE", f"{identity_id()}?api-version={VERSION}")

    answer = azure.put_scale_set("train", azure.scale_set())

    assert answer.status == 200
    assert azure.scale_set()["identity"]["userAssignedIdentities"] == {identity_id(): {}}


def test_an_identity_is_taken_away_by_null(azure: Azure) -> None:
    for name in ("one", "two"):
        azure.make_identity(name)
    azure.make_scale_set(nodes=1, identity=using(identity_id("one"), identity_id("two")))

    less = {"type": "UserAssigned", "userAssignedIdentities": {identity_id("one"): None}}
    azure.put_scale_set("train", {"location": "eastus", "identity": less})

    assert list(azure.scale_set()["identity"]["userAssignedIdentities"]) == [identity_id("two")]


def test_an_identity_with_ids_that_are_not_its_own_is_refused(azure: Azure) -> None:
    azure.make_identity()
    stated = {"type": "UserAssigned", "userAssignedIdentities": {identity_id(): {"clientId": "other"}}}

    answer = azure.put_scale_set("train", a_scale_set(nodes=1, identity=stated))

    assert (answer.status, answer.json()["error"]["code"]) == (400, "InvalidIdentityValues")


def test_a_file_system_may_use_one(azure: Azure) -> None:
    refused = azure.put(lustre_id(), a_file_system(identity=using(identity_id())))
    azure.make_identity()
    taken = azure.put(lustre_id(), a_file_system(identity=using(identity_id())))

    shown = azure.get(lustre_id())["identity"]["userAssignedIdentities"][identity_id()]
    assert (refused.status, taken.status, sorted(shown)) == (400, 201, ["clientId", "principalId"])
