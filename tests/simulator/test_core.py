"""What holds for every request: tokens, versions, paths, headers, and the same bytes for the same requests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from provision.simulator import Simulator
from tests.simulator.azure import (
    HOST,
    SUBSCRIPTION,
    Azure,
    a_file_system,
    a_scale_set,
    a_security_group,
    a_stack,
    azure_with_a_network,
    group_id,
    lustre_id,
    network_id,
    network_path,
    path_of,
    set_id,
)

GROUPS = "api-version=2025-04-01"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (group_id(), 400, "MissingApiVersionParameter"),
        (f"{group_id()}?api-version=2000-01-01", 400, "InvalidApiVersionParameter"),
        (f"{set_id()}?api-version=2000-01-01", 400, "NoRegisteredProviderFound"),
        (f"{set_id()}?api-version=latest", 404, "InvalidResourceType"),
        (f"{group_id()}/providers/Microsoft.Compute/things/x?api-version=2025-11-01", 404, "InvalidResourceType"),
        (f"{group_id()}/providers/Microsoft.Nothing/things/x?api-version=2025-11-01", 404, "InvalidResourceNamespace"),
        ("/nowhere?api-version=2025-04-01", 404, "NotFound"),
        ("/subscriptions/mine?api-version=2022-12-01", 400, "InvalidSubscriptionId"),
    ],
)
def test_a_request_that_leads_nowhere_is_refused_as_arm_does(path: str, status: int, code: str) -> None:
    answer = Azure().ask("GET", path)

    assert (answer.status, answer.json()["error"]["code"]) == (status, code)


def test_a_method_that_a_path_does_not_know_is_refused() -> None:
    assert Azure().ask("PATCH", f"/subscriptions/{SUBSCRIPTION}?api-version=2022-12-01").status == 405


def test_whether_a_group_or_a_deployment_is_there_can_be_asked_without_its_body() -> None:
    azure = Azure()
    azure.make_group()

    there, gone = azure.resources.resource_groups.check_existence("rg"), azure.ask("HEAD", f"{group_id('x')}?{GROUPS}")

    assert there is True
    assert (gone.status, gone.body, "Content-Type" in gone.headers) == (404, b"", False)
    assert azure.resources.resource_groups.check_existence("x") is False
    assert azure.deployments.deployments.check_existence("rg", "none") is False


def test_of_other_resources_it_cannot_as_their_providers_know_no_head() -> None:
    azure = azure_with_a_network()

    for path in (network_path("virtualNetworks/net"), path_of("virtualMachineScaleSets/train")):
        answer = azure.ask("HEAD", path)
        assert (answer.status, answer.body) == (405, b"")


@pytest.mark.parametrize("version", ["2024-11-01", "2025-04-01", "2025-11-01", "2026-04-01"])
def test_versions_of_the_engine_of_the_clients_and_of_az_are_taken(version: str) -> None:
    azure = Azure()
    azure.make_group()

    assert azure.ask("GET", path_of("virtualMachineScaleSets").replace("2025-11-01", version)).status == 200


def test_every_answer_says_who_answered_and_what_is_left() -> None:
    azure = Azure()

    answer = azure.ask("PUT", f"{group_id()}?api-version=2025-04-01", {"location": "eastus"})
    reading = azure.ask("GET", f"{group_id()}?api-version=2025-04-01", **{"x-ms-correlation-request-id": "mine"})

    request_id = answer.headers["x-ms-request-id"]
    assert answer.headers["x-ms-correlation-request-id"] == request_id
    assert answer.headers["x-ms-routing-request-id"] == f"SIMULATED:20261201T000000Z:{request_id}"
    assert answer.headers["x-ms-ratelimit-remaining-subscription-writes"] == "799"
    assert reading.headers["x-ms-ratelimit-remaining-subscription-reads"] == "1099"
    assert reading.headers["x-ms-correlation-request-id"] == "mine"
    assert reading.headers["Date"] == "Tue, 01 Dec 2026 00:00:00 GMT"


def test_a_body_that_is_no_json_is_refused() -> None:
    azure = Azure()
    url = f"{HOST}{group_id()}?api-version=2025-04-01"

    answer = azure.simulator.handle("PUT", url, {"Authorization": "Bearer x"}, b"{location")

    assert (answer.status, answer.json()["error"]["code"]) == (400, "InvalidRequestContent")


def test_a_clients_request_id_comes_back_where_it_asks() -> None:
    headers = {"x-ms-client-request-id": "mine", "x-ms-return-client-request-id": "true"}

    assert Azure().ask("GET", "/nowhere", **headers).headers["x-ms-client-request-id"] == "mine"


def a_story(seed: int = 0) -> list[Any]:
    """Return every answer of some requests that touch all that the simulator makes up."""
    azure = Azure(Simulator(seed=seed))
    azure.make_network()
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
    answers = [azure.ask("PUT", path, a_stack(a_security_group()))]
    answers.append(azure.put_scale_set("train", a_scale_set(nodes=3)))
    for seconds in (3, 20, 200):
        azure.wait(seconds)
        answers.append(azure.ask("GET", path))
        answers.append(
            azure.ask("GET", f"{path_of('virtualMachineScaleSets/train/virtualMachines')}&$expand=instanceView")
        )
    azure.make_identity()
    azure.put(lustre_id(), a_file_system())
    azure.put(network_id("virtualNetworks/far"), a_network_far())
    azure.put(
        network_id("virtualNetworks/net/virtualNetworkPeerings/to-far"),
        {"properties": {"remoteVirtualNetwork": {"id": network_id("virtualNetworks/far")}}},
    )
    azure.set_world(settings={"caseDrift": True, "shuffle": True})
    answers += [azure.ask("GET", path), azure.ask("GET", network_path("virtualNetworks"))]
    answers.append(azure.ask("GET", "/_simulator/world"))
    return answers


def a_network_far() -> Any:
    return {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.1.0.0/16"]}}}


def test_the_same_requests_give_the_same_bytes() -> None:
    assert a_story() == a_story()


def test_another_seed_gives_other_ids() -> None:
    assert a_story() != a_story(seed=1)


def test_it_does_not_matter_how_often_anybody_looks() -> None:
    path = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
    ends = []
    for step in (1, 7, 400):
        azure = azure_with_a_network()
        azure.ask("PUT", path, a_stack(a_security_group("a"), a_security_group("b", dependsOn=["a"])))
        for _ in range(0, 400, step):
            azure.wait(step)
            azure.ask("GET", path)
        ends.append(azure.ask("GET", path).json()["properties"]["duration"])

    assert ends == ["PT19S"] * 3


def test_a_refusal_leaves_the_world_as_it_was() -> None:
    azure = azure_with_a_network()
    before = azure.world

    azure.put_scale_set("train", a_scale_set(nodes=500))
    azure.ask("PUT", f"{group_id()}?api-version=2025-04-01", {"location": "westus3"})

    assert azure.world == before


def test_a_fleet_of_many_sets_is_served() -> None:
    azure = azure_with_a_network()
    azure.set_world(quota={"*": {"standardNDSH100v5Family": 600 * 100 * 96}})
    subnet = {"properties": {"addressPrefix": "10.0.0.0/15"}}
    wide = {"location": "eastus", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/8"]}}}
    azure.ask("PUT", network_path("virtualNetworks/wide"), wide)
    azure.wait(30)
    azure.ask("PUT", network_path("virtualNetworks/wide/subnets/nodes"), subnet)
    azure.wait(30)
    body = a_scale_set(nodes=100, subnet=network_id("virtualNetworks/wide/subnets/nodes"))

    made = [azure.put_scale_set(f"set{number}", body).status for number in range(600)]
    one_more = azure.put_scale_set("last", body)
    azure.wait(600)

    assert set(made) == {201}
    assert (one_more.status, "Current Usage: 5760000" in one_more.json()["error"]["message"]) == (409, True)
    assert azure.world["operations"] == []
    assert len(list(azure.compute.virtual_machine_scale_sets.list("rg"))) == 600
    assert len(azure.nodes("set599")) == 100


def test_threads_may_share_a_simulator() -> None:
    azure = azure_with_a_network()

    def write(number: int) -> int:
        return azure.put_scale_set(f"set{number}", a_scale_set(nodes=1)).status

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(write, range(100)))

    assert statuses == [201] * 100
    assert len({row["properties"]["uniqueId"] for row in azure.world["resources"] if "sku" in row}) == 100
