"""Budgets of requests: they count, they fill, and where the tester wants it an empty one refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError
from azure.core.pipeline.policies import RetryPolicy
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.resource.resources import ResourceManagementClient

from provision.simulator import Simulator
from provision.simulator.state.tokens import issued
from provision.simulator.transport import SimulatorTransport
from tests.simulator.azure import (
    SUBSCRIPTION,
    Azure,
    Credential,
    a_scale_set,
    a_template,
    azure_with_a_network,
    group_id,
    path_of,
    refusal,
)

READS = "x-ms-ratelimit-remaining-subscription-reads"
WRITES = "x-ms-ratelimit-remaining-subscription-writes"
GROUP = f"{group_id()}?api-version=2025-04-01"
SET = path_of("virtualMachineScaleSets/train")


def a_strict(**budgets: list[float]) -> Azure:
    azure = azure_with_a_network()
    azure.wait(600)
    azure.set_world(settings={"throttling": True, "budgets": budgets})
    return azure


def throttled(azure: Azure, path: str, method: str = "GET", body: Any = None) -> tuple[int, str, str]:
    answer = azure.ask(method, path, body)
    return answer.status, answer.json()["error"]["code"], answer.headers["Retry-After"]


def test_each_answer_says_what_is_left_and_time_brings_it_back() -> None:
    azure = Azure()
    azure.make_group()

    left = [azure.ask("GET", GROUP).headers[READS] for _ in range(30)]
    azure.wait(0.1)
    later = azure.ask("GET", GROUP)

    assert left == [str(number) for number in range(1099, 1069, -1)]
    assert later.headers[READS] == "1080"
    assert later.headers["x-ms-ratelimit-remaining-subscription-global-reads"] == "16499"
    assert azure.ask("PUT", GROUP, {"location": "eastus"}).headers[WRITES] == "799"


def test_what_is_written_beside_subscriptions_is_counted_in_silence() -> None:
    template = a_template()
    path = "/providers/Microsoft.Resources/calculateTemplateHash?api-version=2021-04-01"
    azure = Azure()
    azure.set_world(settings={"throttling": True, "budgets": {"writes": [1, 1]}})

    first, second = azure.ask("POST", path, template), azure.ask("POST", path, template)

    assert [name for name in first.headers if "ratelimit" in name] == []
    assert (first.status, second.status) == (200, 429)


def test_an_empty_budget_refuses_only_where_the_tester_or_a_running_clock_wants_it() -> None:
    budgets = {"reads": [3, 1]}
    found = []
    for azure, settings in (
        (Azure(), {"budgets": budgets}),
        (Azure(), {"budgets": budgets, "throttling": True}),
        (Azure(Simulator(speed=0.001)), {"budgets": budgets}),
        (Azure(Simulator(speed=0.001)), {"budgets": budgets, "throttling": False}),
    ):
        azure.make_group()
        azure.set_world(settings=settings)
        answers = [azure.ask("GET", GROUP) for _ in range(5)]
        found.append(([each.status for each in answers], answers[-1].headers[READS]))

    assert found == [
        ([200] * 5, "0"),
        ([200, 200, 200, 429, 429], "0"),
        ([200, 200, 200, 429, 429], "0"),
        ([200] * 5, "0"),
    ]


def test_resource_manager_refuses_in_its_own_words_and_says_when_to_come_back() -> None:
    azure = a_strict(reads=[2, 0.25])
    azure.ask("GET", GROUP)
    azure.ask("GET", GROUP)

    refused = azure.ask("GET", GROUP)
    azure.wait(3.9)
    too_early = azure.ask("GET", GROUP).status
    azure.wait(0.1)

    assert (refused.status, refused.headers["Retry-After"], refused.headers["x-ms-failure-cause"]) == (
        429,
        "4",
        "gateway",
    )
    error = refused.json()["error"]
    assert error["code"] == "SubscriptionRequestsThrottled"
    assert error["message"].startswith(f"Number of 'read' requests for subscription '{SUBSCRIPTION}' actor '")
    assert error["message"].endswith(
        "exceeded. Please try again after '4' seconds after additional tokens are available. "
        "Refer to https://aka.ms/arm-throttling for additional information."
    )
    assert (too_early, azure.ask("GET", GROUP).status) == (429, 200)


def test_each_principal_has_a_budget_and_the_subscription_one_for_all() -> None:
    azure = a_strict(deletes=[1, 0.001])
    now = azure.simulator.now
    callers = [f"Bearer {issued(now, principal=str(number))}" for number in range(17)]
    path = f"{group_id('none')}?api-version=2025-04-01"

    once = [azure.ask("DELETE", path, Authorization=caller).status for caller in callers[:15]]
    again = azure.ask("DELETE", path, Authorization=callers[0])
    renewed = azure.ask("DELETE", path, Authorization=f"Bearer {issued(now + 1, principal='0')}")
    sixteenth = azure.ask("DELETE", path, Authorization=callers[15])

    assert once == [404] * 15
    assert (again.status, renewed.status) == (429, 429)
    assert (sixteenth.status, sixteenth.headers["x-ms-ratelimit-remaining-subscription-global-deletes"]) == (429, "0")


def test_reads_writes_and_deletes_have_budgets_of_their_own() -> None:
    azure = a_strict(writes=[1, 0.1], deletes=[1, 0.1])

    assert azure.ask("PUT", GROUP, {"location": "eastus"}).status == 200
    assert throttled(azure, GROUP, "PUT", {"location": "eastus"}) == (429, "SubscriptionRequestsThrottled", "10")
    assert azure.ask("GET", GROUP).status == 200
    assert azure.ask("DELETE", GROUP).status == 202
    assert throttled(azure, GROUP, "DELETE") == (429, "SubscriptionRequestsThrottled", "10")


def test_compute_counts_by_policy_subscription_and_region_and_by_resource() -> None:
    azure = azure_with_a_network()
    left = "x-ms-ratelimit-remaining-resource"

    made = azure.put_scale_set("train", a_scale_set(nodes=2))
    other = azure.put_scale_set("other", a_scale_set(nodes=2))
    azure.wait(300)
    read = azure.ask("GET", SET)
    listed = azure.ask("GET", path_of("virtualMachineScaleSets/train/virtualMachines"))
    node = azure.ask("GET", path_of("virtualMachineScaleSets/train/virtualMachines/0"))
    changed = azure.ask("PATCH", SET, {"tags": {}})
    stopped = azure.ask("POST", path_of("virtualMachineScaleSets/other/deallocate"))
    polled = azure.ask("GET", stopped.headers["Azure-AsyncOperation"])

    assert [answer.headers[left] for answer in (made, other, read, listed, node, changed, stopped, polled)] == [
        f"Microsoft.Compute/{name}SubscriptionMaximum;{most},Microsoft.Compute/{name}Resource;{one}"
        for name, most, one in (
            ("CreateVMScaleSet", 374, 11),
            ("CreateVMScaleSet", 373, 11),
            ("GetVMScaleSet", 2399, 35),
            ("HighCostGetVMScaleSet", 1079, 29),
            ("GetVMScaleSetVM", 23999, 35),
            ("UpdateVMScaleSet", 1499, 11),
            ("DeleteVMScaleSet", 524, 11),
            ("GetOperation", 14999, 44),
        )
    ]


def test_compute_refuses_in_its_own_words_and_names_the_policy() -> None:
    azure = a_strict(UpdateVMScaleSetResource=[2, 0.05])
    azure.make_scale_set()
    azure.ask("PATCH", SET, {"tags": {"a": "1"}})
    azure.ask("PATCH", SET, {"tags": {"a": "1"}})

    refused = azure.ask("PATCH", SET, {"tags": {"a": "2"}})

    assert (refused.status, refused.headers["Retry-After"]) == (429, "20")
    assert "x-ms-failure-cause" not in refused.headers
    error = refused.json()["error"]
    assert (error["code"], error["message"]) == (
        "OperationNotAllowed",
        "The server rejected the request because too many requests have been received for this subscription.",
    )
    (detail,) = error["details"]
    assert (detail["code"], detail["target"]) == ("TooManyRequests", "UpdateVMScaleSetResource")
    assert json.loads(detail["message"])["allowedRequestCount"] == 2
    assert azure.ask("GET", SET).json()["tags"] == {"a": "1"}


def test_a_client_that_heeds_retry_after_gets_through() -> None:
    azure = a_strict(reads=[2, 0.1])
    transport = SimulatorTransport(azure.simulator)
    client = ResourceManagementClient(Credential(), SUBSCRIPTION, transport=transport, retry_policy=RetryPolicy())
    began = azure.simulator.now

    for _ in range(5):
        client.resource_groups.get("rg")

    assert azure.simulator.now - began == pytest.approx(30)


def test_clients_meet_computes_own_budgets_too() -> None:
    azure = a_strict(GetVMScaleSetResource=[2, 0.05], UpdateVMScaleSetResource=[1, 0.001])
    azure.make_scale_set()
    patient = ComputeManagementClient(Credential(), SUBSCRIPTION, transport=SimulatorTransport(azure.simulator))
    sets = azure.compute.virtual_machine_scale_sets
    for _ in range(2):
        sets.get("rg", "train")

    refused = refusal(sets.get, "rg", "train")
    began = azure.simulator.now
    found = patient.virtual_machine_scale_sets.get("rg", "train")
    waited = azure.simulator.now - began
    azure.start(sets.begin_update, "rg", "train", {"tags": {"a": "1"}})
    azure.wait(60)

    assert (refused[:2], found.name) == ((429, "OperationNotAllowed"), "train")
    assert waited == pytest.approx(20)
    assert refusal(sets.begin_update, "rg", "train", {"tags": {"a": "2"}})[:2] == (429, "OperationNotAllowed")


def test_a_client_that_does_not_is_refused() -> None:
    azure = a_strict(reads=[1, 0.1])
    azure.resources.resource_groups.get("rg")

    with pytest.raises(HttpResponseError) as refused:
        azure.resources.resource_groups.get("rg")

    assert refused.value.error is not None
    assert (refused.value.status_code, refused.value.error.code) == (429, "SubscriptionRequestsThrottled")


@pytest.mark.parametrize(
    ("budgets", "words"),
    [
        ({"colours": [1, 1]}, "there is no budget colours"),
        ({"reads": 5}, "budgets.reads is [what it holds"),
        ({"reads": [0, 1]}, "budgets.reads is [what it holds"),
        ({"reads": [5, 0]}, "budgets.reads is [what it holds"),
        ({"reads": [5, True]}, "budgets.reads is [what it holds"),
    ],
)
def test_a_budget_that_cannot_be_is_refused(budgets: Any, words: str) -> None:
    answer = Azure().ask("PUT", "/_simulator/world", {"settings": {"budgets": budgets}})

    assert (answer.status, answer.json()["error"][: len(words)]) == (400, words)
