"""Units of one's own are made, replaced and deleted through the same steps as ours, and a kill loses nothing."""

from __future__ import annotations

import pytest

from provision.apply import Applying, Event
from tests.support.azure import Azure
from tests.support.worlds import HOMES, QUICK

ULTRA = HOMES.replace("service_level: Premium", "service_level: Ultra")
#: With other resources in the same unit: three new ones, and two that it gives up.
MOVED = HOMES.replace("homes/fast", "homes/slow")


class Killed(Exception):  # noqa: N818 - it is what happens to the run
    """The run is gone, between two of its events."""


def killed_at(azure: Azure, text: str, count: int) -> bool:
    """Apply a text until its n-th event, and return whether it was killed there: whether there was such an event."""
    left = count

    def kill(event: Event, applying: Applying) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed

    try:
        azure.apply(text, each=kill)
    except Killed:
        azure.wait(4000)  # the dead run's lock expires
        return True
    return False


def shape(azure: Azure) -> list[tuple[str, object]]:
    """Return what matters of a world: each resource by id, as it is stated."""
    world = azure.control("GET", "world")
    return [(body["id"], {**body, "etag": None}["properties"].get("serviceLevel")) for body in world["resources"]]


@pytest.mark.parametrize("text", [ULTRA, MOVED, QUICK], ids=["replaced", "moved", "removed"])
def test_a_run_that_is_killed_at_any_event_converges_when_it_is_run_again(text: str) -> None:
    whole = Azure()
    whole.apply(HOMES)
    whole.apply(text)

    count = 0
    while True:
        azure = Azure()
        azure.apply(HOMES)
        killed = killed_at(azure, text, count)
        azure.apply(text)
        assert azure.plan(text).empty, count
        assert shape(azure) == shape(whole), count
        if not killed:
            break
        count += 1
    assert count > 8
    azure.apply(text, destroying=True)
    assert azure.ids() == []


def test_what_has_lost_our_mark_since_the_plan_was_made_is_not_deleted_nor_what_it_stands_in() -> None:
    azure = Azure()
    azure.apply(HOMES)
    ids = {body["name"]: body["id"] for body in azure.control("GET", "world")["resources"]}

    def take_over(event: Event, applying: Applying) -> None:
        if (event.event, event.resource) == ("operation-started", ids["home"]):
            resources = azure.control("GET", "world")["resources"]
            theirs = [{**b, "tags": {"owner": "them"}} if b["id"] == ids["fast"] else b for b in resources]
            azure.control("PUT", "world", {"resources": theirs})

    run = azure.carry_out(azure.plan(QUICK), each=take_over)

    assert [run.statuses[f"delete {ids[name].lower()}"] for name in ("home", "fast", "homes")] == [
        "done",
        "failed",
        "skipped",
    ]
    assert {"fast", "homes"} <= set(azure.ids())
