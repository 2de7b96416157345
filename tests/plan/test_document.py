"""A plan as a file: it comes back as it was, and what is not whole is refused."""

from __future__ import annotations

import base64
import json

import pytest

from provision import __version__
from provision.errors import Refused
from provision.plan import Plan
from provision.plan.document import actions, document_of, plan_in, text_of
from provision.plan.record import digest_of
from tests.support.worlds import QUICK, World, destruction, plan, standing


def an_odd_plan() -> Plan:
    """Return a plan with drift, something kept, a refusal, consents and a breach."""
    world = standing(QUICK.replace("nodes: 2", "nodes: 4"))
    world.resource("quick-train-0")["tags"]["billing"] = "42"
    world.resource("quick-southcentralus-nodes-nsg")["properties"]["securityRules"][0]["properties"]["priority"] = 4000
    del world.resource("quick-southcentralus-nat")["tags"]["provision"]
    return plan(QUICK + "limits: {delete_nodes: 0}\n", world)


PLANS = [plan(QUICK, World()), plan(QUICK, standing()), destruction(standing()), an_odd_plan()]


@pytest.mark.parametrize("made", PLANS)
def test_a_plan_comes_back_as_it_was(made: Plan) -> None:
    assert plan_in(text_of(made)) == made
    assert plan_in("\ufeff" + text_of(made)) == made


@pytest.mark.parametrize("made", PLANS)
def test_the_body_of_an_operation_is_the_same_each_time_and_the_saved_one(made: Plan) -> None:
    bodies = [operation.body for operation in made.operations]
    saved = plan_in(text_of(made))

    assert saved is not None
    assert bodies == [operation.body for operation in made.operations]
    assert bodies == [operation.body for operation in saved.operations]


@pytest.mark.parametrize("made", PLANS)
def test_a_plan_is_the_same_text_each_time(made: Plan) -> None:
    again = plan_in(text_of(made))

    assert again is not None
    assert text_of(again) == text_of(made)
    document = json.loads(text_of(made))
    assert document.pop("digest") == digest_of(document)


def test_a_plan_tells_what_a_reviewer_or_a_program_looks_for() -> None:
    document = document_of(an_odd_plan())

    assert list(document) == [
        "format_version",
        "tool",
        "environment",
        "subscription",
        "home",
        "home_location",
        "destroys",
        "set",
        "accepted",
        "simulated",
        "changes",
        "drift",
        "kept",
        "domains",
        "summary",
        "operations",
        "read",
        "own",
        "digest",
    ]
    assert [(row["path"], row["recorded"], row["observed"]) for row in document["drift"]] == [
        ("properties.securityRules[allow-ssh].properties.priority", 1000, 4000)
    ]
    assert document["summary"] == {
        "actions": {"update": 1, "scale-in": 1, "refused": 1},
        "usd_per_hour_before": 471.872,
        "usd_per_hour_after": 235.936,
        "known_usd_per_hour_before": 471.872,
        "known_usd_per_hour_after": 235.936,
        "unpriced": [],
        "nodes_before": 4,
        "nodes_after": 2,
        "gpus_after": 16,
        "nodes_deleted": 2,
        "usd_per_month_before": 344466.56,
        "usd_per_month_after": 172233.28,
        "pools": [
            {
                "region": "southcentralus",
                "pool": "train",
                "nodes_before": 4,
                "nodes_after": 2,
                "usd_per_hour_before": 471.872,
                "usd_per_hour_after": 235.936,
                "price": "list",
                "usd_per_month_before": 344466.56,
                "usd_per_month_after": 172233.28,
            }
        ],
        "interruptions": [
            {
                "id": standing().resource("quick-train-0")["id"],
                "nodes": 2,
                "jobs": 1,
                "stalled_nodes": 4,
                "gpu_hours": 16.0,
                "assumed_job_size": True,
                "may_not_come_back": True,
            }
        ],
        "jobs_interrupted": 1,
        "gpu_hours_at_risk": 16.0,
        "estimate": {
            "seconds": 53,
            "waves": [1, 1],
            "critical_path": ["stack southcentralus/network", "stack southcentralus/train-0"],
        },
        "consents": ["delete"],
        "breaches": ["it deletes 2 running nodes; limits.delete_nodes allows 0"],
        "refused": 1,
    }
    assert actions(plan(QUICK, standing())) == {}


TEXT = text_of(PLANS[0])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param(TEXT[: len(TEXT) // 2 + 8000], "the plan file is no whole JSON", id="cut off"),
        pytest.param(TEXT.replace('"nodes": 2', '"nodes": 3'), "the plan file is not what was saved", id="altered"),
        pytest.param(TEXT.replace('"digest"', '"dogest"'), "the plan file is not what was saved", id="no digest"),
        pytest.param(
            TEXT.replace(f'"tool": "{__version__}"', '"tool": "0.0.1"'),
            f"the plan was made by provision 0.0.1, format 1; this is provision {__version__}",
            id="another version",
        ),
        pytest.param(
            TEXT.replace('"format_version": 1', '"format_version": 9'),
            f"the plan was made by provision {__version__}, format 9",
            id="another format",
        ),
    ],
)
def test_a_plan_that_is_not_what_was_saved_is_refused(text: str, why: str) -> None:
    assert text != TEXT
    with pytest.raises(Refused) as refused:
        plan_in(text)

    assert refused.value.message.startswith(why)
    assert refused.value.fix == "make the plan again"


@pytest.mark.parametrize("text", ["", "version: 1\nname: quick\n", "{", "{}", "[1]", '{"version": 1}', "null"])
def test_what_is_no_plan_file_is_none(text: str) -> None:
    assert plan_in(text) is None


def test_a_plan_says_which_operations_rest_on_which_and_no_write_only_value_but_in_the_body_that_is_sent() -> None:
    made = PLANS[0]
    document = document_of(made)
    (body,) = [row.pop("body") for row in document["operations"] if row["unit"] == "train-0"]

    profile = body["properties"]["template"]["resources"][0]["properties"]["virtualMachineProfile"]["osProfile"]
    secret = profile["customData"]
    assert b"cloud-config" in base64.b64decode(secret)
    del profile["customData"]
    assert secret not in json.dumps([document, body])
