"""When lists show what a run did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from provision.apply.scheduler import LOCK, UNLOCK
from provision.apply.shown import KIND, expects_nothing, is_shown, looks, of_what_was_done, places
from provision.apply.steps import Ask, Done, answered, first, refused
from provision.arm import (
    GROUPS,
    SCALE_SETS,
    STACKS,
    SUBNETS,
    VIRTUAL_NETWORKS,
    Answer,
    ArmError,
    Request,
    ResourceId,
    resource_id,
    stacks_of,
)
from provision.plan.model import Action, Change, Operation
from tests.apply.runs import HOME, OURS, START, SUBSCRIPTION, Drive, Outcome, a_stack, an_operation, begun, gone

GROUP = ResourceId(f"/subscriptions/{SUBSCRIPTION}/resourceGroups/quick-southcentralus")
NETWORK = resource_id(SUBSCRIPTION, GROUP.name, VIRTUAL_NETWORKS, "vnet")
SUBNET = resource_id(SUBSCRIPTION, GROUP.name, SUBNETS, "vnet", "nodes")
SET = resource_id(SUBSCRIPTION, GROUP.name, SCALE_SETS, "train")
NOT_YET = "Azure's lists do not show all of it yet"


def a_change(id: ResourceId, action: Action) -> Change:
    return Change(id, action, "train", "southcentralus", "train", 0, 0, "", "")


def deployed(name: str, run: str = "new") -> Operation:
    operation = a_stack(name)
    body: dict[str, Any] = {"properties": {"parameters": {"provision": {"value": {"run": run}}}}}
    return Operation(operation.id, operation.kind, operation.target, name, "southcentralus", (), body)


def a_listed_stack(name: str, run: str = "new", state: str = "succeeded") -> dict[str, Any]:
    parameters = {"provision": {"type": "object", "value": {"run": run}}}
    return {"id": deployed(name).target.upper(), "properties": {"provisioningState": state, "parameters": parameters}}


def the_look(*operations: Operation, changes: tuple[Change, ...] = ()) -> Operation:
    (look,) = looks(operations, changes)
    return look


def test_a_look_comes_after_all_that_a_run_does_in_a_group_and_none_where_it_does_nothing() -> None:
    home = an_operation("put-group", HOME, id="home")
    train, network = deployed("train"), an_operation("delete", NETWORK, id="delete network")

    look = the_look(home, train, network)

    assert (look.kind, look.target.key, look.after) == (KIND, GROUP.key, ("train", "delete network"))
    assert first(look, OURS) == Ask(f"look at {GROUPS}", Request("LIST", look.target))
    assert looks([home], []) == ()


def test_what_was_made_has_to_be_there_and_what_was_deleted_gone() -> None:
    look = the_look(
        deployed("train"),
        an_operation("delete", NETWORK),
        an_operation("delete", SUBNET),
        changes=(a_change(SET, Action.CREATE), a_change(SUBNET, Action.CREATE), a_change(HOME, Action.CREATE)),
    )

    assert is_shown(look, look.target, [{"id": SET.upper()}])
    assert not is_shown(look, look.target, [])
    assert not is_shown(look, look.target, [{"id": SET}, {"id": NETWORK}])


def test_a_child_that_was_deleted_has_to_be_gone_from_its_parent() -> None:
    look = the_look(an_operation("delete", SUBNET))
    networks = places(look)[2]

    def network(*subnets: ResourceId) -> list[dict[str, Any]]:
        return [{"id": NETWORK, "properties": {"subnets": [{"id": id.upper()} for id in subnets]}}]

    assert networks.type == VIRTUAL_NETWORKS
    assert is_shown(look, look.target, network())
    assert not is_shown(look, networks, network(SUBNET))
    assert is_shown(look, networks, network(ResourceId(f"{SUBNET}2")))


def test_what_was_replaced_is_there_before_and_after() -> None:
    look = the_look(deployed("train"), an_operation("delete", SET), changes=(a_change(SET, Action.REPLACE),))

    assert is_shown(look, look.target, [{"id": SET}])


@pytest.mark.parametrize(
    ("listed", "shown"),
    [
        ([a_listed_stack("train")], True),
        ([a_listed_stack("train"), {"id": f"{GROUP}/x"}], True),
        ([], False),
        ([a_listed_stack("train", run="old")], False),
        ([a_listed_stack("train", state="deploying")], False),
        ([{"id": deployed("train").target, "properties": {"parameters": None}}], False),
    ],
)
def test_a_stack_has_to_say_what_was_sent(listed: list[dict[str, Any]], shown: bool) -> None:
    look = the_look(deployed("train"))

    assert is_shown(look, stacks_of(look.target), listed) is shown


@pytest.mark.parametrize(
    ("listed", "shown"),
    [
        ([], True),
        ([a_listed_stack("train", run="old")], True),
        ([a_listed_stack("train", state="failed")], True),
        ([a_listed_stack("train", state="deploying")], False),
    ],
)
def test_of_what_failed_it_has_to_show_that_nothing_is_at_work(listed: list[dict[str, Any]], shown: bool) -> None:
    look = of_what_was_done(the_look(deployed("train"), changes=(a_change(SET, Action.CREATE),)), done=())

    assert is_shown(look, look.target, [])
    assert is_shown(look, stacks_of(look.target), listed) is shown


def test_it_expects_to_see_only_what_was_done() -> None:
    doings = (
        deployed("train"),
        an_operation("delete", SUBNET, id="delete subnet"),
        an_operation("delete-group", GROUP),
    )
    whole = the_look(*doings)
    part = of_what_was_done(whole, done={"train"})

    assert (expects_nothing(whole), len(places(whole))) == (True, 3)
    assert (expects_nothing(part), len(places(part))) == (False, 2)
    assert is_shown(part, part.target, [{"id": NETWORK, "properties": {"subnets": [{"id": SUBNET}]}}])


def test_a_stack_that_was_forgotten_has_to_be_gone() -> None:
    look = the_look(an_operation("delete-stack", deployed("train").target))

    assert not is_shown(look, stacks_of(look.target), [a_listed_stack("train")])
    assert is_shown(look, stacks_of(look.target), [])


def test_a_group_that_was_deleted_has_to_be_gone_unless_it_was_kept() -> None:
    look = the_look(an_operation("delete", NETWORK), an_operation("delete-group", GROUP))
    ask = first(look, OURS)

    assert refused(look, ask, gone("ResourceGroupNotFound"), 1, OURS, START) == Done()
    assert not is_shown(look, look.target, [])
    assert not is_shown(look, look.target, [{"id": NETWORK}])
    assert is_shown(look, look.target, [{"id": f"{GROUP}/theirs"}])


def test_it_looks_at_resources_then_at_stacks_until_both_show_it() -> None:
    look = the_look(deployed("train"), changes=(a_change(SET, Action.CREATE),))
    at_stacks = Request("LIST", stacks_of(look.target))

    def answer(phase: str, *listed: Any, polls: int = 1) -> Any:
        return answered(look, phase, Answer(200, {"value": list(listed)}), polls, OURS, START)

    at_all, of_stacks = f"look at {GROUPS}", f"look at {STACKS}"
    assert answer(at_all) == Ask(at_all, Request("LIST", look.target), 10, NOT_YET)
    assert answer(at_all, {"id": SET}) == Ask(of_stacks, at_stacks)
    assert answer(of_stacks) == Ask(of_stacks, at_stacks, 10, NOT_YET)
    assert answer(of_stacks, a_listed_stack("train")) == Done()


def test_a_group_that_is_not_known_yet_is_looked_at_again() -> None:
    look = the_look(deployed("train"))

    move = refused(look, first(look, OURS), gone("ResourceGroupNotFound"), 1, OURS, START)

    assert move == Ask(f"look at {GROUPS}", Request("LIST", look.target), 10, NOT_YET)


def test_what_is_never_shown_fails_nothing() -> None:
    look = the_look(deployed("train"))

    assert answered(look, f"look at {STACKS}", Answer(200, {}), 13, OURS, START) == Done(NOT_YET)


def test_the_lock_is_held_until_what_was_done_is_shown() -> None:
    def azure(id: str, request: Request, now: float) -> Outcome:
        if request.method == "LIST" and request.id.key.endswith("deploymentstacks"):
            return Answer(200, {"value": [a_listed_stack("train")] if now >= START + 25 else []})
        return Answer(200)

    train = deployed("train")
    drive = Drive(begun(train, looks=looks([train], [])), azure)
    drive.run()

    assert [(at, id.split(" ")[0], method) for at, id, method in drive.sent if id not in (LOCK, "train")] == [
        (0, "see", "LIST"),
        (0, "see", "LIST"),
        (10, "see", "LIST"),
        (20, "see", "LIST"),
        (30, "see", "LIST"),
        (30, UNLOCK, "GET"),
        (30, UNLOCK, "DELETE"),
    ]


def test_what_failed_is_looked_at_too() -> None:
    def azure(id: str, request: Request, now: float) -> Outcome:
        if request.method == "LIST":
            return Answer(200, {"value": []})
        return ArmError(403, "AuthorizationFailed", "no")

    train, grown = deployed("train"), replace(deployed("grown"), after=("train",))
    drive = Drive(begun(train, grown, looks=looks([train, grown], [])), azure)
    progress = drive.run()

    assert {id: state.status.value for id, state in progress.states.items() if id.startswith("see")} == {
        f"see {GROUP.key}": "done"
    }
    assert [method for _, id, method in drive.sent if id.startswith("see")] == ["LIST", "LIST"]


def test_a_mark_is_waited_for_until_the_list_of_its_group_shows_it() -> None:
    look = the_look(an_operation("mark", NETWORK, mark="quick/network", id="mark"))
    done = of_what_was_done(look, {"mark"})

    assert places(look) == (GROUP, stacks_of(GROUP))
    assert not is_shown(done, GROUP, [{"id": NETWORK, "tags": {"team": "hpc"}}])
    assert not is_shown(done, GROUP, [])
    assert is_shown(done, GROUP, [{"id": NETWORK.upper(), "tags": {"provision": "quick/network"}}])
    assert is_shown(of_what_was_done(look, set()), GROUP, [])
