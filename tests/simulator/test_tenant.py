"""What a client asks before it knows of a subscription: enough for `az` and for managed identities to log in."""

from __future__ import annotations

import time
from typing import Any

import pytest
from azure.mgmt.resource.resources import ResourceManagementClient

from provision.simulator import Simulator
from provision.simulator.state.tokens import TENANT
from provision.simulator.transport import SimulatedCredential, SimulatorTransport
from tests.simulator.azure import HOST, SUBSCRIPTION, Azure, group_id, refusal

OTHER = "00000000-0000-0000-0000-00000000000b"
SUBSCRIPTIONS = "/subscriptions?api-version=2022-12-01"


def listed(azure: Azure) -> list[str]:
    return [row["subscriptionId"] for row in azure.listed(SUBSCRIPTIONS)]


def test_subscriptions_are_those_with_groups_or_one() -> None:
    azure = Azure()
    empty = listed(azure)
    azure.ask("PUT", f"/subscriptions/{OTHER}/resourceGroups/rg?api-version=2025-04-01", {"location": "eastus"})

    assert (empty, listed(azure)) == ([SUBSCRIPTION], [OTHER])
    shown = azure.ask("GET", f"/subscriptions/{OTHER}?api-version=2022-12-01").json()
    assert (shown["tenantId"], shown["state"], shown["authorizationSource"]) == (TENANT, "Enabled", "RoleBased")


def test_where_the_tester_names_subscriptions_there_are_no_others() -> None:
    azure = Azure()
    azure.set_world(settings={"subscriptions": [OTHER.upper()]})

    answer = azure.ask("GET", f"{group_id()}?api-version=2025-04-01")

    assert listed(azure) == [OTHER]
    assert azure.ask("GET", f"/subscriptions/{OTHER}?api-version=2022-12-01").status == 200
    assert (answer.status, answer.json()["error"]) == (
        404,
        {"code": "SubscriptionNotFound", "message": f"The subscription '{SUBSCRIPTION}' could not be found."},
    )


def test_there_is_one_tenant() -> None:
    (tenant,) = Azure().listed("/tenants?api-version=2022-12-01")

    assert (tenant["id"], tenant["tenantId"], tenant["tenantCategory"]) == (f"/tenants/{TENANT}", TENANT, "Home")


@pytest.mark.parametrize("version", ["2019-05-01", "2022-09-01"])
def test_a_client_without_a_token_learns_the_endpoints(version: str) -> None:
    answer = Simulator().handle("GET", f"https://127.0.0.1:8443/metadata/endpoints?api-version={version}", {})

    cloud = answer.json()
    assert answer.status == 200
    assert cloud["resourceManager"] == "https://127.0.0.1:8443"
    assert cloud["authentication"]["loginEndpoint"] == "https://127.0.0.1:8443/"
    assert "https://management.azure.com/" in cloud["authentication"]["audiences"]


def test_an_old_client_learns_them_too_and_one_without_a_version_does_not() -> None:
    simulator = Simulator()

    old = simulator.handle("GET", f"{HOST}/metadata/endpoints?api-version=2015-01-01", {}).json()
    none = simulator.handle("GET", f"{HOST}/metadata/endpoints", {})

    assert set(old) == {"galleryEndpoint", "graphEndpoint", "portalEndpoint", "authentication"}
    assert (none.status, none.json()["error"]["code"]) == (400, "MissingApiVersionParameter")


def a_client(simulator: Simulator, credential: Any) -> ResourceManagementClient:
    return ResourceManagementClient(credential, SUBSCRIPTION, transport=SimulatorTransport(simulator), retry_total=0)


def test_a_managed_identity_gets_a_token_that_works_until_it_expires() -> None:
    azure = Azure()
    azure.make_group()
    azure.set_world(settings={"tokenLifeS": 60})
    url = "/_simulator/token?api-version=2019-08-01&resource=https%3A%2F%2Fmanagement.azure.com%2F"

    given = azure.ask("GET", url).json()
    bearer = f"Bearer {given['access_token']}"
    before = azure.ask("GET", f"{group_id()}?api-version=2025-04-01", Authorization=bearer).status
    azure.wait(61)
    after = azure.ask("GET", f"{group_id()}?api-version=2025-04-01", Authorization=bearer).status

    assert (given["token_type"], given["resource"]) == ("Bearer", "https://management.azure.com/")
    assert 0 <= int(given["expires_on"]) - time.time() <= 60
    assert (before, after) == (200, 401)


def test_on_a_quick_clock_a_token_lives_as_much_shorter() -> None:
    assert Simulator(speed=100).token()[1] == pytest.approx(35.99)
    assert Simulator().token()[1] == 3599


def test_a_client_whose_token_expired_is_refused_once_and_then_asks_for_another() -> None:
    azure = Azure()
    azure.make_group()
    azure.set_world(settings={"tokenLifeS": 600})
    client = a_client(azure.simulator, SimulatedCredential(azure.simulator))

    client.resource_groups.get("rg")
    azure.wait(601)
    refused = refusal(client.resource_groups.get, "rg")

    assert refused[:2] == (401, "ExpiredAuthenticationToken")
    assert client.resource_groups.get("rg").name == "rg"


def test_credentials_of_two_principals_have_budgets_of_their_own() -> None:
    azure = Azure()
    azure.make_group()
    azure.set_world(settings={"throttling": True, "budgets": {"reads": [1, 0.001]}})
    one, two = (a_client(azure.simulator, SimulatedCredential(azure.simulator, name)) for name in ("one", "two"))

    one.resource_groups.get("rg")

    assert refusal(one.resource_groups.get, "rg")[0] == 429
    assert two.resource_groups.get("rg").name == "rg"
