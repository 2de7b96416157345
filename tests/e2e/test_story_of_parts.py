"""Part by part comes to the same as all at once: for every edit that moves things, and for destroying."""

from __future__ import annotations

import pytest

from provision.plan import Chosen, Plan
from tests.e2e.conftest import Azure as Served
from tests.e2e.conftest import Shell
from tests.e2e.test_story_of_moves import EDITS, OTHERS, apply, azure_of_others, halves
from tests.support.azure import Azure
from tests.support.worlds import QUICK

TWO = QUICK + "  login: {size: Standard_D8s_v5, nodes: 1, infiniband: none, ssh_public_key_file: key.pub}\n"
PARTS = {
    "a pool": Chosen(pools=("train",)),
    "all but a pool": Chosen(pools=("!train",)),
    "a region": Chosen(regions=("southcentralus",)),
    "all but a region": Chosen(regions=("!southcentralus",)),
    "a pool in other regions": Chosen(regions=("westus3", "eastus2"), pools=("train",)),
}
FROM_NOTHING = {"two pools come": ("", TWO)}


def carry_out(azure: Azure, made: Plan) -> None:
    """Carry a plan out, to the last operation."""
    if made.empty:
        return
    run = azure.carry_out(made)
    assert [(id, run.progress.states[id].detail) for id, status in run.statuses.items() if status != "done"] == []


def shape(azure: Azure) -> list[tuple[str, object, object]]:
    """Return what matters of a world: each resource, with what is stated of it."""
    world = azure.control("GET", "world")
    found = [(body["id"].lower(), body.get("sku"), body.get("tags")) for body in world["resources"]]
    found += [(body["id"].lower(), body["properties"]["provisioningState"], "") for body in world["stacks"]]
    return sorted(found, key=lambda row: row[0])


def parts_of(before: str, after: str) -> list[str]:
    """Return the parts that make a difference: where there is one region, no region is left out."""
    several = "westus3" in before + after
    return [name for name, part in PARTS.items() if bool(part.regions) == several]


CASES = [(name, part) for name, texts in {**EDITS, **FROM_NOTHING}.items() for part in parts_of(*texts)]


@pytest.mark.parametrize(("name", "part"), CASES)
def test_a_part_and_then_the_rest_come_to_the_whole(name: str, part: str) -> None:
    before, after = {**EDITS, **FROM_NOTHING}[name]
    whole, parted = azure_of_others(), azure_of_others()
    for azure in (whole, parted) if before else ():
        apply(azure, before)
    apply(whole, after)

    carry_out(parted, parted.plan(after, part=PARTS[part]))
    apply(parted, after)

    assert shape(parted) == shape(whole)
    assert set(halves(parted).values()) <= {"Connected"}
    assert parted.plan(after).changes == ()
    carry_out(parted, parted.plan(after, destroying=True, part=PARTS[part]))
    carry_out(parted, parted.plan(after, destroying=True))
    assert parted.ids() == OTHERS


def test_a_pool_is_planned_and_applied_alone_and_the_rest_later(azure: Served, provision: Shell) -> None:
    provision.write(TWO)

    document = provision.json("plan", "quick.yaml", "--pool", "train")
    assert document["filtered"] == {
        "regions": [],
        "pools": ["train"],
        "taken_along": ["group quick-home", "group quick-southcentralus", "network in southcentralus"],
    }
    assert document["left_out"] == [
        {"region": "southcentralus", "pool": "login", "unit": "login-0", "changes": 1, "nodes": 1, "reason": ""}
    ]
    assert provision("apply", "quick.yaml", "--pool", "train", "--yes") == 0, provision.err
    assert "ONLY A PART (--pool train; 1 change left out): " in provision.err
    assert "quick-login-0" not in azure.names()
    assert provision("plan", "quick.yaml", "--pool", "train", "--detailed-exitcode") == 0
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 2
    assert provision("plan", "quick.yaml", "--pool", "!train", "--out", "plan.json") == 0
    assert provision("apply", "plan.json", "--yes") == 0, provision.err
    assert provision("plan", "quick.yaml", "--detailed-exitcode") == 0, provision.out


def test_a_saved_part_is_not_overtaken_by_what_goes_on_elsewhere(azure: Served, provision: Shell) -> None:
    provision.write(TWO.replace("pools:\n", "  westus3: {}\npools:\n"))
    assert provision("plan", "quick.yaml", "--region", "southcentralus", "--out", "one.json") == 0, provision.err
    assert provision("plan", "quick.yaml", "--region", "westus3", "--out", "two.json") == 0, provision.err

    assert provision("apply", "one.json", "--yes") == 0, provision.err
    assert provision("apply", "two.json", "--yes") == 6
    assert "/resourcegroups/quick-home is new" in provision.err
    assert provision("plan", "quick.yaml", "--region", "westus3", "--out", "two.json") == 0, provision.err
    provision.write(TWO.replace("pools:\n", "  westus3: {}\npools:\n").replace("nodes: 2", "nodes: 3"))
    assert provision("apply", "quick.yaml", "--region", "southcentralus", "--yes") == 0, provision.err
    assert provision("apply", "two.json", "--yes") == 0, provision.err


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--pool", "trian"], "--pool trian: there is no such pool; did you mean train?"),
        (["--region", "!Mars"], "--region Mars: there is no such region; there are southcentralus"),
        (["--region", ""], "it names nothing"),
        (["--pool", "train,!train"], "train is both asked for and left out"),
    ],
)
def test_a_name_that_is_none_is_wrong_usage(args: list[str], why: str, azure: Served, provision: Shell) -> None:
    assert provision("apply", "quick.yaml", "--yes", *args) == 64
    assert why in provision.err
    assert azure.writes() == []


def test_what_a_saved_plan_is_of_is_not_chosen_again(provision: Shell) -> None:
    assert provision("plan", "quick.yaml", "--out", "plan.json") == 0
    assert provision("apply", "plan.json", "--yes", "--pool", "train") == 64
    assert "a saved plan is applied as it is" in provision.err
