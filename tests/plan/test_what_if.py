"""What Azure's what-if is asked, and what is made of what it says."""

from __future__ import annotations

from typing import Any

import pytest

from provision.adapters.policies import load_policies
from provision.plan import Plan
from provision.plan.what_if import Disagreement, Foreseen, Question, foreseen, questions
from provision.report.what_if import what_if_as_text
from tests.support.worlds import QUICK, World, plan, standing

Json = dict[str, Any]

SET = "quick-train-0"
ADDRESS = "quick-southcentralus-nat-ip-0"
GROWN = QUICK.replace("nodes: 2", "nodes: 3")
TAGGED = QUICK.replace("owner: ml", "owner: other")
REPLACED = QUICK + "    admin_user: somebody\n"


def answered(made: Plan, world: World, said: dict[str, Json], *, rest: str = "NoChange") -> Foreseen:
    """Return what a plan makes of answers: `said` by the name of a resource, and `rest` of all others."""
    asked, unasked = questions(made, world.observed.groups.keys())
    return foreseen(made, [(each, answer_to(each, said, rest)) for each in asked], unasked, load_policies())


def answer_to(question: Question, said: dict[str, Json], rest: str) -> Json:
    changes = []
    for resource in question.body["properties"]["template"]["resources"]:
        provider, *types = resource["type"].split("/")
        names = resource["name"].split("/")
        path = "/".join(part for pair in zip(types, names, strict=True) for part in pair)
        change = said.get(names[-1], {"changeType": rest})
        if change:
            changes.append({"resourceId": f"{question.group}/providers/{provider}/{path}".upper(), **change})
    return {"status": "Succeeded", "properties": {"changes": changes}}


def modify(*delta: Json) -> Json:
    return {"changeType": "Modify", "delta": list(delta)}


def change(path: str, kind: str = "Modify", before: Any = None, after: Any = None, **more: Any) -> Json:
    return {"path": path, "propertyChangeType": kind, "before": before, "after": after, **more}


CAPACITY = change("sku.capacity", before=2, after=3)


def differences(found: Foreseen) -> list[tuple[str, str, str, tuple[str, ...], str]]:
    return [(each.id.name, each.plan, each.what_if, each.paths, each.why) for each in found.disagreements]


def test_each_unit_that_is_written_to_a_group_that_exists_is_asked_about() -> None:
    world = standing()
    asked, unasked = questions(plan(TAGGED, world), world.observed.groups.keys())

    assert [(each.unit, each.name) for each in asked] == [
        ("network", "quick.network-what-if"),
        ("train-0", "quick.train-0-what-if"),
    ]
    assert unasked == []
    assert asked[0].body["properties"]["mode"] == "Incremental"
    assert questions(plan(QUICK, World()), ())[0] == []


def test_where_both_say_the_same_nothing_is_told() -> None:
    world = standing()

    found = answered(plan(GROWN, world), world, {SET: modify(CAPACITY)})

    assert found == Foreseen(1, (), ())
    assert what_if_as_text(found) == "\nAzure's what-if agrees about 1 resource\n"


MODEL = "properties.virtualMachineProfile"
NICS = f"{MODEL}.networkProfile.networkInterfaceConfigurations"


@pytest.mark.parametrize(
    ("delta", "why"),
    [
        (change(f"{MODEL}.osProfile.customData", "Create", after="x"), "Azure never shows it, so it always looks new"),
        (change(f"{MODEL}.diagnosticsProfile", "Delete", before={"a": 1}), "it is not stated, and Azure keeps what"),
        (change("properties.uniqueId", "Delete", before="x"), "only Azure sets it"),
        (change("properties.provisioningState", "NoEffect", after="x"), "only Azure sets it, so stating it has no"),
        (change("location", before="SouthCentralUS", after="southcentralus"), "Azure does not tell these letters'"),
        (change("zones", "Create", after=[]), "nothing is stated, and nothing is there"),
        (
            change("zones", "Array", children=[change("0", before="1", after="2"), change("1", before="2", after="1")]),
            "the same items stand in another order",
        ),
        (
            change(NICS, "Array", children=[change("0", children=[change("properties.x", "Delete", before=True)])]),
            "it is not stated, and Azure keeps what",
        ),
        (change(f"{MODEL}.licenseType", before="a", after="b"), ""),
        (change(f"{MODEL}.licenseType", "Create", after="b"), ""),
        (change(NICS, "Array", children=[change("0", children=[change("properties.x", before=1, after=2)])]), ""),
    ],
)
def test_noise_is_explained_and_what_is_none_is_not(delta: Json, why: str) -> None:
    world = standing()

    found = answered(plan(GROWN, world), world, {SET: modify(CAPACITY, delta)})

    ((name, ours, theirs, paths, told),) = differences(found)
    assert (name, ours, theirs, paths) == (SET, "update", "Modify", (delta["path"],))
    assert told.startswith(why) if why else told == ""
    assert ("  ? " in what_if_as_text(found)) == (not why)


@pytest.mark.parametrize(
    ("before", "why"),
    [
        (None, "it is not stated, and is Azure's default"),
        ({"protectionMode": "VirtualNetworkInherited"}, "it is not stated, and is Azure's default"),
        ([], "it is not stated, and is Azure's default"),
        ({"protectionMode": "Enabled"}, ""),
    ],
)
def test_what_a_network_deployment_would_take_away_is_explained_only_if_it_is_a_default(before: Any, why: str) -> None:
    world = standing()
    tags = change("tags.owner", before="ml", after="other")

    found = answered(
        plan(TAGGED, world),
        world,
        {ADDRESS: modify(tags, change("properties.ddosSettings", "Delete", before=before))},
        rest="NoChange",
    )

    assert [row for row in differences(found) if row[0] == ADDRESS] == [
        (ADDRESS, "update", "Modify", ("properties.ddosSettings",), why)
    ]


@pytest.mark.parametrize(
    ("text", "said", "ours", "why"),
    [
        (
            REPLACED,
            modify(change(f"{MODEL}.osProfile.adminUsername")),
            "replace",
            "what-if does not know what cannot be",
        ),
        (REPLACED, {"changeType": "Create"}, "replace", "it is deleted first, and what-if foresees what follows"),
        (GROWN, {"changeType": "Create"}, "update", ""),
        (GROWN, {"changeType": "NoChange"}, "update", ""),
        (GROWN, {}, "update", ""),
        (GROWN, {"changeType": "Ignore"}, "update", "it is beyond what a what-if expands, so it was not looked at"),
        (
            GROWN,
            {"changeType": "Unsupported", "unsupportedReason": "too deep"},
            "update",
            "what-if cannot tell: too deep",
        ),
        (
            GROWN.replace("nodes: 3", "nodes: 1\n    protect: true"),
            modify(change("sku.capacity")),
            "refused",
            "what-if sees what a template does, not whose a resource is or what is promised: pool train is protected",
        ),
    ],
)
def test_what_is_said_of_a_resource_is_explained_or_pointed_out(text: str, said: Json, ours: str, why: str) -> None:
    world = standing()

    ((name, plan_says, _, _, told),) = differences(answered(plan(text, world), world, {SET: said}))

    assert (name, plan_says) == (SET, ours)
    assert told.startswith(why) if why else told == ""


def test_a_resource_that_lists_did_not_show_is_pointed_out() -> None:
    world = standing()
    del world.resources[world.resource(SET)["id"].lower()]

    ((name, ours, theirs, _, why),) = differences(answered(plan(QUICK, world), world, {SET: modify()}))

    assert (name, ours, theirs, why) == (SET, "create", "Modify", "")


def test_a_deployment_that_azure_refuses_to_foresee_is_told_with_its_reason() -> None:
    world = standing()
    made = plan(GROWN, world)
    (question,) = questions(made, world.observed.groups.keys())[0]
    answer = {"status": "Failed", "error": {"code": "InvalidTemplate", "message": "no"}}

    found = foreseen(made, [(question, answer)], (), load_policies())

    assert [(each.what_if, each.why) for each in found.disagreements] == [
        ("Azure foresees nothing of train-0: InvalidTemplate: no", "")
    ]
    assert isinstance(found.unexplained[0], Disagreement)
