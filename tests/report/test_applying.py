"""An apply as lines of text and of JSON, and what it came to."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from provision.apply import Event, Progress
from provision.apply.scheduler import LOCK, UNLOCK, Status
from provision.report.applying import event_as_json, event_as_text, outcome_as_text
from tests.support.azure import Azure, Run
from tests.support.worlds import QUICK

NETWORK, TRAIN = "stack southcentralus/network", "stack southcentralus/train-0"
RESOURCE = (
    "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/quick-southcentralus/providers/"
    "Microsoft.Resources/deploymentStacks/quick.network"
)


def lines(azure: Azure, text: str = QUICK, *, destroying: bool = False) -> tuple[list[str], Run]:
    """Return the lines that people see while an environment is applied."""
    seen: list[str] = []
    run = azure.apply(
        text, destroying=destroying, each=lambda event, applying: seen.append(event_as_text(event, applying.progress))
    )
    return [line for line in seen if line], run


def refused() -> Run:
    azure = Azure(hard=False)
    azure.fault("refuse", "AuthorizationFailed", url="quick.network", status=403, message="not allowed", count=1)
    return lines(azure)[1]


def with_state(progress: Progress, id: str, status: Status, **more: str) -> Progress:
    state = replace(progress.states[id], status=status, correlation_id="", **more)  # type: ignore[arg-type] # text only
    return replace(progress, states={**progress.states, id: state})


def test_an_apply_line_by_line() -> None:
    azure = Azure(hard=False)
    azure.fault("refuse", "TooManyRequests", url="quick.network", status=429, headers={"Retry-After": "20"}, count=1)

    assert lines(azure)[0] == [
        "00:00:00 … write resource group quick-home",
        "00:00:00 ✓ write resource group quick-home",
        "00:00:00 … southcentralus write resource group quick-southcentralus",
        "00:00:00 ✓ southcentralus write resource group quick-southcentralus",
        "00:00:00 … southcentralus deploy network",
        "00:00:00 … southcentralus deploy network: TooManyRequests; attempt 2 in 20 s",
        "00:01:01 ✓ southcentralus deploy network (61 s)",
        "00:01:01 … southcentralus deploy train-0",
        "00:05:27 ✓ southcentralus deploy train-0 (4 min 26 s)",
    ]


def test_a_destruction_says_what_is_deleted_and_waited_for() -> None:
    azure = Azure(hard=False)
    azure.apply()

    seen = [line.split(" ", 2)[2] for line in lines(azure, destroying=True)[0] if " … " in line]

    assert seen == [
        "southcentralus delete scale set quick-train-0",
        "southcentralus forget deployment stack quick.train-0",
        "southcentralus wait until interfaces leave subnet nodes",
        "southcentralus delete subnet nodes",
        "southcentralus delete virtual network quick-southcentralus-vnet",
        "southcentralus delete NAT gateway quick-southcentralus-nat",
        "southcentralus delete security group quick-southcentralus-nodes-nsg",
        "southcentralus delete public address quick-southcentralus-nat-ip-0",
        "southcentralus forget deployment stack quick.network",
        "delete resource group quick-southcentralus",
        "delete resource group quick-home",
    ]


def test_what_fails_and_what_waits_for_it_is_told_in_words() -> None:
    azure = Azure(hard=False)
    azure.fault("refuse", "AuthorizationFailed", url="quick.network", status=403, message="not allowed", count=1)

    assert lines(azure)[0][-2:] == [
        "00:00:00 ✗ southcentralus deploy network: AuthorizationFailed: not allowed",
        "00:00:00 - southcentralus deploy train-0: not begun, for this was not done: southcentralus deploy network",
    ]


def test_an_expired_lock_that_is_taken_over_and_a_stop_are_told() -> None:
    progress = Azure(hard=False).apply().progress

    def told(event: Event) -> str:
        return event_as_text(event, progress)

    at = 1_796_083_200.0
    assert told(Event(at, "r", "run-stopping", detail="starting nothing new")) == (
        "00:00:00 run stopping: starting nothing new"
    )
    assert told(Event(at, "r", "operation-waiting", LOCK, detail="taking over the expired lock of run x")) == (
        "00:00:00 … take the lock: taking over the expired lock of run x"
    )
    assert told(Event(at, "r", "operation-waiting", UNLOCK, detail="later")) == ""
    assert told(Event(at, "r", "lock-renewed")) == ""
    assert told(Event(at, "r", "lock-not-renewed", detail="503")) == "00:00:00 lock not renewed: 503"


def test_what_azure_says_cannot_steer_a_terminal() -> None:
    progress = Azure(hard=False).apply().progress
    event = Event(1_796_083_200.0, "r", "operation-failed", TRAIN, detail="bad\x1b[2J\r\nthing")

    assert event_as_text(event, progress) == ("00:00:00 ✗ southcentralus deploy train-0: bad\\x1b[2J\\r\\nthing")
    failed = with_state(progress, TRAIN, Status.FAILED, detail="bad\x1b[2J")
    assert "\x1b" not in outcome_as_text(failed, "quick", 1)
    assert "\x1b[2J" not in outcome_as_text(failed, "quick", 1, colour=True)


def test_colour_is_colour_and_no_text() -> None:
    text = outcome_as_text(refused().progress, "quick", 1, colour=True)

    assert text.startswith("\x1b[31;1merror\x1b[0m: southcentralus deploy network failed")


def test_an_event_as_json_leaves_out_what_it_does_not_have() -> None:
    event = Event(1_796_083_200.0, "run-1", "operation-failed", TRAIN, "train-0", detail="ö")

    assert event_as_json(event) == (
        '{"at": "2026-12-01T00:00:00Z", "run": "run-1", "event": "operation-failed", '
        '"operation": "stack southcentralus/train-0", "unit": "train-0", "detail": "ö"}'
    )
    assert json.loads(event_as_json(Event(0.5, "r", "e"))) == {"at": "1970-01-01T00:00:00Z", "run": "r", "event": "e"}


def test_a_run_that_is_done() -> None:
    assert outcome_as_text(Azure(hard=False).apply().progress, "quick", 237.1) == (
        "quick: done, 4 of 4 operations in 3 min 57 s\n"
    )


def test_a_run_with_a_failure_names_cause_resource_line_and_how_to_go_on() -> None:
    run = refused()
    correlation = run.progress.states[NETWORK].correlation_id

    assert outcome_as_text(run.progress, "quick", 15) == (
        f"""\
error: southcentralus deploy network failed: AuthorizationFailed: not allowed
  resource: {RESOURCE}
  from: quick.yaml:5 network
  correlation id: {correlation}
  fix: give the identity the role that the message names; a role given just now takes minutes
quick: not finished: 2 of 4 operations done, 1 failed, 1 not begun, in 15 s
Mend what failed, then run the same command again: it goes on from what Azure has, and makes nothing twice.
"""
    )


def test_a_run_that_was_stopped_names_what_goes_on_without_it() -> None:
    progress = with_state(Azure(hard=False).apply().progress, NETWORK, Status.RUNNING)

    assert outcome_as_text(with_state(progress, TRAIN, Status.SKIPPED), "quick", 7300) == (
        """\
These go on in Azure without us:
  southcentralus deploy network
quick: not finished: 2 of 4 operations done, 0 failed, 1 not begun, in 2 h 01 min
Run the same command again: it goes on from what Azure has, and makes nothing twice.
"""
    )


def test_a_lock_that_could_not_be_taken_is_the_reason() -> None:
    azure = Azure(hard=False)
    azure.fault("refuse", "AuthorizationFailed", url="provision-lock", status=403, message="not allowed")

    text = outcome_as_text(azure.apply().progress, "quick", 1)

    assert text.splitlines()[0] == "error: take the lock failed: AuthorizationFailed: not allowed"


def test_a_lock_that_could_not_be_released_says_until_when_it_counts() -> None:
    azure = Azure(hard=False)
    azure.fault("refuse", "AuthorizationFailed", method="DELETE", url="provision-lock", status=403, message="no")

    found = outcome_as_text(azure.apply().progress, "quick", 237).splitlines()

    assert found[0] == "error: release the lock failed: AuthorizationFailed: no"
    assert found[-2:] == [
        "  the lock counts until 00:30:00; then the next run takes it over",
        "quick: done, 4 of 4 operations in 3 min 57 s",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"),
        (119.4, "119 s"),
        (120, "2 min 00 s"),
        (7199, "119 min 59 s"),
        (7200, "2 h 00 min"),
        (90_000, "25 h 00 min"),
    ],
)
def test_durations_are_told_as_people_say_them(seconds: float, text: str) -> None:
    progress = Azure(hard=False).applying(Azure().plan()).progress

    assert outcome_as_text(progress, "quick", seconds) == f"quick: done, 0 of 4 operations in {text}\n"
