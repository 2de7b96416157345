"""What Azure's failures mean: which pass, which are waited out, which need somebody, and what is told of each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from provision.arm import ArmError
from provision.failures import (
    MOST_ATTEMPTS,
    TABLE,
    Class,
    cannot_work_now,
    failure_of,
    remedy_for,
    retry_in,
    retry_read_in,
)


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (ArmError(429, "TooManyRequests", "", retry_after_s=17), 17),
        (ArmError(429, "TooManyRequests", "", retry_after_s=0), 0),
        (ArmError(503, "ServiceUnavailable", ""), 5),
        (ArmError(504, "GatewayTimeout", ""), 5),
        (ArmError(0, "ConnectionFailed", ""), 5),
        (ArmError(409, "AnotherOperationInProgress", ""), 5),
        (ArmError(400, "ReferencedResourceNotProvisioned", ""), 5),
        (ArmError(400, "InUseSubnetCannotBeDeleted", ""), 5),
        (ArmError(404, "ResourceGroupNotFound", ""), 5),
        (ArmError(400, "InvalidTemplateDeployment", "", details=(("RetryableError", "", ""),)), 5),
        (ArmError(400, "Invalid", "", details=(("RetryableError", "", ""), ("QuotaExceeded", "", ""))), None),
        (ArmError(409, "OperationNotAllowed", "exceeding approved quota"), None),
        (ArmError(409, "SkuNotAvailable", ""), None),
        (ArmError(403, "AuthorizationFailed", ""), None),
        (ArmError(403, "RequestDisallowedByPolicy", ""), None),
        (ArmError(404, "ResourceNotFound", ""), None),
        (ArmError(401, "InvalidAuthenticationToken", ""), None),
        (ArmError(0, "OtherHost", ""), None),
    ],
)
def test_only_what_passes_by_itself_is_tried_again(error: ArmError, seconds: float | None) -> None:
    assert retry_in(error, 1) == seconds


def test_pauses_double_up_to_a_minute_and_attempts_end() -> None:
    busy = ArmError(503, "ServiceUnavailable", "")

    assert [retry_in(busy, attempt) for attempt in range(1, MOST_ATTEMPTS + 1)] == [5, 10, 20, 40, 60, 60, 60, None]
    assert retry_in(ArmError(503, "ServiceUnavailable", "", retry_after_s=1), MOST_ATTEMPTS) is None


def test_too_many_requests_are_no_failure_however_often() -> None:
    assert retry_in(ArmError(429, "SubscriptionRequestsThrottled", "", retry_after_s=1), 10 * MOST_ATTEMPTS) == 1


@pytest.mark.parametrize(
    ("error", "pauses"),
    [
        (ArmError(503, "ServiceUnavailable", ""), [0.5, 1, 2, 4, None]),
        (ArmError(503, "ServiceUnavailable", "", retry_after_s=7), [7, 7, 7, 7, None]),
        (ArmError(401, "ExpiredAuthenticationToken", ""), [0.5, None]),
        (ArmError(0, "ConnectionFailed", ""), [0.5, None]),
        (ArmError(403, "AuthorizationFailed", ""), [None]),
        (ArmError(404, "ResourceNotFound", ""), [None]),
    ],
)
def test_lists_are_given_up_sooner_because_people_wait(error: ArmError, pauses: list[float | None]) -> None:
    assert [retry_read_in(error, attempt, 0) for attempt in range(1, len(pauses) + 1)] == pauses


def test_a_list_that_is_one_too_many_waits_its_turn_for_ten_minutes() -> None:
    busy = ArmError(429, "SubscriptionRequestsThrottled", "", retry_after_s=3)

    assert [retry_read_in(busy, 50, elapsed) for elapsed in (0, 599, 600)] == [3, 3, None]
    assert retry_read_in(ArmError(429, "TooManyRequests", ""), 50, 0) == 5


@pytest.mark.parametrize(
    ("cause", "remedy"),
    [
        ("ZonalAllocationFailed: Allocation failed. We do not have", "Azure has no room just now: try later"),
        ("OverconstrainedZonalAllocationRequest: Allocation failed.", "Azure has no room just now for all that"),
        ("OSProvisioningTimedOut: OS Provisioning for VM 'train_3'", "see what the node's serial console says"),
        ("VMExtensionProvisioningError: VM has reported a failure", "see the extension's own log on the node"),
        ("InternalServerError: An error occurred.", ""),
    ],
)
def test_a_cause_that_waiting_alone_does_not_mend_has_a_remedy(cause: str, remedy: str) -> None:
    assert remedy_for(cause).startswith(remedy)
    assert bool(remedy_for(cause)) == bool(remedy)


QUOTA = (
    "Operation could not be completed as it results in exceeding approved standardNDSH100v5Family Cores quota. "
    "Additional details - Deployment Model: Resource Manager, Location: eastus, Current Limit: 960, Current Usage: "
    "192, Additional Required: 864, (Minimum) New Limit Required: 1056."
)
CLUSTER = (
    "Allocation failed. If you are trying to add a new VM to a Virtual Machine Scale Set with a single placement group "
    "or update/resize an existing VM in a Virtual Machine Scale Set with a single placement group, please note that "
    "such allocation is scoped to a single cluster, and it is possible that the cluster is out of capacity."
)


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        ("OperationNotAllowed", QUOTA, Class.HUMAN),
        ("OperationNotAllowed", QUOTA.replace("standardNDSH100v5Family", "LowPriority"), Class.HUMAN),
        (
            "OperationNotAllowed",
            "Operation results in exceeding quota limits of Core. Maximum allowed: 50, Current in use: 48, Additional "
            "requested: 4.",
            Class.HUMAN,
        ),
        (
            "OperationNotAllowed",
            "Unable to create or update VirtualMachineScaleSet 'train' as it exceeds the total limit of '100' Virtual "
            "Machine instances.",
            Class.HUMAN,
        ),
        ("AllocationFailed", CLUSTER, Class.LATER),
        ("ZonalAllocationFailed", "Allocation failed. We do not have sufficient capacity", Class.LATER),
        ("OverconstrainedAllocationRequest", "Allocation failed. VM(s) with the following constraints", Class.LATER),
        ("OverconstrainedZonalAllocationRequest", "Allocation failed. VM(s) with the following", Class.LATER),
        ("SkuNotAvailable", "The requested VM size for resource 'Following SKUs have failed for", Class.ELSEWHERE),
        ("PropertyChangeNotAllowed", "Changing property 'zones' is not allowed.", Class.OURS),
        ("AnotherOperationInProgress", "Another operation on this or dependent resource is in progress.", Class.NOW),
        ("ReferencedResourceNotProvisioned", "Cannot proceed with operation because resource", Class.NOW),
        ("ScopeLocked", "The scope '/x' cannot perform write operation because following scope(s)", Class.HUMAN),
        ("RequestDisallowedByPolicy", "Resource 'n' was disallowed by policy.", Class.HUMAN),
    ],
)
def test_azures_own_words_fall_into_their_class(code: str, message: str, kind: Class) -> None:
    row = failure_of(code, message)

    assert row is not None
    assert row.kind is kind
    assert cannot_work_now(code, message) == (kind not in (Class.NOW, Class.OURS))


def test_quota_and_the_placement_limit_have_remedies_of_their_own_behind_one_code() -> None:
    assert remedy_for(f"OperationNotAllowed: {QUOTA}").startswith("ask for the quota")
    assert remedy_for("OperationNotAllowed: it exceeds the total limit of '100'").startswith("ask Azure support")
    assert remedy_for("OperationNotAllowed: stop the nodes first").startswith("see what the message asks for")


def test_only_what_passes_by_itself_has_nothing_to_be_done() -> None:
    assert [row.code for row in TABLE if bool(row.remedy) == (row.kind is Class.NOW)] == []


FACTS = Path(__file__).parents[2] / "shared" / "facts" / "azure-nd-h100.md"
#: Codes that mean nothing by themselves, and why.
OTHERWISE = {
    "DeploymentFailed": "its causes are inside",
    "Conflict": "its message says what it is",
    "RoleAssignmentExists": "no role is assigned",
    "ResourceNotFound": "what is not there is the matter of the step that asked",
    "ParentResourceNotFound": "the same",
    "NotFound": "the same",
    "InternalServerError": "known by its status",
    "ServerTimeout": "known by its status",
    "GatewayTimeout": "known by its status",
    "ServiceUnavailable": "known by its status",
}


@pytest.mark.skipif(not FACTS.exists(), reason="the dossier of Azure's facts is not part of the project")
def test_every_code_of_the_dossier_has_a_row_or_a_reason_for_none() -> None:
    table = FACTS.read_text("utf-8").partition("### 5.2 Error codes")[2].partition("### 5.3")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ") and "---" not in line][1:]
    codes = {code for cell in cells for code in re.findall(r"[A-Z][A-Za-z]{5,}", cell)}

    assert {code for code in codes if failure_of(code) is None} - OTHERWISE.keys() == set()
    assert OTHERWISE.keys() <= codes
