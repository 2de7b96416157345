"""What Azure's failures mean: which pass, which are waited out, which need somebody, and what is told of each."""

from __future__ import annotations

import pytest

from provision.arm import ArmError
from provision.failures import (
    MOST_ATTEMPTS,
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
