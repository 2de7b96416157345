"""What others have changed since the last apply: how bad it is, what applying does, and what is left to them."""

from __future__ import annotations

from typing import Any

import pytest

from provision.plan import Plan
from provision.plan.document import document_of, plan_in, text_of
from provision.report.plan import plan_as_text
from tests.support.worlds import QUICK, World, plan, standing

SET, NSG, VNET = "quick-train-0", "quick-southcentralus-nodes-nsg", "quick-southcentralus-vnet"


def drift(made: Plan) -> list[tuple[str, str, str, str]]:
    """Return (class, resource, path, effect) of each drift."""
    return [(each.kind.label, each.id.name, each.path, each.effect) for each in made.drift]


def ignoring(*entries: str, text: str = QUICK) -> str:
    return text + "ignore:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries)


def sent(made: Plan, name: str) -> Any:
    """Return a resource as it stands in the stack that is sent."""
    bodies = [operation.body for operation in made.operations if operation.kind == "put-stack"]
    resources = [each for body in bodies if body for each in body["properties"]["template"]["resources"]]
    return next(each for each in resources if each["name"] == name)


@pytest.mark.parametrize(
    ("name", "path", "value", "expected"),
    [
        (SET, ["tags", "owner"], "them", ("benign", "tags.owner", "update")),
        (SET, ["sku", "capacity"], 1, ("risky", "sku.capacity", "update")),
        (SET, ["sku", "capacity"], 3, ("dangerous", "sku.capacity", "scale-in")),
        (
            SET,
            ["properties", "singlePlacementGroup"],
            False,
            ("dangerous", "properties.singlePlacementGroup", "replace"),
        ),
        (
            SET,
            ["properties", "upgradePolicy", "mode"],
            "Automatic",
            ("risky", "properties.upgradePolicy.mode", "update"),
        ),
        (
            SET,
            ["properties", "virtualMachineProfile", "storageProfile", "imageReference", "version"],
            "1.0.0",
            ("risky", "properties.virtualMachineProfile.storageProfile.imageReference.version", "update-model"),
        ),
        (
            NSG,
            ["properties", "securityRules", 0, "properties", "sourceAddressPrefixes"],
            ["0.0.0.0/0"],
            ("dangerous", "properties.securityRules[allow-ssh].properties.sourceAddressPrefixes", "update"),
        ),
    ],
)
def test_a_drift_is_as_bad_as_taking_it_back_or_worse(
    name: str, path: list[str | int], value: object, expected: tuple[str, str, str]
) -> None:
    world = standing()
    body: Any = world.resource(name)
    for key in path[:-1]:
        body = body[key]
    body[path[-1]] = value

    kind, where, action = expected
    assert drift(plan(QUICK, world)) == [(kind, name, where, f"applying takes it back: {action}")]


def test_what_is_gone_is_drift_and_made_again() -> None:
    world = standing()
    del world.resources[world.resource(SET)["id"].lower()]

    made = plan(QUICK, world)

    assert drift(made) == [("dangerous", SET, "", "applying makes it again")]
    assert [change.reason for change in made.changes] == ["was there after the last apply, and is gone"]


def test_a_file_that_changes_too_wins_over_drift_or_agrees_with_it() -> None:
    world = standing()
    world.resource(SET)["sku"]["capacity"] = 3

    (wins,) = drift(plan(QUICK.replace("nodes: 2", "nodes: 4"), world))
    agreeing = plan(QUICK.replace("nodes: 2", "nodes: 3"), world)

    assert wins[3] == "applying writes what the file states now: update"
    assert drift(agreeing) == [("benign", SET, "sku.capacity", "stays: the file states the same by now")]
    assert [change.action.label for change in agreeing.changes] == ["record"]


def test_what_was_never_applied_cannot_drift() -> None:
    world = standing()
    world.resource(SET)["sku"]["capacity"] = 3
    for stack in world.stacks.values():
        stack["properties"]["provisioningState"] = "failed"

    assert plan(QUICK, world).drift == ()


@pytest.mark.parametrize("at", ["pools.train", "regions.southcentralus", "regions.southcentralus.pools.train"])
def test_what_is_left_to_others_stays_and_is_told(at: str) -> None:
    world = standing()
    world.resource(SET)["tags"]["owner"] = "them"
    text = ignoring(f'at: {at}, property: tags.owner, owner: finops, until: "2099-03-01"')

    made = plan(text, world)

    assert (made.changes, drift(made)) == (
        (),
        [("owned elsewhere", SET, "tags.owner", "stays: left to finops until 2099-03-01")],
    )
    assert "left to finops until 2099-03-01" in plan_as_text(made)


def test_what_is_left_to_others_is_kept_in_what_is_sent() -> None:
    world = standing()
    world.resource(NSG)["properties"]["securityRules"][0]["properties"]["priority"] = 4000
    world.resource(SET)["sku"]["capacity"] = 5
    text = ignoring(
        'at: network, property: "properties.securityRules[allow-ssh].properties.priority", owner: security',
        "at: pools.train, property: sku, owner: scheduler",
        text=QUICK.replace("owner: ml", "owner: other"),
    )

    made = plan(text, world)

    rules = {rule["name"]: rule["properties"] for rule in sent(made, NSG)["properties"]["securityRules"]}
    assert rules["allow-ssh"]["priority"] == 4000
    assert sent(made, SET)["sku"]["capacity"] == 5
    assert {edit.path for change in made.changes for edit in change.edits} == {"tags.owner"}


def test_a_whole_element_and_one_that_is_gone_can_be_left_to_others() -> None:
    world = standing()
    world.resource(NSG)["properties"]["securityRules"] = []
    text = ignoring(
        'at: network, property: "properties.securityRules[allow-ssh]", owner: security',
        text=QUICK.replace("owner: ml", "owner: other"),
    )

    made = plan(text, world)

    assert [rule["name"] for rule in sent(made, NSG)["properties"]["securityRules"]] == []


def test_an_autoscalers_nodes_are_owned_elsewhere() -> None:
    text = QUICK + "    capacity: external\n"
    world = standing(text)
    world.resource(SET)["sku"]["capacity"] = 40

    assert drift(plan(text, world)) == [("owned elsewhere", SET, "sku.capacity", "stays: left to an autoscaler")]


def test_drift_is_saved_and_read_back() -> None:
    world = standing()
    world.resource(SET)["sku"]["capacity"] = 3

    made = plan(QUICK, world)
    back = plan_in(text_of(made))

    assert back is not None
    assert back.drift == made.drift
    assert document_of(made)["drift"] == [
        {
            "id": world.resource(SET)["id"],
            "path": "sku.capacity",
            "recorded": 2,
            "observed": 3,
            "class": "dangerous",
            "effect": "applying takes it back: scale-in",
        }
    ]


def test_an_empty_world_has_no_drift() -> None:
    assert plan(QUICK, World()).drift == ()
