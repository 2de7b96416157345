"""Faults: when one is due, and what the effects do that touch a request's answer or an operation."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceNotFoundError,
    ServiceResponseError,
    ServiceResponseTimeoutError,
)
from azure.mgmt.resource.resources import ResourceManagementClient

from provision.simulator.state.faults import ALWAYS, EFFECTS, MATCHES
from provision.simulator.transport import ClientKilled, SimulatorTransport
from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    Credential,
    a_scale_set,
    a_security_group,
    a_stack,
    azure_with_a_network,
    group_id,
    network_id,
    network_path,
    path_of,
    refusal,
    set_id,
    subnet_id,
)

NSGS = "Microsoft.Network/networkSecurityGroups"
SETS = "Microsoft.Compute/virtualMachineScaleSets"
HEALTH = {
    "extensionProfile": {
        "extensions": [
            {
                "name": "health",
                "properties": {
                    "publisher": "Microsoft.ManagedServices",
                    "type": "ApplicationHealthLinux",
                    "typeHandlerVersion": "1.0",
                },
            }
        ]
    }
}
PATH = f"{group_id()}?api-version=2025-04-01"
GROUP = {"location": "eastus"}


def met(act: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[int, str]:
    """Return the status and code of the refusal that a client raises; 200 and nothing where it raises none."""
    try:
        act(*args, **kwargs)
    except HttpResponseError as error:
        return int(error.status_code or 0), str(error.error.code if error.error else "")
    return 200, ""


def statuses(azure: Azure, times: int) -> list[int]:
    """Return what so many readings of the group by a client come to."""
    return [met(azure.resources.resource_groups.get, "rg")[0] for _ in range(times)]


# --- when a fault is due ---


def test_a_refusal_is_given_as_often_as_it_is_counted() -> None:
    azure = Azure()
    azure.make_group()
    match = {"method": "get", "url": "resourcegroups/RG"}
    slow = {"status": 429, "code": "TooManyRequests", "message": "slow", "headers": {"Retry-After": 7}}
    azure.control.fault("refuse", match=match, count=2, **slow)

    with pytest.raises(HttpResponseError) as refused:
        azure.resources.resource_groups.get("rg")

    response: Any = refused.value.response
    assert json.loads(response.text()) == {"error": {"code": "TooManyRequests", "message": "slow"}}
    assert (refused.value.status_code, response.headers["Retry-After"]) == (429, "7")
    assert statuses(azure, 2) == [429, 200]
    assert azure.control.faults == []


def test_a_refusal_without_a_count_stays_until_it_is_taken_back() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.fault("refuse", status=503, code="ServerTimeout")

    refused = statuses(azure, 3)
    azure.control.drop_faults()

    assert refused == [503, 503, 503]
    assert statuses(azure, 1) == [200]


def test_the_first_matches_can_be_let_pass() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.fault("refuse", code="InternalServerError", skip=2, count=1)

    assert statuses(azure, 5) == [200, 200, 500, 200, 200]


def test_a_probability_takes_the_same_matches_for_the_same_seed() -> None:
    taken = []
    for seed in (1, 1, 2):
        azure = Azure()
        azure.make_group()
        azure.control.fault("refuse", code="x", probability=0.3, seed=seed)
        taken.append([status == 500 for status in statuses(azure, 200)])

    assert taken[0] == taken[1] != taken[2]
    assert 40 < sum(taken[0]) < 80
    assert azure.control.faults[0]["matched"] == 200
    assert azure.control.faults[0]["applied"] == sum(taken[2])


@pytest.mark.parametrize(
    ("match", "hit"),
    [
        ({}, True),
        ({"method": "GET"}, True),
        ({"method": "PUT"}, False),
        ({"type": "microsoft.compute/virtualmachinescalesets"}, True),
        ({"type": "Microsoft.Compute"}, False),
        ({"resource": set_id()}, True),
        ({"resource": f"{group_id('RG')}/"}, True),
        ({"resource": f"/subscriptions/{SUBSCRIPTION}"}, True),
        ({"resource": set_id("trai")}, False),
        ({"region": "eastus"}, True),
        ({"region": "westus3"}, False),
        ({"state": "succeeded"}, True),
        ({"state": "Updating"}, False),
        ({"state": "absent"}, False),
        ({"url": "scalesets/TRAIN"}, True),
        ({"method": "GET", "region": "eastus", "state": "Creating"}, False),
    ],
)
def test_a_fault_matches_what_the_request_is_about(match: dict[str, str], hit: bool) -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    azure.control.fault("refuse", match=match, code="Hit")

    found = met(azure.compute.virtual_machine_scale_sets.get, "rg", "train")

    assert found == ((500, "Hit") if hit else (200, ""))


def test_every_key_of_a_match_is_understood_of_what_clients_ask() -> None:
    """Of lists, actions, instances, what is to be made, and groups."""
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=2)
    sets, nodes = azure.compute.virtual_machine_scale_sets, azure.compute.virtual_machine_scale_set_vms
    instance_type = f"{SETS}/virtualMachines"
    asked: list[tuple[dict[str, str], Callable[[], Any]]] = [
        ({"type": SETS, "region": "", "resource": group_id()}, lambda: list(sets.list("rg"))),
        ({"type": SETS, "resource": f"/subscriptions/{SUBSCRIPTION}"}, lambda: list(sets.list_all())),
        ({"type": instance_type, "state": "Succeeded"}, lambda: list(nodes.list("rg", "train"))),
        ({"type": instance_type, "resource": f"{set_id()}/virtualMachines/1"}, lambda: nodes.get("rg", "train", "1")),
        ({"method": "POST", "url": "/restart"}, lambda: sets.begin_restart("rg", "train")),
        ({"method": "POST", "region": "eastus", "type": SETS}, lambda: sets.begin_reimage_all("rg", "train")),
        (
            {"method": "PUT", "state": "absent"},
            lambda: azure.start(sets.begin_create_or_update, "rg", "new", a_scale_set()),
        ),
        (
            {"method": "PATCH", "state": "Succeeded"},
            lambda: azure.start(sets.begin_update, "rg", "train", {"tags": {}}),
        ),
        ({"method": "DELETE", "resource": set_id()}, lambda: sets.begin_delete("rg", "train")),
        ({"type": "Microsoft.Resources/resourceGroups"}, lambda: azure.resources.resource_groups.get("rg")),
    ]

    for match, act in asked:
        azure.control.drop_faults()
        azure.control.fault("refuse", match={**match, "url": "scalesets/other"}, code="Never")
        azure.control.fault("refuse", match=match, code="Hit", status=409)
        assert met(act) == (409, "Hit"), match


@pytest.mark.parametrize(
    ("method", "path", "match"),
    [
        ("GET", path_of("virtualMachineScaleSets"), {"type": "Microsoft.Compute/virtualMachineScaleSets"}),
        ("GET", path_of("virtualMachineScaleSets"), {"resource": group_id()}),
        ("GET", path_of("virtualMachineScaleSets/train/virtualMachines"), {"resource": set_id(), "region": "eastus"}),
        ("GET", path_of("virtualMachineScaleSets/train/virtualMachines/0"), {"state": "Succeeded"}),
        (
            "POST",
            path_of("virtualMachineScaleSets/train/restart"),
            {"type": "Microsoft.Compute/virtualMachineScaleSets"},
        ),
        ("PUT", path_of("virtualMachineScaleSets/new"), {"state": "absent", "region": "eastus"}),
        ("PUT", network_path("virtualNetworks/net/subnets/new"), {"state": "absent", "region": "eastus"}),
        (
            "GET",
            network_path("locations/eastus/usages").replace(group_id(), f"/subscriptions/{SUBSCRIPTION}"),
            {"region": "eastus"},
        ),
        ("GET", PATH, {"type": "Microsoft.Resources/resourceGroups", "state": "Succeeded", "region": "eastus"}),
        (
            "GET",
            f"/subscriptions/{SUBSCRIPTION}/resourcegroups?api-version=2025-04-01",
            {"type": "Microsoft.Resources/resourceGroups"},
        ),
        (
            "PUT",
            f"{set_id()}/providers/Microsoft.Authorization/locks/x?api-version=2020-05-01",
            {"type": "Microsoft.Authorization/locks", "resource": set_id()},
        ),
        (
            "GET",
            f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01",
            {"state": "succeeded", "region": "eastus"},
        ),
    ],
)
def test_lists_actions_and_new_resources_are_matched_too(method: str, path: str, match: dict[str, str]) -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    unit = f"{group_id()}/providers/Microsoft.Resources/deploymentStacks/unit?api-version=2025-07-01"
    azure.ask("PUT", unit, a_stack())
    azure.wait(60)
    azure.control.fault("refuse", match={"resource": "/subscriptions/none"}, code="Never")
    azure.control.fault("refuse", match=match, code="Hit")

    assert azure.ask(method, path, GROUP).json()["error"]["code"] == "Hit"


def test_a_poll_is_matched_by_the_state_of_its_operation() -> None:
    azure = azure_with_a_network()
    azure.control.fault(
        "refuse", match={"method": "GET", "resource": set_id(), "state": "InProgress"}, code="Busy", count=1
    )

    begin = azure.compute.virtual_machine_scale_sets.begin_create_or_update
    assert refusal(azure.finish, begin, "rg", "train", a_scale_set(nodes=1))[1] == "Busy"

    azure.wait(600)
    assert azure.compute.virtual_machine_scale_sets.get("rg", "train").provisioning_state == "Succeeded"


# --- what becomes of an answer ---


def test_a_dropped_connection_is_what_requests_makes_of_one_before_or_after_the_effect() -> None:
    azure = Azure()
    azure.control.fault("drop", match={"method": "PUT"}, when="before", count=1)
    azure.control.fault("drop", match={"method": "PUT"}, when="after", count=1)
    groups = azure.resources.resource_groups

    with pytest.raises(ServiceResponseError, match="Connection aborted"):
        groups.create_or_update("rg", GROUP)
    assert [group.name for group in groups.list()] == []
    with pytest.raises(ServiceResponseError, match="Connection aborted"):
        groups.create_or_update("rg", GROUP)
    assert [group.name for group in groups.list()] == ["rg"]
    puts = [row for row in azure.simulator.log if row["method"] == "PUT"]
    assert [(row["status"], row["faults"]) for row in puts] == [(0, ["drop"]), (201, ["drop"])]


def test_the_clients_own_retries_live_through_a_dropped_connection() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.fault("drop", count=2)
    patient = ResourceManagementClient(Credential(), SUBSCRIPTION, transport=SimulatorTransport(azure.simulator))

    assert patient.resource_groups.get("rg").name == "rg"


def test_an_answer_that_never_comes_is_a_timeout() -> None:
    azure = Azure()
    azure.control.fault("hang", when="after", count=1)

    with pytest.raises(ServiceResponseTimeoutError, match="Read timed out"):
        azure.resources.resource_groups.create_or_update("rg", GROUP)

    assert azure.resources.resource_groups.get("rg").name == "rg"


@pytest.mark.parametrize(("when", "left"), [("before", []), ("after", ["rg"])])
def test_a_client_can_be_taken_to_die_at_its_next_request(when: str, left: list[str]) -> None:
    azure = Azure()
    azure.control.fault("kill-client", match={"method": "PUT"}, when=when, count=1)

    with pytest.raises(ClientKilled):
        azure.resources.resource_groups.create_or_update("rg", GROUP)

    assert not issubclass(ClientKilled, Exception)
    assert [group.name for group in azure.resources.resource_groups.list()] == left
    assert [row["faults"] for row in azure.simulator.log if "faults" in row] == [["kill-client"]]


def test_a_token_that_expired_is_refused_until_another_comes() -> None:
    class Fresh(Credential):
        given = 0

        def get_token(self, *scopes: str, **kwargs: Any) -> Any:
            self.given += 1
            return super().get_token()._replace(token=f"token {self.given}")

    azure = Azure()
    azure.make_group()
    azure.control.fault("expire-token", skip=1, count=1)
    client = ResourceManagementClient(Fresh(), SUBSCRIPTION, transport=SimulatorTransport(azure.simulator))

    assert client.resource_groups.get("rg").name == "rg"
    with pytest.raises(ClientAuthenticationError, match="ExpiredAuthenticationToken"):
        client.resource_groups.get("rg")
    assert client.resource_groups.get("rg").name == "rg"
    old = [azure.ask("GET", PATH, Authorization=f"Bearer token {number}") for number in (1, 2)]
    assert [answer.status for answer in old] == [401, 200]
    assert old[0].json()["error"]["message"] == (
        "The access token expiry UTC time '11/30/2026 11:59:59 PM' is earlier than current UTC time "
        "'12/1/2026 12:00:00 AM'."
    )
    assert 'error="invalid_token"' in old[0].headers["WWW-Authenticate"]


def test_a_slow_answer_takes_virtual_time() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.fault("slow", seconds=40, count=1)
    before = azure.simulator.now

    azure.resources.resource_groups.get("rg")
    azure.resources.resource_groups.get("rg")

    assert azure.simulator.now - before == 40


def test_several_faults_can_meet_in_one_request() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.fault("slow", seconds=5)
    azure.control.fault("refuse", code="First", count=1)
    azure.control.fault("drop", count=1)

    assert refusal(azure.resources.resource_groups.get, "rg")[1] == "First"
    with pytest.raises(ServiceResponseError):
        azure.resources.resource_groups.get("rg")
    assert [row["faults"] for row in azure.simulator.log[1:]] == [["slow", "refuse"], ["slow", "drop"]]


# --- what becomes of an operation ---


def test_an_operation_can_be_made_to_fail() -> None:
    azure = azure_with_a_network()
    late = {"code": "OSProvisioningTimedOut", "message": "late"}
    azure.control.fault("fail-operation", match={"url": "/virtualMachineScaleSets/train$"}, **late, count=1)

    started = azure.make_scale_set(nodes=2)

    over = azure.ask("GET", started.poll).json()
    assert (started.status, over["status"]) == (201, "Failed")
    assert over["error"] == {"code": "OSProvisioningTimedOut", "message": "late"}
    assert azure.scale_set()["properties"]["provisioningState"] == "Failed"
    assert [node["properties"]["provisioningState"] for node in azure.nodes()] == ["Failed", "Failed"]

    azure.put_scale_set("train", a_scale_set(nodes=2))
    azure.wait(300)

    assert [node["properties"]["provisioningState"] for node in azure.nodes()] == ["Succeeded", "Succeeded"]


def test_nodes_that_were_to_go_are_still_there_when_a_scale_in_fails() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=3)
    sets, nodes = azure.compute.virtual_machine_scale_sets, azure.compute.virtual_machine_scale_set_vms
    azure.control.fault("fail-operation", match={"method": "PATCH"}, code="InternalExecutionError", count=1)

    refused = refusal_of_end(azure, sets.begin_update, {"sku": {"capacity": 1}})
    left = [(each.instance_id, each.provisioning_state) for each in nodes.list("rg", "train")]
    state = sets.get("rg", "train").provisioning_state
    azure.finish(sets.begin_update, "rg", "train", {"sku": {"capacity": 1}})

    assert (refused, state) == ("InternalExecutionError", "Failed")
    assert left == [(number, "Succeeded") for number in "012"]
    assert [each.instance_id for each in nodes.list("rg", "train")] == ["0"]


def refusal_of_end(azure: Azure, begin: Callable[..., Any], body: Any) -> str:
    """Return the code with which the client's poller ends."""
    with pytest.raises(HttpResponseError) as found:
        azure.finish(begin, "rg", "train", body)
    return str(found.value.error.code if found.value.error else "")


def test_an_action_on_instances_can_be_made_to_fail() -> None:
    azure = azure_with_a_network()
    azure.make_scale_set(nodes=1)
    azure.control.fault("fail-operation", match={"method": "POST", "url": "/reimage$"}, code="InternalExecutionError")

    started = azure.start(azure.compute.virtual_machine_scale_sets.begin_reimage, "rg", "train")
    azure.wait(120)

    assert azure.status_of(started) == "Failed"
    assert azure.ask("GET", started.headers["Location"]).status == 409


def test_a_deletion_that_fails_leaves_the_resource() -> None:
    azure = azure_with_a_network()
    azure.control.fault("fail-operation", match={"method": "DELETE"}, code="Odd", count=1)

    started = azure.start(azure.network.virtual_networks.begin_delete, "rg", "net")
    azure.wait(60)

    assert azure.status_of(started) == "Failed"
    assert [row["name"] for row in azure.world["resources"]] == ["net", "nodes"]


def test_a_group_whose_deletion_fails_is_rolled_back() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.fault("fail-operation", match={"method": "DELETE"}, code="ResourceGroupDeletionBlocked", count=1)

    begun = azure.ask("DELETE", PATH)
    azure.wait(60)
    over = azure.ask("GET", begun.headers["Location"])

    assert (over.status, over.json()["Error"]["Code"]) == (409, "ResourceGroupDeletionBlocked")
    assert azure.ask("GET", PATH).json()["properties"]["provisioningState"] == "Succeeded"


def test_the_clients_poller_of_a_group_that_cannot_go_ends_with_409() -> None:
    azure = Azure()
    azure.make_network()
    body = a_scale_set(nodes=1, subnet=subnet_id(group="rg"))
    azure.make_group("there")
    azure.finish(azure.compute.virtual_machine_scale_sets.begin_create_or_update, "there", "train", body)

    with pytest.raises(HttpResponseError) as found:
        azure.finish(azure.resources.resource_groups.begin_delete, "rg")

    assert (found.value.status_code, azure.resources.resource_groups.get("rg").name) == (409, "rg")
    assert "ResourceGroupDeletionBlocked" in str(found.value)


def test_an_operation_that_never_finishes_stays_so_until_a_newer_one_takes_over() -> None:
    azure = azure_with_a_network()
    azure.control.fault("never-finish", match={"type": "Microsoft.Compute/virtualMachineScaleSets"}, count=1)

    started = azure.make_scale_set(nodes=2)
    azure.wait(90 * 24 * 3600)

    assert azure.status_of(started) == "InProgress"
    assert azure.scale_set()["properties"]["provisioningState"] == "Creating"
    azure.compute.virtual_machine_scale_sets.begin_delete("rg", "train").result()
    assert azure.status_of(started) == "Failed"
    assert refusal(azure.compute.virtual_machine_scale_sets.get, "rg", "train")[0] == 404


def test_a_stack_hangs_with_a_resource_that_never_finishes() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.fault("never-finish", match={"resource": network_id("networkSecurityGroups/nsg")}, count=1)

    started = azure.start(
        azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group,
        "rg",
        "unit",
        a_stack(a_security_group()),
    )
    azure.wait(24 * 3600)

    assert azure.status_of(started) == "deploying"


def test_an_operation_can_take_longer() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.fault("slow-operation", match={"region": "eastus", "method": "PUT"}, factor=20)
    body = {"location": "eastus", "properties": {}}

    started = azure.start(azure.network.network_security_groups.begin_create_or_update, "rg", "nsg", body)

    seen = []
    for _ in range(2):
        azure.wait(55)
        seen.append(azure.status_of(started))
    assert seen == ["InProgress", "Succeeded"]


def nodes_up(azure: Azure) -> int:
    """Return how many instances of the set are up, as Microsoft's client lists them."""
    found = azure.compute.virtual_machine_scale_set_vms.list("rg", "train")
    return sum(each.provisioning_state == "Succeeded" for each in found)


def test_the_nodes_of_a_slower_operation_come_up_later_one_by_one_until_its_end() -> None:
    azure = azure_with_a_network()
    sets = azure.compute.virtual_machine_scale_sets
    azure.control.fault("slow-operation", match={"type": SETS}, factor=6, count=2)

    started = azure.start(sets.begin_create_or_update, "rg", "train", a_scale_set(nodes=20))
    seen = []
    for seconds in (260, 600, 690, 20):
        azure.wait(seconds)
        seen.append((nodes_up(azure), azure.status_of(started)))
    azure.start(sets.begin_update, "rg", "train", {"sku": {"capacity": 40}})
    grown = []
    for seconds in (220, 960, 30):
        azure.wait(seconds)
        grown.append((nodes_up(azure), str(sets.get("rg", "train").provisioning_state)))

    assert (seen[0], seen[-2][1], seen[-1]) == ((0, "InProgress"), "InProgress", (20, "Succeeded"))
    assert 0 < seen[1][0] < seen[2][0] <= 20
    assert (grown[0], grown[1][1], grown[2]) == ((20, "Updating"), "Updating", (40, "Succeeded"))
    assert 20 < grown[1][0] <= 40


def test_a_system_that_does_not_come_up_is_known_later_in_a_slower_operation() -> None:
    azure = azure_with_a_network()
    azure.control.fault("slow-operation", match={"type": SETS}, factor=2)
    azure.control.fault("fail-nodes", match={"type": SETS}, code="OSProvisioningTimedOut", nodes=1, count=1)
    sets = azure.compute.virtual_machine_scale_sets

    started = azure.start(sets.begin_create_or_update, "rg", "train", a_scale_set(nodes=2))
    seen = []
    for seconds in (4700, 200):
        azure.wait(seconds)
        states = [
            str(each.provisioning_state) for each in azure.compute.virtual_machine_scale_set_vms.list("rg", "train")
        ]
        seen.append((sorted(states), azure.status_of(started)))

    assert seen == [(["Creating", "Succeeded"], "InProgress"), (["Failed", "Succeeded"], "Failed")]


def test_every_batch_of_a_slower_upgrade_takes_longer() -> None:
    def seconds_of(factor: float) -> float:
        azure = azure_with_a_network()
        sets = azure.compute.virtual_machine_scale_sets
        rolling = {"upgradePolicy": {"mode": "Rolling"}}
        azure.finish(sets.begin_create_or_update, "rg", "train", a_scale_set(properties=rolling, profile=HEALTH))
        if factor != 1:
            azure.control.fault("slow-operation", match={"url": "/extensionRollingUpgrade$"}, factor=factor)
        began = azure.control.now
        azure.finish(
            azure.compute.virtual_machine_scale_set_rolling_upgrades.begin_start_extension_upgrade, "rg", "train"
        )
        return azure.control.now - began

    assert seconds_of(3) > 2.5 * seconds_of(1)


def test_a_slower_stack_takes_longer_at_its_start_and_at_its_end_and_its_resources_do_not() -> None:
    def seconds_of(factor: float) -> tuple[float, float]:
        """Return how long a stack took, and when its resource was there."""
        azure = Azure()
        azure.make_group()
        azure.control.fault("slow-operation", match={"url": "/deploymentStacks/unit$"}, factor=factor)
        begin = azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group
        began = azure.control.now
        started = azure.start(begin, "rg", "unit", a_stack(a_security_group()))
        made = 0.0
        while azure.status_of(started) != "succeeded":
            if not made and list(azure.network.network_security_groups.list("rg")):
                made = azure.control.now - began
            azure.wait(1)
        return azure.control.now - began, made

    usual, slower = seconds_of(1), seconds_of(10)

    # Five seconds at the start and five at the end, which take ten times as long.
    assert (slower[1] - usual[1], slower[0] - usual[0]) == (45, 90)


def test_a_refused_resource_fails_its_deployment() -> None:
    azure = Azure()
    azure.make_group()
    azure.control.fault("refuse", match={"type": NSGS}, status=403, code="Denied", count=1)

    with pytest.raises(HttpResponseError, match="Denied"):
        azure.stacks.deployment_stacks.begin_create_or_update_at_resource_group(
            "rg", "unit", a_stack(a_security_group())
        ).result()

    with pytest.raises(ResourceNotFoundError):
        azure.network.network_security_groups.get("rg", "nsg")


# --- what a fault may be ---


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"effect": "explode", "code": "x"}, f"effect is one of {', '.join(EFFECTS)}"),
        ({}, f"effect is one of {', '.join(EFFECTS)}"),
        ({"effect": "refuse"}, "refuse needs code: text, an error code of Azure's"),
        ({"effect": "refuse", "code": 5}, "code is text, an error code of Azure's"),
        ({"effect": "refuse", "code": "x", "status": 200}, "status is a status from 400 to 599"),
        ({"effect": "refuse", "code": "x", "headers": {"a": []}}, "headers is text or a number by header name"),
        (
            {"effect": "refuse", "code": "x", "count": 0},
            "count is a whole number above 0: how often; absent for always",
        ),
        ({"effect": "refuse", "code": "x", "match": {"path": "y"}}, f"match holds text by {', '.join(MATCHES)}"),
        ({"effect": "refuse", "code": "x", "match": {"url": "("}}, "match.url is no regular expression"),
        ({"effect": "refuse", "code": "x", "probability": 2}, "probability is a number above 0, up to 1"),
        ({"effect": "drop", "when": "now"}, "when is before or after"),
        ({"effect": "slow"}, "slow needs seconds: a number of virtual seconds above 0"),
        ({"effect": "drop", "code": "x", "odd": 1}, f"drop has no code, odd; it has {', '.join(ALWAYS)}, when"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_with_what_there_is(fault: Any, words: str) -> None:
    azure = Azure()

    answer = azure.ask("POST", "/_simulator/faults", [{"effect": "refuse", "code": "fine"}, fault])

    assert answer.status == 400
    assert answer.json()["error"].startswith(words)
    assert azure.control.faults == []
