"""Writes to Network that meet others: one takes the other's place, waits, or comes again."""

from __future__ import annotations

import pytest

from tests.simulator.azure import Azure, Json, Started, network_id, network_path, refusal

GROUP: Json = {"location": "eastus", "properties": {}}


def a_network(**properties: object) -> Json:
    space = {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}
    return {"location": "eastus", "properties": {**space, **properties}}


def a_subnet(prefix: str = "10.0.0.0/24", **properties: object) -> Json:
    return {"name": "nodes", "properties": {"addressPrefix": prefix, **properties}}


@pytest.fixture
def azure() -> Azure:
    made = Azure()
    made.make_group()
    return made


def poll(azure: Azure, started: Started) -> Json:
    found: Json = azure.ask("GET", started.poll).json()
    return found


def name_of(started: Started) -> str:
    return started.headers["x-ms-request-id"]


def test_a_put_takes_the_place_of_one_that_runs(azure: Azure) -> None:
    begin = azure.network.network_security_groups.begin_create_or_update
    first = azure.start(begin, "rg", "nsg", GROUP)
    second = azure.start(begin, "rg", "nsg", {**GROUP, "tags": {"a": "b"}})
    early = poll(azure, first)
    azure.wait(3)

    assert (first.status, second.status) == (201, 200)
    assert early == {
        "status": "Canceled",
        "error": {
            "code": "Canceled",
            "message": "Operation was canceled.",
            "details": [
                {
                    "code": "CanceledAndSupersededDueToAnotherOperation",
                    "message": f"Operation PutNetworkSecurityGroupOperation ({name_of(first)}) was canceled and "
                    f"superseded by operation PutNetworkSecurityGroupOperation ({name_of(second)}).",
                }
            ],
        },
    }
    assert poll(azure, second) == {"status": "Succeeded"}
    found = azure.get(network_id("networkSecurityGroups/nsg"))
    assert (found["tags"], found["properties"]["provisioningState"]) == ({"a": "b"}, "Succeeded")


def test_a_network_written_twice_keeps_the_subnets_of_the_first_write(azure: Azure) -> None:
    begin = azure.network.virtual_networks.begin_create_or_update
    azure.start(begin, "rg", "net", a_network(subnets=[a_subnet()]))
    azure.start(begin, "rg", "net", a_network())
    azure.wait(30)

    found = azure.get(network_id("virtualNetworks/net"))["properties"]
    assert found["provisioningState"] == "Succeeded"
    assert [each["properties"]["provisioningState"] for each in found["subnets"]] == ["Succeeded"]


def test_other_writes_in_a_network_have_to_wait(azure: Azure) -> None:
    azure.make_network()
    begin = azure.network.subnets.begin_create_or_update
    first = azure.start(begin, "rg", "net", "a", a_subnet("10.0.1.0/24"))

    other = refusal(begin, "rg", "net", "b", a_subnet("10.0.2.0/24"))
    whole = refusal(azure.network.virtual_networks.begin_create_or_update, "rg", "net", a_network())
    gone = refusal(azure.network.subnets.begin_delete, "rg", "net", "nodes")
    again = azure.start(begin, "rg", "net", "a", a_subnet("10.0.3.0/24"))

    region = first.poll.removeprefix("https://management.azure.com").partition("?")[0]
    assert other == (
        409,
        "AnotherOperationInProgress",
        "Another operation on this or dependent resource is in progress. "
        f"To retrieve status of the operation use uri: {region}.",
    )
    assert whole[:2] == gone[:2] == (409, "AnotherOperationInProgress")
    assert again.status == 200
    azure.wait(30)
    assert azure.get(network_id("virtualNetworks/net/subnets/a"))["properties"]["addressPrefix"] == "10.0.3.0/24"


def test_what_a_subnet_is_being_written_with_is_locked_for_a_while(azure: Azure) -> None:
    azure.make_network()
    azure.put(network_id("networkSecurityGroups/nsg"), GROUP)
    group = {"networkSecurityGroup": {"id": network_id("networkSecurityGroups/nsg")}}
    running = azure.start(
        azure.network.subnets.begin_create_or_update, "rg", "net", "a", a_subnet("10.0.1.0/24", **group)
    )

    answer = azure.ask("DELETE", network_path("networkSecurityGroups/nsg"))
    azure.wait(10)
    later = azure.ask("PUT", network_path("networkSecurityGroups/nsg"), GROUP)

    assert (answer.status, answer.headers["Retry-After"]) == (429, "10")
    assert answer.json()["error"] == {
        "code": "RetryableError",
        "message": "A retryable error occurred.",
        "details": [
            {
                "code": "RetryableErrorDueToAnotherOperation",
                "message": f"Operation PutSubnetOperation ({name_of(running)}) is updating resource "
                f"{network_id('networkSecurityGroups/nsg')}. The call can be retried in 10 seconds.",
            }
        ],
    }
    assert later.status == 200


def test_a_deletion_is_not_superseded(azure: Azure) -> None:
    azure.put(network_id("networkSecurityGroups/nsg"), GROUP)
    azure.start(azure.network.network_security_groups.begin_delete, "rg", "nsg")

    found = refusal(azure.network.network_security_groups.begin_create_or_update, "rg", "nsg", GROUP)

    assert found[:2] == (409, "AnotherOperationInProgress")


def test_a_child_of_what_is_going_is_refused(azure: Azure) -> None:
    azure.make_network()
    azure.start(azure.network.virtual_networks.begin_delete, "rg", "net")

    assert azure.ask("PUT", network_path("virtualNetworks/net/subnets/a"), a_subnet("10.0.1.0/24")).status == 409


def test_a_network_and_its_children_share_one_etag_that_every_write_changes(azure: Azure) -> None:
    azure.make_network()

    def etags() -> set[str]:
        found = azure.get(network_id("virtualNetworks/net"))
        return {found["etag"], *(each["etag"] for each in found["properties"]["subnets"])}

    first = etags()
    azure.put(network_id("virtualNetworks/net/subnets/a"), a_subnet("10.0.1.0/24"))
    second = etags()

    assert (len(first), len(second)) == (1, 1)
    assert first != second
    stale = azure.ask("PUT", network_path("virtualNetworks/net"), a_network(), **{"If-Match": next(iter(first))})
    assert stale.status == 412
