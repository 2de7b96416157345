"""Nothing that an example renders is lost on the way to its plan: each resource is changed, unchanged or refused."""

from __future__ import annotations

import pytest

from provision.arm import GROUPS, STACKS
from provision.plan.model import Action, Plan
from provision.plan.stated import stated_in
from provision.topology.names import MARK
from tests.clusters.clusters import NAMES, checked, units
from tests.golden.test_findings_and_plan import given_groups
from tests.support.worlds import SUBSCRIPTION, World, plan_for, standing_of


@pytest.fixture(scope="module", params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def rendered_ids(name: str) -> list[str]:
    return [stated.id.key for unit in units(name) for stated in stated_in(unit, SUBSCRIPTION)]


def accounted(plan: Plan, world: World, ids: list[str]) -> dict[str, int]:
    """Return how many of the rendered resources a plan changes, refuses, and found as they are stated."""
    changes = {change.id.key: change.action for change in plan.changes}
    assert len(changes) == len(plan.changes)
    known = {*ids, *(id for id in changes if id in world.groups)}
    others = [change for change in plan.changes if change.id.key not in known]
    assert {change.id.type for change in others} <= {GROUPS, STACKS}
    made = [action for id, action in changes.items() if id in ids]
    unchanged = [id for id in ids if id not in changes and id in world.resources and id in plan.read]
    refused = made.count(Action.REFUSED)
    return {"changed": len(made) - refused, "refused": refused, "unchanged": len(unchanged)}


def test_before_there_is_anything_all_of_it_is_made(name: str) -> None:
    world, ids = World(groups=given_groups(checked(name))), rendered_ids(name)

    found = accounted(plan_for(checked(name), world), world, ids)

    assert found == {"changed": len(set(ids)), "refused": 0, "unchanged": 0}


def test_where_it_stands_all_of_it_is_unchanged(name: str) -> None:
    world, ids = standing_of(checked(name), given_groups(checked(name))), rendered_ids(name)

    plan = plan_for(checked(name), world)

    assert accounted(plan, world, ids) == {"changed": 0, "refused": 0, "unchanged": len(ids)}
    assert (plan.changes, plan.drift) == ((), ())


def test_where_some_is_gone_or_changed_or_others_the_counts_add_up(name: str) -> None:
    world, ids = standing_of(checked(name), given_groups(checked(name))), rendered_ids(name)
    tagged = [id for id in ids if "tags" in world.resources[id]]
    taken, edited, gone = tagged[0::3], tagged[1::3], tagged[2::3]
    for id in taken:
        world.resources[id]["tags"][MARK] = "others"
    for id in edited:
        world.resources[id]["tags"] = {MARK: world.resources[id]["tags"][MARK]}
    for id in gone:
        del world.resources[id]

    found = accounted(plan_for(checked(name), world), world, ids)

    assert sum(found.values()) == len(ids)
    assert found["refused"] >= len(taken)
