"""Resource providers and features: registered or not, and what that means for writes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.simulator.azure import (
    SUBSCRIPTION,
    VERSIONS,
    Azure,
    Json,
    a_scale_set,
    a_security_group,
    a_template,
    azure_with_a_network,
    group_id,
    refusal,
)

FEATURES = f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Features"


@pytest.fixture
def azure() -> Azure:
    return azure_with_a_network()


def unregister(azure: Azure, namespace: str = "Microsoft.Compute") -> None:
    azure.set_world(registrations={namespace: "NotRegistered"})


def state(azure: Azure, namespace: str = "Microsoft.Compute") -> str:
    return str(azure.resources.providers.get(namespace).registration_state)


def test_every_provider_is_registered_unless_the_tester_says_otherwise(azure: Azure) -> None:
    rows = {row.namespace: row.as_dict() for row in azure.resources.providers.list()}

    assert {row["registrationState"] for row in rows.values()} == {"Registered"}
    assert rows["Microsoft.Compute"]["registrationPolicy"] == "RegistrationRequired"
    assert rows["Microsoft.Resources"]["registrationPolicy"] == "RegistrationFree"
    kinds = rows["Microsoft.Compute"]["resourceTypes"]
    sets = next(each for each in kinds if each["resourceType"] == "virtualMachineScaleSets")
    assert VERSIONS["compute"] in sets["apiVersions"]
    assert "East US" in sets["locations"]
    assert azure.resources.providers.get_at_tenant_scope("Microsoft.Network").registration_state is None


def test_writes_to_an_unregistered_provider_are_refused_and_reads_are_not(azure: Azure) -> None:
    unregister(azure)

    found = azure.put_scale_set("train", a_scale_set(nodes=1))

    text = (
        "The subscription is not registered to use namespace 'Microsoft.Compute'. "
        "See https://aka.ms/rps-not-found for how to register subscriptions."
    )
    code = "MissingSubscriptionRegistration"
    detail = {"code": code, "target": "Microsoft.Compute", "message": text}
    assert (found.status, found.json()["error"]) == (409, {"code": code, "message": text, "details": [detail]})
    assert list(azure.compute.virtual_machine_scale_sets.list("rg")) == []
    assert azure.network.virtual_networks.get("rg", "net").name == "net"


def test_registering_takes_a_while(azure: Azure) -> None:
    unregister(azure)

    asked = azure.resources.providers.register("Microsoft.Compute").registration_state
    seen = [state(azure)]
    # Sent raw: Microsoft's clients answer this refusal by registering, and by sleeping for real meanwhile.
    still = azure.put_scale_set("train", a_scale_set(nodes=1)).json()["error"]["code"]
    azure.wait(120)
    seen.append(state(azure))

    assert (asked, seen, still) == ("Registering", ["Registering", "Registered"], "MissingSubscriptionRegistration")
    assert azure.make_scale_set(nodes=1).status == 201


def test_what_is_used_cannot_be_unregistered(azure: Azure) -> None:
    used = refusal(azure.resources.providers.unregister, "Microsoft.Network")
    free = azure.resources.providers.unregister("Microsoft.StorageCache").registration_state
    azure.wait(120)

    assert used[:2] == (409, "CannotUnregisterResourceProvider")
    assert (free, state(azure, "Microsoft.StorageCache")) == ("Unregistering", "NotRegistered")
    assert refusal(azure.resources.providers.register, "Microsoft.Nothing")[:2] == (404, "InvalidResourceNamespace")


def a_deployment(azure: Azure) -> Any:
    kind = "Microsoft.Compute/virtualMachineScaleSets"
    train = {"type": kind, "apiVersion": "2025-11-01", "name": "train", **a_scale_set(nodes=1)}
    body: Json = {"properties": {"mode": "Incremental", "template": a_template(train, a_security_group())}}
    path = f"{group_id()}/providers/Microsoft.Resources/deployments/first?api-version=2025-04-01"
    return azure.ask("PUT", path, body)


def test_a_deployment_registers_what_it_needs(azure: Azure) -> None:
    unregister(azure)

    a_deployment(azure)
    during = state(azure)
    azure.wait(600)

    shown = azure.deployments.deployments.get("rg", "first").as_dict()["properties"]
    assert (during, state(azure), shown["provisioningState"]) == ("Registering", "Registered", "Succeeded")


def test_a_deployment_by_whoever_may_not_register_is_refused(azure: Azure) -> None:
    unregister(azure)
    azure.set_world(settings={"permissions": [{"actions": ["*"], "notActions": ["*/register/action"]}]})

    found = a_deployment(azure)

    assert (found.status, found.json()["error"]["code"]) == (409, "MissingSubscriptionRegistration")
    assert state(azure) == "NotRegistered"


def test_features_are_registered_by_name(azure: Azure) -> None:
    azure.set_world(registrations={"Microsoft.Compute/Preview": "Registered"})
    path = f"{FEATURES}/providers/Microsoft.Compute/features/EncryptionAtHost"
    version = "?api-version=2021-07-01"

    before = azure.ask("GET", path + version).json()
    asked = azure.ask("POST", f"{path}/register{version}").json()["properties"]["state"]
    azure.wait(400)
    after = azure.ask("GET", path + version).json()["properties"]["state"]
    listed = {
        each["name"]: each["properties"]["state"]
        for each in azure.ask("GET", f"{FEATURES}/features{version}").json()["value"]
    }
    unknown = azure.ask("GET", f"{FEATURES}/providers/Microsoft.Compute/features/Odd{version}")

    assert before == {
        "properties": {"state": "NotRegistered"},
        "id": path,
        "type": "Microsoft.Features/providers/features",
        "name": "Microsoft.Compute/EncryptionAtHost",
    }
    assert (asked, after) == ("Registering", "Registered")
    assert listed["Microsoft.Compute/EncryptionAtHost"] == "Registered"
    assert listed["Microsoft.Compute/Preview"] == "Registered"
    assert (unknown.status, unknown.json()["error"]["code"]) == (404, "FeatureNotFound")


@pytest.mark.parametrize("registrations", [{"Microsoft.Compute": "odd"}, {"Microsoft.Resources": "NotRegistered"}, []])
def test_registrations_that_make_no_sense_are_refused(azure: Azure, registrations: Any) -> None:
    answer = azure.ask("PUT", "/_simulator/world", {"registrations": registrations})

    assert answer.status == 400
    assert azure.world["registrations"] == {}
