"""ARM's vocabulary: ids, errors within errors, and what may be tried again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provision.arm import (
    MOST_ATTEMPTS,
    SCALE_SETS,
    SUBNETS,
    ArmError,
    ResourceId,
    group_id,
    innermost,
    outermost,
    remedy_for,
    resource_id,
    retry_in,
    retry_read_in,
)

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
SET = resource_id(SUBSCRIPTION, "rg", SCALE_SETS, "train-0")
SUBNET = resource_id(SUBSCRIPTION, "rg", SUBNETS, "vnet", "nodes")


def test_an_id_tells_its_parts() -> None:
    assert (
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/vnet/subnets/nodes"
    ) == SUBNET
    assert (SUBNET.type, SUBNET.name, SUBNET.full_name, SUBNET.group) == (SUBNETS, "nodes", "vnet/nodes", "rg")
    assert SUBNET.parent == resource_id(SUBSCRIPTION, "rg", "Microsoft.Network/virtualNetworks", "vnet")
    assert (SET.type, SET.name, SET.full_name) == (SCALE_SETS, "train-0", "train-0")
    group = group_id(SUBSCRIPTION, "rg")
    assert (group.type, group.name, group.full_name, group.group) == (
        "Microsoft.Resources/resourceGroups",
        "rg",
        "rg",
        "rg",
    )


def test_ids_compare_without_case_by_key() -> None:
    assert ResourceId(SET.upper()).key == SET.key


def test_a_childs_id_takes_a_name_for_each_segment_of_its_type() -> None:
    with pytest.raises(ValueError, match="zip"):
        resource_id(SUBSCRIPTION, "rg", SUBNETS, "vnet")


QUOTA = {
    "code": "QuotaExceeded",
    "message": "Operation could not be completed as it results in exceeding approved NDSH100v5Family Cores quota.",
}


@pytest.mark.parametrize(
    ("error", "causes"),
    [
        pytest.param(
            {"error": {"code": "ResourceGroupNotFound", "message": "Resource group 'X' could not be found."}},
            [("ResourceGroupNotFound", "Resource group 'X' could not be found.", "")],
            id="gateway",
        ),
        pytest.param(
            {"error": {"code": "NotFound", "message": "Resource /x not found.", "details": []}},
            [("NotFound", "Resource /x not found.", "")],
            id="empty details",
        ),
        pytest.param(
            {"error": {"code": "InvalidTemplateDeployment", "message": "See inner errors.", "details": [QUOTA]}},
            [("QuotaExceeded", QUOTA["message"], "")],
            id="preflight",
        ),
        pytest.param(
            {
                "code": "DeploymentFailed",
                "message": "At least one resource deployment operation failed.",
                "details": [{"code": "Conflict", "message": json.dumps({"status": "Failed", "error": QUOTA})}],
            },
            [("QuotaExceeded", QUOTA["message"], "")],
            id="JSON in a string",
        ),
        pytest.param(
            {
                "code": "ResourceDeploymentFailure",
                "message": json.dumps({"error": {"code": "Conflict", "message": json.dumps({"error": QUOTA})}}),
            },
            [("QuotaExceeded", QUOTA["message"], "")],
            id="JSON in a string in a string",
        ),
        pytest.param(
            {
                "Error": {
                    "Code": "ResourceGroupDeletionBlocked",
                    "Target": None,
                    "Message": "Deletion of resource group 'rg' failed.",
                    "Details": [
                        {
                            "Code": None,
                            "Target": "/x/vnet",
                            "Message": json.dumps({"error": {"code": "InUse", "message": "held", "target": "/x/nic"}}),
                        }
                    ],
                }
            },
            [("InUse", "held", "/x/nic")],
            id="capitals",
        ),
        pytest.param(
            {"code": "A", "message": "{not JSON"}, [("A", "{not JSON", "")], id="text that only looks like JSON"
        ),
        pytest.param({"code": "A", "message": '{"n": 1}'}, [("A", '{"n": 1}', "")], id="JSON that is no error"),
        pytest.param({"error": "no"}, [], id="no object"),
        pytest.param({"code": "A", "details": {"x": 1}}, [("A", "", "")], id="details that are no list"),
        pytest.param({}, [], id="nothing"),
        pytest.param(None, [], id="null"),
        pytest.param([1], [], id="a list"),
    ],
)
def test_an_error_is_unwrapped_to_its_innermost_causes(error: Any, causes: list[tuple[str, str, str]]) -> None:
    assert list(innermost(error)) == causes


def test_of_several_causes_each_is_told() -> None:
    details = [{"code": "A", "message": "a"}, {"code": "B", "message": "b", "target": "x"}]

    assert list(innermost({"code": "DeploymentFailed", "message": "m", "details": details})) == [
        ("A", "a", ""),
        ("B", "b", "x"),
    ]


def test_the_outermost_error_is_the_one_that_arm_names() -> None:
    assert outermost({"error": {"code": "A", "message": "a", "details": [QUOTA]}}) == ("A", "a")
    assert outermost({"Error": {"Code": "A", "Message": "a"}}) == ("A", "a")
    odd: list[Any] = [{}, None, [], "text", {"error": "text"}]
    for nothing in odd:
        assert outermost(nothing) == ("", "")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "Error", "code", "message", "details", "target"]), inner, max_size=4
        )
        | inner.map(json.dumps)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(JSON)
def test_no_answer_is_too_odd_to_be_unwrapped(error: Any) -> None:
    for cause in innermost(error):
        assert [type(part) for part in cause] == [str, str, str]
    assert [type(part) for part in outermost(error)] == [str, str]


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


def test_an_error_reads_as_azure_wrote_it() -> None:
    error = ArmError(403, "AuthorizationFailed", "The client 'x' is not allowed.")

    assert str(error) == error.message == "AuthorizationFailed: The client 'x' is not allowed."


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
