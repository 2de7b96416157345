"""Whole runs on a simulated Azure in this process: what is told, what is written, and what a second run finds."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from provision.apply import Applying, Event
from provision.apply.loop import HEARTBEAT_S
from provision.apply.scheduler import LOCK, UNLOCK
from provision.arm import NAT_GATEWAYS, VIRTUAL_NETWORKS, ArmError, Request, group_id, resource_id
from provision.errors import StalePlan, Unreachable
from tests.apply.runs import LOCK_ID
from tests.support.azure import ENDPOINT, Azure
from tests.support.worlds import QUICK, SUBSCRIPTION

GROUP = "quick-southcentralus"
NETWORK, TRAIN = "stack southcentralus/network", "stack southcentralus/train-0"
GROUPS = ("group quick-home", "group quick-southcentralus")
DONE = dict.fromkeys((LOCK, *GROUPS, NETWORK, TRAIN, UNLOCK), "done")
LOCK_URL = "provision-lock-quick"
ONCE = {"count": 1}


def put(azure: Azure, type: str, *names: str, body: Any) -> None:
    """Write a resource as somebody else would."""
    id = resource_id(SUBSCRIPTION, GROUP, type, *names)
    headers = {"Authorization": "Bearer x", "Content-Type": "application/json"}
    url = f"{ENDPOINT}{id}?api-version=2025-05-01"
    assert azure.simulator.handle("PUT", url, headers, json.dumps(body).encode()).status in (200, 201)


def killed_at(azure: Azure, event: str, operation: str) -> None:
    """Apply QUICK, and die when an operation has got so far."""
    for told in azure.applying(azure.plan()).events():
        if (told.event, told.operation) == (event, operation):
            return
    raise AssertionError("it ended before")


def test_an_empty_azure_becomes_what_is_stated_and_the_next_plan_is_empty() -> None:
    azure = Azure()

    run = azure.apply()

    assert run.statuses == DONE
    assert azure.plan().empty
    assert azure.ids() == [
        "nodes",
        "quick-home",
        "quick-southcentralus",
        "quick-southcentralus-nat",
        "quick-southcentralus-nat-ip-0",
        "quick-southcentralus-nodes-nsg",
        "quick-southcentralus-vnet",
        "quick-train-0",
        "quick.network",
        "quick.train-0",
    ]


def test_a_run_tells_what_starts_and_ends_in_order() -> None:
    run = Azure(hard=False).apply()

    told = [(event.event, event.operation) for event in run.events if event.event != "write-answered"]
    assert told == [
        ("run-started", ""),
        ("operation-started", GROUPS[0]),
        ("operation-succeeded", GROUPS[0]),
        ("operation-started", LOCK),
        ("operation-succeeded", LOCK),
        ("lock-held", ""),
        ("operation-started", GROUPS[1]),
        ("operation-succeeded", GROUPS[1]),
        ("operation-started", NETWORK),
        ("operation-succeeded", NETWORK),
        ("operation-started", TRAIN),
        ("operation-succeeded", TRAIN),
        ("operation-started", UNLOCK),
        ("operation-succeeded", UNLOCK),
        ("run-ended", ""),
    ]
    assert run.events[-1].detail == "4 done"
    trained = next(event for event in run.events if event.operation == TRAIN)
    assert {key: text for key, text in trained.as_dict().items() if key not in ("at", "correlation_id")} == {
        "run": "run-1",
        "event": "operation-started",
        "operation": TRAIN,
        "unit": "train-0",
        "region": "southcentralus",
        "resource": f"/subscriptions/{SUBSCRIPTION}/resourceGroups/{GROUP}/providers/"
        "Microsoft.Resources/deploymentStacks/quick.train-0",
    }


def test_each_write_is_told_with_its_outcome_and_what_azures_support_asks_for() -> None:
    azure = Azure(hard=False)
    azure.fault("refuse", "TooManyRequests", url="quick.network", status=429, headers={"Retry-After": "20"}, count=1)
    run = azure.apply()

    written = [event for event in run.events if event.event == "write-answered"]
    assert [(event.operation, event.detail) for event in written] == [
        (GROUPS[0], "PUT 201"),
        (LOCK, "PUT 201"),
        (GROUPS[1], "PUT 201"),
        (NETWORK, "PUT 429 TooManyRequests"),
        (NETWORK, "PUT 201"),
        (TRAIN, "PUT 201"),
        (UNLOCK, "DELETE 200"),
    ]
    assert all(event.correlation_id for event in written)
    assert len(written) == len(azure.requests("PUT", "DELETE", "POST"))


def test_a_long_silence_is_broken_so_that_nobody_takes_the_run_for_dead() -> None:
    run = Azure(hard=False).apply(QUICK.replace("{ssh_from: [203.0.113.0/24]}", "{bastion: true}"))

    times = [event.at for event in run.events]
    assert max(after - before for before, after in pairwise(times)) <= HEARTBEAT_S
    assert next(event.detail for event in run.events if event.event == "heartbeat") == "1 waiting, 1 running, 2 done"


def test_two_regions_are_deployed_side_by_side() -> None:
    run = Azure().apply(QUICK.replace("pools:\n", '  eastus2: {zone: "1"}\npools:\n'))

    ends = {event.operation: event.at for event in run.events if event.event == "operation-succeeded"}
    starts = {event.operation: event.at for event in run.events if event.event == "operation-started"}
    assert starts["stack eastus2/train-0"] < ends[TRAIN]
    assert starts[TRAIN] < ends["stack eastus2/train-0"]


def test_growing_writes_one_stack_and_the_lock() -> None:
    azure = Azure()
    azure.apply()
    azure.control("DELETE", "log")

    azure.apply(QUICK.replace("nodes: 2", "nodes: 3"))

    stacks = "/providers/Microsoft.Resources/deploymentStacks"
    assert [row for row in azure.requests("PUT", "DELETE") if row[2] != 429] == [
        ("PUT", f"/resourceGroups/quick-home{stacks}/{LOCK_URL}", 201),
        ("PUT", f"/resourceGroups/{GROUP}{stacks}/quick.train-0", 200),
        ("DELETE", f"/resourceGroups/quick-home{stacks}/{LOCK_URL}", 200),
    ]
    assert azure.plan(QUICK.replace("nodes: 2", "nodes: 3")).empty


@pytest.mark.parametrize("text", [QUICK, QUICK.replace("{ssh_from", "{outbound: none, ssh_from")])
def test_destroying_leaves_nothing(text: str) -> None:
    azure = Azure()
    azure.apply(text)

    run = azure.apply(text, destroying=True)

    assert set(run.statuses.values()) == {"done"}
    assert azure.ids() == []


def test_an_environment_whose_home_group_somebody_deleted_can_be_destroyed() -> None:
    azure = Azure()
    azure.apply()
    azure.arm.send(Request("DELETE", group_id(SUBSCRIPTION, "quick-home")))
    azure.wait(300)

    run = azure.apply(destroying=True)

    assert set(run.statuses.values()) == {"done"}
    assert azure.ids() == []


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (
            {
                "effect": "refuse",
                "code": "TooManyRequests",
                "status": 429,
                "headers": {"Retry-After": "20"},
                "count": 1,
            },
            (NETWORK, "TooManyRequests; attempt 2 in 20 s"),
        ),
        (
            {"effect": "refuse", "code": "ServiceUnavailable", "status": 503, "count": 1},
            (NETWORK, "ServiceUnavailable; attempt 2 in 5 s"),
        ),
        (
            {"effect": "refuse", "code": "AnotherOperationInProgress", "status": 409, "count": 1},
            (NETWORK, "AnotherOperationInProgress; attempt 2 in 5 s"),
        ),
        (
            {"effect": "refuse", "code": "ResourceGroupNotFound", "status": 404, "count": 1},
            (NETWORK, "ResourceGroupNotFound; attempt 2 in 5 s"),
        ),
    ],
)
def test_what_passes_by_itself_is_waited_for(fault: dict[str, Any], told: tuple[str, str]) -> None:
    azure = Azure(hard=False)
    azure.fault(url="quick.network", **fault)

    run = azure.apply()

    assert run.statuses == DONE
    assert run.named("operation-waiting") == [told]


def test_a_poll_that_is_throttled_or_forgotten_loses_nothing() -> None:
    azure = Azure(hard=False)
    poll = "deploymentStackOperationStatus"
    azure.fault("refuse", "TooManyRequests", method="GET", url=poll, status=429, count=1)
    azure.fault("refuse", "ResourceNotFound", method="GET", url=poll, status=404, count=1)

    run = azure.apply()

    assert run.statuses == DONE
    assert run.named("operation-waiting") == [
        (NETWORK, "TooManyRequests; attempt 2 in 5 s"),
        (NETWORK, "ResourceNotFound; looking at the stack itself"),
    ]
    assert len([row for row in azure.requests("PUT") if row[1].endswith("quick.network")]) == 1


def test_a_lasting_refusal_ends_its_unit_and_what_depends_on_it_and_the_next_run_goes_on() -> None:
    azure = Azure()
    azure.fault("refuse", "AuthorizationFailed", url="quick.network", status=403, message="not allowed", count=1)

    run = azure.apply()

    assert run.statuses == {**DONE, NETWORK: "failed", TRAIN: "skipped"}
    assert run.named("operation-failed", "operation-skipped") == [
        (NETWORK, "AuthorizationFailed: not allowed"),
        (TRAIN, f"waits for: {NETWORK}"),
    ]
    assert LOCK_URL not in azure.ids()
    assert run.events[-1].detail == "2 done, 1 failed, 1 skipped"
    assert azure.apply().statuses == dict.fromkeys((LOCK, NETWORK, TRAIN, UNLOCK), "done")
    assert azure.plan().empty


def test_too_little_quota_fails_in_azures_words() -> None:
    azure = Azure()
    azure.control("PUT", "world", {"quota": {"southcentralus": {"standardNDSH100v5Family": 96}}})

    run = azure.apply()

    assert run.statuses == {**DONE, TRAIN: "failed"}
    assert run.progress.states[TRAIN].code == "QuotaExceeded"
    assert run.progress.states[TRAIN].detail.startswith(
        "QuotaExceeded: Operation could not be completed as it results in exceeding approved standardNDSH100v5Family "
        "Cores quota. Additional details - Deployment Model: Resource Manager, Location: southcentralus, "
        "Current Limit: 96, Current Usage: 0, Additional Required: 192, (Minimum) New Limit Required: 192."
    )


def test_a_deployment_that_fails_part_way_is_told_by_its_cause_and_converges_later() -> None:
    azure = Azure()
    azure.fault("fail-operation", "AllocationFailed", url="quick.train-0", message="no capacity", count=1)

    run = azure.apply()

    assert run.statuses == {**DONE, TRAIN: "failed"}
    assert run.named("operation-failed") == [(TRAIN, "AllocationFailed: no capacity")]
    assert azure.apply().statuses == {LOCK: "done", TRAIN: "done", UNLOCK: "done"}
    assert azure.plan().empty


def test_a_plan_that_azure_has_overtaken_is_not_carried_out_and_the_lock_is_released() -> None:
    azure = Azure()
    azure.apply()
    plan = azure.plan(QUICK.replace("nodes: 2", "nodes: 3"))
    azure.apply(QUICK.replace("nodes: 2", "nodes: 4"))
    azure.control("DELETE", "log")

    with pytest.raises(StalePlan) as stale:
        azure.carry_out(plan)

    assert [id.rsplit("/", 1)[1] for id in stale.value.changed] == ["quick-train-0", "quick.train-0"]
    written = [
        (method, path.rsplit("/", 1)[1]) for method, path, status in azure.requests("PUT", "DELETE") if status < 300
    ]
    assert written == [("PUT", LOCK_URL), ("DELETE", LOCK_URL)]


def test_a_plan_whose_ground_cannot_be_read_again_is_not_carried_out_and_the_lock_is_released() -> None:
    azure = Azure()
    plan = azure.plan()
    azure.fault("refuse", "AuthorizationFailed", method="GET", url="resourcegroups\\?", status=403, message="no longer")

    with pytest.raises(ArmError, match="AuthorizationFailed: no longer"):
        azure.carry_out(plan)

    assert azure.ids() == ["quick-home"]


def test_a_second_run_at_the_same_time_writes_nothing() -> None:
    azure = Azure()
    killed_at(azure, "operation-succeeded", NETWORK)

    second = azure.carry_out(azure.plan(), run="run-2")

    assert second.statuses[LOCK] == "failed"
    assert {state for id, state in second.statuses.items() if id != LOCK} == {"skipped"}
    state = second.progress.states[LOCK]
    assert (state.code, state.detail) == (
        "LockHeld",
        "run run-1 on here:1, since 2026-12-01T00:00:00Z, until 2026-12-01T00:30:00Z if it does not renew",
    )
    assert LOCK_URL in azure.ids()


def test_a_run_that_was_killed_is_taken_over_once_its_lock_has_run_out() -> None:
    azure = Azure()
    killed_at(azure, "operation-started", TRAIN)
    azure.wait(1800)

    second = azure.carry_out(azure.plan(), run="run-2")

    assert [told for told in second.named("operation-waiting") if told[0] == LOCK] == [
        (
            LOCK,
            "taking over the expired lock of run run-1 on here:1, since 2026-12-01T00:00:00Z, "
            "until 2026-12-01T00:30:00Z if it does not renew",
        )
    ]
    assert set(second.statuses.values()) == {"done"}
    assert azure.plan().empty
    assert LOCK_URL not in azure.ids()


def test_a_deployment_that_a_killed_run_has_begun_is_waited_for_not_made_twice() -> None:
    azure = Azure()
    killed_at(azure, "operation-started", TRAIN)
    azure.arm.send(Request("DELETE", LOCK_ID))
    azure.wait(20)  # until lists show how far it has come

    second = azure.carry_out(azure.plan(), run="run-2")

    assert second.named("operation-waiting") == [(TRAIN, "its deployment runs already; waiting for it to end")]
    assert second.statuses == {LOCK: "done", TRAIN: "done", UNLOCK: "done"}
    assert azure.plan().empty


def test_a_claim_whose_answer_was_lost_is_still_ours() -> None:
    azure = Azure(hard=False)

    class Losing:
        """The way to Azure, on which the first answer to a claim of the lock is lost."""

        lost = False

        def send(self, request: Request) -> Any:
            answer = send(request)
            if request.method == "PUT" and request.id == LOCK_ID and not self.lost:
                self.lost = True
                raise ArmError(503, "ConnectionBroken", "the connection broke")
            return answer

    send = azure.arm.send
    azure.arm.send = Losing().send  # type: ignore[method-assign] # a network that loses an answer
    run = azure.apply()

    assert run.statuses == DONE
    assert run.named("operation-waiting") == [(LOCK, "ConnectionBroken; attempt 2 in 5 s")]
    assert LOCK_URL not in azure.ids()


def test_a_stop_lets_azure_finish_starts_nothing_and_releases_the_lock() -> None:
    azure = Azure()

    def stop(event: Event, applying: Applying) -> None:
        if (event.event, event.operation) == ("operation-started", NETWORK):
            applying.stop()

    run = azure.carry_out(azure.plan(), each=stop)

    assert run.statuses == {**DONE, NETWORK: "running", TRAIN: "skipped"}
    stopping = [event.event for event in run.events].index("run-stopping")
    assert {event.operation for event in run.events[stopping:]} == {"", UNLOCK}
    assert LOCK_URL not in azure.ids()
    assert set(azure.apply_again().statuses.values()) == {"done"}
    assert azure.plan().empty


@pytest.mark.parametrize("at", range(16))
def test_wherever_a_run_is_stopped_it_leaves_no_lock_and_the_next_one_converges(at: int) -> None:
    azure = Azure()
    seen: list[str] = []

    def stop(event: Event, applying: Applying) -> None:
        seen.append(event.event)
        if len(seen) == at + 1:
            applying.stop()

    azure.carry_out(azure.plan(), each=stop)

    assert LOCK_URL not in azure.ids()
    azure.apply_again()
    assert azure.plan().empty


def test_a_lock_that_cannot_be_renewed_stops_the_run_when_it_runs_out() -> None:
    azure = Azure()
    azure.apply()
    azure.fault("refuse", "AnotherOperationInProgress", url="quick.train-0", status=409, headers={"Retry-After": "400"})

    def forbid_renewal(event: Event, applying: Applying) -> None:
        if event.event == "lock-held":
            azure.fault("refuse", "ServiceUnavailable", url=LOCK_URL, status=503, message="later")

    run = azure.carry_out(azure.plan(QUICK.replace("nodes: 2", "nodes: 3")), each=forbid_renewal)

    told = [(event.event, event.detail) for event in run.events if event.event.startswith("lock-")]
    assert told[:2] == [("lock-held", ""), ("lock-not-renewed", "ServiceUnavailable: later")]
    assert told[-1] == ("lock-lost", "it ran out before it could be renewed; starting nothing new")
    assert run.statuses == {LOCK: "done", TRAIN: "running", UNLOCK: "done"}
    assert run.events[-1].at - run.events[0].at == pytest.approx(1800, abs=10)


def test_a_subnet_that_somebody_puts_into_our_network_meanwhile_saves_it() -> None:
    azure = Azure()
    azure.apply()

    def add(event: Event, applying: Applying) -> None:
        if event.operation.endswith("/quick-train-0") and event.event == "operation-started":
            put(
                azure,
                VIRTUAL_NETWORKS + "/subnets",
                f"{GROUP}-vnet",
                "theirs",
                body={"properties": {"addressPrefix": "10.87.255.0/24"}},
            )

    run = azure.carry_out(azure.plan(destroying=True), each=add)

    failed = [(run.progress.operations[id].target.name, detail) for id, detail in run.named("operation-failed")]
    assert failed == [(f"{GROUP}-vnet", "subnet theirs in it is not ours, so it was left alone")]
    assert {f"{GROUP}-vnet", "theirs", "quick.network", GROUP, "quick-home"} <= set(azure.ids())


def test_a_resource_that_loses_our_mark_meanwhile_is_left_alone() -> None:
    azure = Azure()
    azure.apply()

    def take(event: Event, applying: Applying) -> None:
        if event.operation.endswith("/quick-train-0") and event.event == "operation-started":
            put(azure, NAT_GATEWAYS, f"{GROUP}-nat", body={**gateway, "tags": {"owner": "them"}})

    gateway = azure.arm.send(Request("GET", resource_id(SUBSCRIPTION, GROUP, NAT_GATEWAYS, f"{GROUP}-nat"))).body

    run = azure.carry_out(azure.plan(destroying=True), each=take)

    failed = [(run.progress.operations[id].target.name, detail) for id, detail in run.named("operation-failed")]
    assert failed == [(f"{GROUP}-nat", "it no longer carries our mark, so it was left alone")]
    assert f"{GROUP}-nat" in azure.ids()


def test_a_group_in_which_something_has_appeared_meanwhile_is_kept() -> None:
    azure = Azure()
    azure.apply()

    def add(event: Event, applying: Applying) -> None:
        if event.operation.endswith("/quick-train-0") and event.event == "operation-started":
            body = {"location": "southcentralus", "properties": {}}
            put(azure, "Microsoft.Network/networkSecurityGroups", "theirs", body=body)

    run = azure.carry_out(azure.plan(destroying=True), each=add)

    kept = [detail for _, detail in run.named("operation-succeeded") if detail.startswith("kept")]
    assert kept == ["kept: theirs is in it and not ours"]
    assert azure.ids() == [GROUP, "theirs"]


def test_a_credential_that_fails_for_a_moment_ends_nothing() -> None:
    azure = Azure(hard=False)
    fails = [Unreachable("Azure gives no token: expired", fix="log in (az login)")]
    send = azure.arm.send

    def sometimes(request: Request) -> Any:
        if fails and request.url:
            raise fails.pop()
        return send(request)

    azure.arm.send = sometimes  # type: ignore[method-assign] # a credential that expires during a wait
    run = azure.apply()

    assert run.statuses == DONE
    assert run.named("operation-waiting") == [(NETWORK, "Unreachable; attempt 2 in 5 s")]


def test_a_deployment_that_fails_for_a_passing_reason_is_repeated_and_what_depends_on_it_waits() -> None:
    azure = Azure()
    azure.fault("fail-operation", "AnotherOperationInProgress", url="natGateways", message="later", count=2)

    run = azure.apply()

    assert run.statuses == DONE
    assert run.named("operation-failed") == []
    repeated = [(id, detail) for id, detail in run.named("operation-waiting") if "once more" in detail]
    assert repeated == [
        (NETWORK, "AnotherOperationInProgress; deploying once more in 10 s"),
        (NETWORK, "AnotherOperationInProgress; deploying once more in 20 s"),
    ]
    assert azure.plan().changes == ()


def test_a_deployment_that_never_gets_through_is_given_up_after_six_more() -> None:
    azure = Azure()
    azure.fault("fail-operation", "AnotherOperationInProgress", url="natGateways", message="later", count=99)

    run = azure.apply()

    assert run.statuses[NETWORK] == "failed"
    assert len([detail for _, detail in run.named("operation-waiting") if "once more" in detail]) == 6


def test_a_deployment_that_fails_for_a_reason_that_stays_is_not_repeated() -> None:
    azure = Azure()
    azure.fault("fail-operation", "RequestDisallowedByPolicy", url="natGateways", message="never", count=1)

    run = azure.apply()

    assert run.statuses[NETWORK] == "failed"
    assert len([1 for method, path, _ in azure.requests("PUT") if path.endswith("/quick.network")]) == 1
