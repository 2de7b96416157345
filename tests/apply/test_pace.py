"""How fast requests of one kind may go."""

from __future__ import annotations

import pytest

from provision.apply.pace import Pace, kind_of
from provision.arm import Answer, ArmError

NOW = 1000.0


def empty(wait: float | None = None, code: str = "SubscriptionRequestsThrottled") -> ArmError:
    return ArmError(429, code, "", retry_after_s=wait, left=0)


def test_until_azure_says_what_is_left_everything_may_go() -> None:
    assert Pace().sent(NOW).answered(Answer(200), NOW).free_at() == 0


def test_what_is_left_may_go_at_once_and_each_request_takes_of_it() -> None:
    pace = Pace().answered(Answer(200, left=2), NOW)

    assert [pace.free_at(), pace.sent(NOW).free_at(), pace.sent(NOW).sent(NOW).left] == [0, 0, 0]


def test_while_nothing_is_left_they_go_one_by_one() -> None:
    pace = Pace(0)

    assert pace.free_at() == 0
    assert pace.sent(NOW).free_at() == NOW + 1
    assert pace.sent(NOW).answered(Answer(200, left=0), NOW).free_at() == NOW + 1


def test_they_are_as_far_apart_as_azure_asks() -> None:
    refused = Pace(0).sent(NOW).answered(empty(7), NOW)

    assert refused.free_at() == NOW + 7
    assert refused.sent(NOW + 7).answered(Answer(200, left=0), NOW + 7).free_at() == NOW + 14
    assert Pace(5).answered(empty(), NOW).free_at() == NOW + 1


def test_what_flowed_in_meanwhile_may_go_at_once() -> None:
    assert Pace(0, NOW + 7, 7).sent(NOW + 7).answered(Answer(200, left=3), NOW + 7).free_at() == 0


@pytest.mark.parametrize(
    "error", [ArmError(503, "SubscriptionRequestsThrottled", ""), ArmError(429, "OperationNotAllowed", "")]
)
def test_a_refusal_that_is_about_one_resource_slows_down_no_other(error: ArmError) -> None:
    assert Pace(5).answered(error, NOW) == Pace(5)


@pytest.mark.parametrize(
    ("method", "kind"), [("GET", "reads"), ("LIST", "reads"), ("PUT", "writes"), ("DELETE", "deletes")]
)
def test_each_kind_has_a_budget(method: str, kind: str) -> None:
    assert kind_of(method) == kind
