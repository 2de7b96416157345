"""What of a plan is left when only some regions or pools are asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from provision.plan import Chosen, Plan
from provision.plan.document import plan_in, text_of
from provision.plan.model import Part
from provision.report.plan import verdict
from tests.plan.test_parts import BASTION, THREE, done, told
from tests.support.worlds import QUICK, World, destruction, plan, standing

LOGIN = "  login: {size: Standard_D8s_v5, nodes: 1, infiniband: none, ssh_public_key_file: key.pub}\n"
TWO = QUICK + LOGIN
MESH = THREE.replace("nodes: 2", "nodes: {southcentralus: 2, westus3: 2, eastus2: 2}")
CREATED = ["quick-southcentralus-nodes-nsg", "quick-southcentralus-nat-ip-0", "quick-southcentralus-nat"]


def part_of(made: Plan) -> Part:
    assert made.part is not None
    return made.part


def left_out(made: Plan) -> list[tuple[str, str, int, str]]:
    """Return (region, unit, changes, reason) of what is left out."""
    return [(each.region, each.unit, each.changes, each.reason) for each in part_of(made).left_out]


def units(made: Plan) -> list[str]:
    return sorted({f"{change.unit} in {change.region}" for change in made.changes if change.unit})


def test_a_pool_takes_along_what_its_nodes_cannot_be_made_without() -> None:
    made = plan(TWO, World(), Chosen(pools=("train",)))

    assert done(made) == ["quick-home", "quick-southcentralus", "quick.network", "quick.train-0"]
    assert part_of(made).taken_along == ("group quick-home", "group quick-southcentralus", "network in southcentralus")
    assert left_out(made) == [("southcentralus", "login-0", 1, "")]
    assert (made.assessment.nodes_before, made.assessment.nodes_after) == (0, 2)


def test_what_stands_already_is_not_taken_along_for_a_change_of_its_own() -> None:
    made = plan(TWO.replace("nodes: 2", "nodes: 3").replace("203.0.113.0/24", "203.0.114.0/24"), standing(TWO), POOL)

    assert told(made) == [("update", "quick-train-0")]
    assert part_of(made).taken_along == ()
    assert [row[:2] for row in left_out(made)] == [("southcentralus", "network")]
    assert (made.assessment.nodes_before, made.assessment.nodes_after) == (3, 4)


POOL = Chosen(pools=("train",))


def test_a_region_is_made_without_touching_another_and_its_peerings_wait() -> None:
    made = plan(MESH, World(), Chosen(regions=("westus3",)))

    assert units(made) == ["network in westus3", "train-0 in westus3"]
    assert part_of(made).taken_along == ("group quick-home",)
    assert ("westus3", "peering", 2, "it needs network in eastus2, which is left out") in left_out(made)
    assert {change.region for change in made.changes} == {"", "westus3"}
    assert [domain.region for domain in made.domains] == ["westus3"]


def test_all_but_a_region_is_made_with_the_peerings_between_them() -> None:
    made = plan(MESH, World(), Chosen(regions=("!eastus2",)))

    assert {change.region for change in made.changes} == {"", "southcentralus", "westus3"}
    assert [row[3] for row in left_out(made) if row[1] == "peering" and row[0] != "eastus2"] == [
        "it needs network in eastus2, which is left out"
    ] * 2


def test_a_network_that_is_replaced_is_not_taken_along_where_others_stand_in_it() -> None:
    moved = TWO.replace("{ssh_from", "{address_space: 10.64.0.0/10, ssh_from")
    whole = plan(moved, standing(TWO))
    assert ("replace", "quick-login-0") in told(whole)

    made = plan(moved, standing(TWO), POOL)

    assert made.changes == ()
    assert {row[1]: row[3] for row in left_out(made)} == {
        "network": "login-0 in southcentralus would have to go first, and is left out",
        "train-0": (
            "it needs network in southcentralus, which is left out: "
            "login-0 in southcentralus would have to go first, and is left out"
        ),
        "login-0": "",
    }


def test_to_destroy_a_pool_leaves_its_network_and_groups() -> None:
    made = destruction(standing(TWO), TWO, POOL)

    assert told(made) == [("delete", "quick-train-0")]
    assert [row[1:] for row in left_out(made) if row[3]] == []
    assert (made.assessment.nodes_before, made.assessment.nodes_after) == (3, 1)


def test_to_destroy_all_but_a_pool_leaves_what_it_stands_in() -> None:
    made = destruction(standing(TWO), TWO, Chosen(pools=("!login",)))

    assert told(made) == [("delete", "quick-train-0")]
    reasons = {row[1] or "group": row[3] for row in left_out(made)}
    assert reasons["network"] == "login-0 in southcentralus would have to go first, and is left out"
    assert reasons["group"].endswith("would have to go first, and is left out")


def test_to_destroy_a_region_takes_its_group_and_leaves_the_home_group() -> None:
    made = destruction(standing(MESH), MESH, Chosen(regions=("westus3",)))

    assert {change.region for change in made.changes} == {"westus3"}
    assert ("delete", "quick-westus3") in told(made)
    assert {operation.kind for operation in made.operations} >= {"delete-group", "delete-stack"}
    assert "quick-home" not in done(made, "delete-group")


def test_a_region_that_is_no_longer_stated_can_be_left_alone() -> None:
    gone = MESH.replace("  eastus2: {}\n", "").replace(", eastus2: 2", "")
    world = standing(MESH)

    made = plan(gone, world, Chosen(regions=("!eastus2",)))

    assert "eastus2" not in {change.region for change in made.changes}
    assert not [operation for operation in made.operations if operation.region == "eastus2"]


def test_limits_and_consents_are_those_of_the_part() -> None:
    text = TWO + "limits: {delete_nodes: 0}\n"
    shrunk = text.replace("nodes: 2", "nodes: 1")

    assert plan(shrunk, standing(TWO)).breaches
    made = plan(shrunk, standing(TWO), Chosen(pools=("login",)))
    assert (made.breaches, made.consents) == ((), ())


def test_the_first_line_of_a_part_says_so_and_that_of_a_whole_does_not() -> None:
    whole, part = plan(TWO, World()), plan(TWO, World(), POOL)

    assert "PART" not in verdict(whole)
    assert verdict(part).startswith("ONLY A PART (--pool train; 1 change left out): ")
    nothing = plan(TWO, standing(QUICK), POOL)
    assert verdict(nothing) == "ONLY A PART (--pool train; 1 change left out): nothing to do"
    assert verdict(replace(whole, offline=True)).startswith("OFFLINE, never to be applied: ")


@pytest.mark.parametrize(
    "chosen",
    [Chosen(), POOL, Chosen(regions=("westus3",)), Chosen(regions=("!westus3",), pools=("!train",))],
)
@pytest.mark.parametrize("text", [TWO, MESH, BASTION])
def test_a_plan_of_a_part_comes_back_from_its_file(chosen: Chosen, text: str) -> None:
    for made in (plan(text, World(), chosen), destruction(standing(text), text, chosen)):
        assert plan_in(text_of(made)) == made
        known = {operation.id for operation in made.operations}
        assert all(need in known for operation in made.operations for need in operation.after)


def test_a_part_that_is_everything_is_the_whole_plan() -> None:
    whole, part = plan(MESH, World()), plan(MESH, World(), Chosen(regions=("southcentralus", "westus3", "eastus2")))

    assert part.changes == whole.changes
    assert part.operations == whole.operations
    assert part_of(part).left_out == ()
