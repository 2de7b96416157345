"""Each kind of operation, step by step: what an answer, or a refusal, leads to."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from provision.apply.lock import claim
from provision.apply.steps import Ask, Done, Failed, Move, answered, first, in_time, refused
from provision.arm import SUBNETS, VIRTUAL_NETWORKS, Answer, ArmError, Request, ResourceId, resource_id
from provision.plan.model import Operation
from tests.apply.runs import (
    HOME,
    LOCK_ID,
    OURS,
    POLL,
    START,
    SUBSCRIPTION,
    THEIRS,
    a_stack,
    an_operation,
    gone,
    lock_of,
)

NETWORK = resource_id(SUBSCRIPTION, "quick-southcentralus", VIRTUAL_NETWORKS, "vnet")
SUBNET = resource_id(SUBSCRIPTION, "quick-southcentralus", SUBNETS, "vnet", "nodes")
STACK = a_stack("train-0")
DELETE = an_operation("delete", NETWORK, mark="quick/network")
DELETE_GROUP = an_operation("delete-group", HOME)
AWAIT = an_operation("await-empty", SUBNET)
UNSTACK = an_operation("delete-stack", STACK.target)
LOCK = an_operation("lock", LOCK_ID)
UNLOCK = an_operation("unlock", LOCK_ID)
FORBIDDEN = ArmError(403, "AuthorizationFailed", "The client 'x' does not have authorization.")


def after(operation: Operation, phase: str, answer: Answer, polls: int = 1) -> Move:
    return answered(operation, phase, answer, polls, OURS, START)


def after_refusal(operation: Operation, phase: str, error: ArmError, attempt: int = 1, url: str = "") -> Move:
    ask = Ask(phase, Request("GET", operation.target, url=url))
    return refused(operation, ask, error, attempt, OURS, START)


def get(id: ResourceId) -> Request:
    return Request("GET", id)


@pytest.mark.parametrize(
    ("operation", "method", "phase"),
    [
        (an_operation("put-group", HOME), "PUT", "write"),
        (STACK, "PUT", "write"),
        (DELETE, "GET", "look"),
        (AWAIT, "GET", "look"),
        (DELETE_GROUP, "LIST", "look"),
        (UNSTACK, "DELETE", "write"),
        (LOCK, "GET", "look"),
        (UNLOCK, "GET", "look"),
    ],
)
def test_whatever_could_harm_looks_before_it_writes(operation: Operation, method: str, phase: str) -> None:
    ask = first(operation, OURS)

    assert (ask.phase, ask.request.method, ask.request.id) == (phase, method, operation.target)


def test_there_is_no_other_kind() -> None:
    with pytest.raises(AssertionError, match="no operation is of kind reboot"):
        first(an_operation("reboot", HOME), OURS)
    with pytest.raises(AssertionError, match="no operation has a phase dream"):
        after(STACK, "dream", Answer(200))


# --- deletions: their preconditions, and that a deletion is believed when it is seen ---


def test_a_resource_with_our_mark_is_deleted() -> None:
    there = Answer(200, {"tags": {"Provision": "quick/network"}, "properties": {"subnets": []}})

    assert after(DELETE, "look", there) == Ask("write", Request("DELETE", NETWORK))


@pytest.mark.parametrize("tags", [None, {}, {"provision": "quick/train-0"}, {"provision": "other/network"}])
def test_a_resource_that_has_lost_our_mark_is_left_alone(tags: dict[str, str] | None) -> None:
    assert after(DELETE, "look", Answer(200, {"tags": tags})) == Failed(
        "NotOurs", "it no longer carries our mark, so it was left alone"
    )


def test_a_network_in_which_somebody_has_put_a_subnet_is_left_alone() -> None:
    there = Answer(200, {"tags": {"provision": "quick/network"}, "properties": {"subnets": [{"name": "theirs"}]}})

    assert after(DELETE, "look", there) == Failed("NotOurs", "subnet theirs in it is not ours, so it was left alone")


def test_a_subnet_has_no_tags_and_needs_no_mark() -> None:
    delete = an_operation("delete", SUBNET, mark="quick/network")

    assert after(delete, "look", Answer(200, {"properties": {}})) == Ask("write", Request("DELETE", SUBNET))


def test_a_group_waits_until_lists_show_no_more_what_was_ours() -> None:
    delete = an_operation("delete-group", HOME, mark="quick")
    ours, theirs = {"name": "ours", "tags": {"provision": "quick/network"}}, {"name": "theirs", "tags": {}}

    assert after(delete, "look", Answer(200, {"value": [theirs, ours]})) == Ask("look", Request("LIST", HOME), 10)
    assert after(delete, "look", Answer(200, {"value": [theirs]})) == Done("kept: theirs is in it and not ours")
    late = answered(delete, "look", Answer(200, {"value": [ours]}), 13, OURS, START)
    assert late == Done("kept: ours is in it and not ours")


def test_a_resource_of_a_user_s_own_type_is_asked_for_by_its_api_version_and_may_take_no_tags() -> None:
    vault = ResourceId(f"{HOME}/providers/Microsoft.KeyVault/vaults/keys")
    tagged = replace(an_operation("delete", vault, mark="quick/keys"), api_version="2024-11-01")
    plain = replace(tagged, mark="")
    delete = Ask("write", Request("DELETE", vault, api_version="2024-11-01"))
    refusal = Failed("NotOurs", "it no longer carries our mark, so it was left alone")

    assert first(tagged, OURS) == Ask("look", Request("GET", vault, api_version="2024-11-01"))
    assert after(tagged, "look", Answer(200, {"tags": {"provision": "quick/keys"}})) == delete
    assert after(tagged, "look", Answer(200, {})) == refusal
    assert after(plain, "look", Answer(200, {})) == delete
    assert after(plain, "look", Answer(200, {"tags": {"provision": "other/keys"}})) == refusal
    assert after(plain, "write", Answer(200)) == Ask("verify", Request("GET", vault, api_version="2024-11-01"))


def test_a_group_goes_only_when_nothing_is_in_it() -> None:
    assert after(DELETE_GROUP, "look", Answer(200, {"value": []})) == Ask("write", Request("DELETE", HOME))
    assert after(DELETE_GROUP, "look", Answer(200, {"value": [{"name": "theirs"}]})) == Done(
        "kept: theirs is in it and not ours"
    )


@pytest.mark.parametrize(
    ("operation", "phase", "then"),
    [
        (DELETE, "look", Done("was gone already")),
        (DELETE, "write", Done("was gone already")),
        (DELETE, "poll", Ask("verify", get(NETWORK))),
        (DELETE, "verify", Done()),
        (DELETE_GROUP, "look", Done("was gone already")),
        (DELETE_GROUP, "poll", Ask("verify", get(HOME))),
        (DELETE_GROUP, "verify", Done()),
        (AWAIT, "look", Done("was gone already")),
        (UNSTACK, "write", Done("was gone already")),
        (UNLOCK, "look", Ask("write", Request("DELETE", LOCK_ID))),  # a read may not show yet what was just claimed
        (UNLOCK, "write", Done("was gone already")),
        (LOCK, "look", Ask("claim", claim(LOCK_ID, OURS))),
        (STACK, "attach", first(STACK, OURS)),
        (
            STACK,
            "poll",
            Ask("explain", get(STACK.target), 15, "ResourceNotFound; looking at the stack itself"),
        ),
        (STACK, "explain", Failed("ResourceNotFound", "ResourceNotFound: The Resource was not found.")),
        (STACK, "write", Failed("ResourceNotFound", "ResourceNotFound: The Resource was not found.")),
    ],
)
def test_what_there_is_not_means_something_else_in_each_phase(operation: Operation, phase: str, then: Move) -> None:
    assert after_refusal(operation, phase, gone()) == then


def test_a_group_made_a_moment_ago_may_not_be_known_everywhere_yet() -> None:
    move = after_refusal(STACK, "write", gone("ResourceGroupNotFound"))

    assert move == Ask("write", get(STACK.target), 5, "ResourceGroupNotFound; attempt 2 in 5 s")


def test_a_deletion_that_is_done_is_verified() -> None:
    assert after(DELETE, "poll", Answer(200, {"status": "Succeeded"})) == Ask("verify", get(NETWORK))
    assert after(DELETE, "poll", Answer(204)) == Ask("verify", get(NETWORK))
    assert after(DELETE, "write", Answer(204)) == Ask("verify", get(NETWORK))
    assert after(UNSTACK, "write", Answer(200)) == Done()


def test_what_is_deleted_and_still_shows_is_looked_at_again_and_at_last_told() -> None:
    there = Answer(200, {"name": "vnet"})

    assert after(DELETE, "verify", there, polls=1) == Ask("verify", get(NETWORK), 10)
    assert after(DELETE, "verify", there, polls=91) == Failed(
        "StillThere", "Azure says that it is deleted, and still shows it"
    )


def test_a_subnet_is_waited_for_until_its_interfaces_have_left() -> None:
    held = Answer(200, {"properties": {"ipConfigurations": [{"id": "/nic/0"}, {"id": "/nic/1"}]}})

    assert after(AWAIT, "look", held) == Ask("look", get(SUBNET), 10)
    assert after(AWAIT, "look", held, polls=91) == Failed("SubnetInUse", "2 interfaces stay in it, /nic/0 for one")
    assert after(AWAIT, "look", Answer(200, {"properties": {}})) == Done()


def test_interfaces_that_linger_are_waited_for_when_azure_refuses_the_deletion() -> None:
    error = ArmError(400, "InUseSubnetCannotBeDeleted", "Subnet nodes is in use by /nic/0 and cannot be deleted.")

    assert after_refusal(DELETE, "write", error) == Ask(
        "write", get(NETWORK), 5, "InUseSubnetCannotBeDeleted; attempt 2 in 5 s"
    )


# --- deployments ---


def test_a_deployment_that_another_run_began_is_waited_for_and_then_sent() -> None:
    running = ArmError(409, "DeploymentStackInNonTerminalState", "The stack is in a non-terminal state.")
    told = "its deployment runs already; waiting for it to end"

    assert after_refusal(STACK, "write", running) == Ask("attach", get(STACK.target), 15, told)
    for state in ("deploying", "initializing", "waiting", ""):
        answer = Answer(200, {"properties": {"provisioningState": state}})
        assert after(STACK, "attach", answer) == Ask("attach", get(STACK.target), 15)
    for state in ("succeeded", "failed", "Canceled"):
        assert after(STACK, "attach", Answer(200, {"properties": {"provisioningState": state}})) == first(STACK, OURS)


def test_a_deployment_whose_operation_cannot_be_asked_any_more_is_told_by_the_stack() -> None:
    def told(state: str, **more: object) -> Move:
        return after(STACK, "explain", Answer(200, {"properties": {"provisioningState": state, **more}}))

    assert told("deploying") == Ask("explain", get(STACK.target), 15)
    assert told("succeeded") == Done()
    assert told("failed", error={"code": "DeploymentFailed", "message": "why"}) == Failed(
        "DeploymentFailed", "DeploymentFailed: why"
    )
    assert told("failed") == Failed("DeploymentFailed", "DeploymentFailed: Azure gave no reason")
    assert told("failed", failedResources=[{"id": "/x", "error": {"code": "Conflict", "message": "y"}}]) == Failed(
        "Conflict", "Conflict: y"
    )


def test_a_deployment_that_failed_is_told_by_its_innermost_causes() -> None:
    assert after(STACK, "poll", Answer(200, {"status": "failed"})) == Ask("explain", get(STACK.target))
    quota = {"code": "QuotaExceeded", "message": "exceeding approved standardNDSH100v5Family Cores quota"}
    nested = {
        "code": "DeploymentStackDeploymentFailed",
        "message": "One or more resources could not be deployed.",
        "details": [
            {
                "code": "DeploymentFailed",
                "message": "At least one resource deployment operation failed.",
                "details": [
                    {"code": "Conflict", "message": json.dumps({"status": "Failed", "error": quota})},
                    {"code": "Conflict", "message": json.dumps({"error": quota})},
                ],
            }
        ],
    }

    answer = Answer(200, {"properties": {"provisioningState": "failed", "error": nested}})

    assert after(STACK, "explain", answer) == Failed(
        "QuotaExceeded", "QuotaExceeded: exceeding approved standardNDSH100v5Family Cores quota"
    )


def test_a_deletion_that_failed_is_told_by_its_causes() -> None:
    failed = Answer(200, {"status": "Failed", "error": {"code": "NicInUse", "message": "held"}})

    assert after(DELETE, "poll", failed) == Failed("NicInUse", "NicInUse: held")
    assert after(DELETE, "poll", Answer(200, {"status": "Canceled"})) == Failed(
        "OperationFailed", "OperationFailed: Azure gave no reason"
    )


@pytest.mark.parametrize("answer", [Answer(202), Answer(200, {"status": "InProgress"}), Answer(200, {"status": "New"})])
def test_what_is_not_at_its_end_is_polled_again(answer: Answer) -> None:
    assert after(DELETE, "poll", answer) == Ask("poll", get(NETWORK), 6.25)


def test_a_write_that_azure_goes_on_with_is_polled() -> None:
    answer = Answer(201, {}, POLL, retry_after_s=10)

    assert after(STACK, "write", answer) == Ask("poll", Request("GET", STACK.target, url=POLL), 10)
    assert after(STACK, "write", Answer(201)) == Done()


def test_what_no_time_cures_fails_at_once_and_says_why() -> None:
    assert after_refusal(STACK, "write", FORBIDDEN) == Failed(
        "AuthorizationFailed", "AuthorizationFailed: The client 'x' does not have authorization."
    )


def test_no_operation_waits_longer_than_any_takes() -> None:
    ask = Ask("poll", get(NETWORK), 15, "TooManyRequests; attempt 3 in 15 s")

    assert in_time(STACK, ask, 100) is ask
    assert in_time(STACK, ask, 30_000) == Failed(
        "NoEnd", "it has not ended after 500 min; the last time: TooManyRequests; attempt 3 in 15 s"
    )
    assert in_time(LOCK, Ask("look", get(LOCK_ID), 5), 600) == Failed("NoEnd", "it has not ended after 10 min")
    assert in_time(LOCK, Done(), 9e9) == Done()


# --- the lock ---


def test_a_lock_that_is_held_is_left_alone_after_a_second_look() -> None:
    held = "run run-2 on there:2, since 2026-11-30T23:59:00Z, until 2026-12-01T00:05:00Z if it does not renew"

    assert after(LOCK, "look", lock_of(THEIRS)) == Ask("look", get(LOCK_ID), 10, f"it is held by {held}; looking again")
    assert answered(LOCK, "look", lock_of(THEIRS), 2, OURS, START) == Failed("LockHeld", held)


def test_a_lock_that_has_run_out_is_taken_over_and_looked_at_again() -> None:
    later = START + 300
    move = answered(LOCK, "look", lock_of(THEIRS), 1, OURS, later)

    assert move == Ask(
        "take-over",
        claim(LOCK_ID, OURS),
        told="taking over the expired lock of run run-2 on there:2, since 2026-11-30T23:59:00Z, "
        "until 2026-12-01T00:05:00Z if it does not renew",
    )
    assert answered(LOCK, "take-over", Answer(200), 1, OURS, later) == Ask("look", get(LOCK_ID), 15)
    assert answered(LOCK, "look", lock_of(OURS), 1, OURS, later) == Done()


@pytest.mark.parametrize("tags", [None, {}, {"provision-run": "x", "provision-until": "tomorrow"}])
def test_a_lock_whose_tags_are_broken_counts_as_expired(tags: dict[str, str] | None) -> None:
    move = after(LOCK, "look", Answer(200, {"tags": tags}))

    assert isinstance(move, Ask)
    assert move.phase == "take-over"


def test_only_the_first_of_two_claims_has_the_lock() -> None:
    assert after(LOCK, "claim", Answer(201)) == Done()
    assert after(LOCK, "claim", Answer(200)) == Failed("LockHeld", "another run claimed the lock in the same moment")


@pytest.mark.parametrize(
    "error",
    [
        ArmError(503, "ConnectionBroken", "the connection broke"),
        ArmError(409, "DeploymentStackInNonTerminalState", "The stack is in a non-terminal state."),
    ],
)
@pytest.mark.parametrize("phase", ["claim", "take-over"])
def test_a_claim_that_may_have_got_through_is_looked_at_before_it_is_repeated(phase: str, error: ArmError) -> None:
    move = after_refusal(LOCK, phase, error)

    assert move == Ask("look", get(LOCK_ID), 5, f"{error.code}; attempt 2 in 5 s")


def test_a_claim_that_is_forbidden_fails() -> None:
    assert after_refusal(LOCK, "claim", FORBIDDEN) == Failed(
        "AuthorizationFailed", "AuthorizationFailed: The client 'x' does not have authorization."
    )


def test_a_lock_is_released_only_by_the_run_that_it_names() -> None:
    assert after(UNLOCK, "look", lock_of(OURS)) == Ask("write", Request("DELETE", LOCK_ID))
    assert after(UNLOCK, "look", lock_of(THEIRS)) == Done(f"it is held by {THEIRS.told()}")


MARK = an_operation("mark", NETWORK, mark="quick/network")


@pytest.mark.parametrize(
    ("tags", "then"),
    [
        ({"team": "hpc"}, Ask("write", Request("PATCH", NETWORK))),
        (None, Ask("write", Request("PATCH", NETWORK))),
        ({"Provision": "quick/network"}, Done("carries our mark already")),
        (
            {"provision": "other/network"},
            Failed("NotOurs", "it carries the mark other/network by now, so it was left alone"),
        ),
    ],
)
def test_a_mark_is_put_only_on_what_carries_none(tags: dict[str, str] | None, then: Move) -> None:
    assert first(MARK, OURS) == Ask("look", get(NETWORK))
    assert after(MARK, "look", Answer(200, {"tags": tags} if tags else {})) == then
    assert after(MARK, "write", Answer(200, {"properties": {"tags": tags}})) == Done()


def test_what_is_gone_is_not_marked() -> None:
    assert after_refusal(MARK, "look", gone()) == Failed(
        "ResourceNotFound", "ResourceNotFound: The Resource was not found."
    )
