"""Plan files: their published schema, what they withhold, and files that no run of provision has made."""

from __future__ import annotations

import base64
import copy
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from provision.adapters.files import environments_root, load_catalog, read_text
from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates, read_templates
from provision.errors import Refused
from provision.pipeline import check, planned, rendered
from provision.plan import Chosen, Observed, Plan
from provision.plan.credible import strangers
from provision.plan.document import document_of, plan_in, text_of
from provision.plan.record import digest_of, hashed
from provision.plan.stale import moved
from provision.plan.withheld import completed, lacks, values_in
from provision.report.plan import plan_as_text
from tests.plan.test_document import PLANS
from tests.plan.test_instances import a_node, shrinking
from tests.support.topologies import EXAMPLES, MORE_EXAMPLES
from tests.support.worlds import BOOT, HOMES, KEY, QUICK, World, checked, destruction, plan, standing

Json = dict[str, Any]

SCHEMA = json.loads((Path(__file__).parents[2] / "schema" / "plan.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
OWN = plan(HOMES, World())
SHRUNK = shrinking(tuple(a_node(number) for number in (0, 1, 4, 7)))
EVERY = [
    *PLANS,
    OWN,
    SHRUNK,
    destruction(standing(HOMES), HOMES),
    plan(QUICK.replace("nodes: 2", "nodes: 1"), standing()),
]
BOOTED = QUICK + "    cloud_init_file: boot.yaml\n"


@pytest.mark.parametrize("made", EVERY)
def test_every_plan_fits_the_published_schema_and_is_taken_back(made: Plan) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(document_of(made))] == []
    assert plan_in(text_of(made)) == made


@pytest.mark.parametrize("name", [*EXAMPLES, *MORE_EXAMPLES])
def test_the_plan_of_every_example_fits_the_published_schema_and_is_taken_back(name: str) -> None:
    file = str(environments_root() / f"{name}.yaml")
    each = check(file, read_text, load_catalog(), read_folder=read_templates)
    units = rendered(each, load_catalog(), load_templates())
    made = planned(each, units, Observed({}, {}, {}, ()), load_catalog(), load_policies())

    assert [error.message for error in VALIDATOR.iter_errors(document_of(made))] == []
    assert plan_in(text_of(made)) == made
    assert next(iter(made.inputs)) == file
    assert all(digest == hashed(read_text(path)) for path, digest in made.inputs.items())


def test_a_plan_file_holds_nothing_of_what_a_user_has_nodes_boot_with() -> None:
    made = plan(BOOTED, World())
    (put,) = [operation for operation in made.operations if operation.unit == "train-0"]
    assert put.body is not None
    sent = put.body["properties"]["template"]["resources"][0]["properties"]["virtualMachineProfile"]["osProfile"]
    boot = base64.b64decode(sent["customData"])
    assert b"tmux" in (gzip.decompress(boot) if boot.startswith(b"\x1f\x8b") else boot)

    text = text_of(made)

    assert sent["customData"] not in text
    assert hashed(sent["customData"]) in text
    assert "tmux" not in text
    assert made.inputs["boot.yaml"] == hashed(BOOT)


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="'\\"), min_size=12, max_size=40))
@settings(max_examples=15)
def test_no_secret_of_a_boot_file_stands_in_a_plan_file(secret: str) -> None:
    files = {"quick.yaml": BOOTED, "boot.yaml": f"#cloud-config\nruncmd: ['login {secret}']\n"}
    each = check("quick.yaml", lambda path: files.get(path, KEY), load_catalog())
    if each.topology is None:  # it looks like a secret, and is refused before
        return
    units = rendered(each, load_catalog(), load_templates())
    made = planned(each, units, World().observed, load_catalog(), load_policies())

    text = text_of(made)

    assert json.dumps(f"login {secret}")[1:-1] not in text
    assert all(
        base64.b64encode(f"login {secret}".encode())[shift : shift + 8].decode() not in text for shift in (0, 4, 8)
    )


def test_what_a_plan_file_withholds_comes_back_from_the_files_that_it_was_made_from() -> None:
    made = plan(BOOTED, World())
    saved = plan_in(text_of(made))
    assert saved is not None
    assert lacks(saved)
    assert not lacks(made)
    assert text_of(saved) == text_of(made)
    units = rendered(checked(BOOTED), load_catalog(), load_templates())
    paths = ["properties.virtualMachineProfile.osProfile.customData"]

    whole = completed(saved, values_in((unit.template for unit in units), paths))

    assert [operation.body for operation in whole.operations] == [operation.body for operation in made.operations]
    assert not lacks(whole)
    with pytest.raises(Refused) as refused:
        completed(saved, {})
    assert refused.value.message == (
        "the plan file withholds what the nodes of train-0 in southcentralus boot with, and the files that it was made "
        "from have changed"
    )


def test_a_plan_of_nodes_that_boot_with_nothing_of_the_users_withholds_nothing() -> None:
    saved = plan_in(text_of(PLANS[0]))

    assert saved is not None
    assert not lacks(saved)


# --- files that no run has made ---


def signed(document: Json) -> str:
    """Return a plan file as somebody would forge it: with a digest that fits."""
    parts = {key: value for key, value in document.items() if key != "digest"}
    return json.dumps({**parts, "digest": digest_of(parts)})


def put_of(document: Json, unit: str = "train-0") -> Json:
    (found,) = (row for row in document["operations"] if row["unit"] == unit and row["kind"] == "put-stack")
    row: Json = found
    return row


def template_of(document: Json) -> Json:
    template: Json = put_of(document)["body"]["properties"]["template"]
    return template


def deletion_of(document: Json) -> Json:
    found: Json = next(row for row in document["operations"] if row["kind"] == "delete")
    return found


def elsewhere(id: str) -> str:
    return id.replace("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000009")


ROLE = {
    "type": "Microsoft.Authorization/roleAssignments",
    "apiVersion": "2022-04-01",
    "name": "11111111-1111-1111-1111-111111111111",
    "properties": {},
}

FORGED: dict[str, tuple[Plan, Callable[[Json], Any], str]] = {
    "another kind of operation": (
        PLANS[0],
        lambda d: put_of(d).update(kind="patch"),
        "the plan file has not the shape of a plan: operations",
    ),
    "a value of another type": (
        PLANS[0],
        lambda d: d.update(simulated="no"),
        "the plan file has not the shape of a plan: simulated: input should be a valid boolean",
    ),
    "a key more": (
        PLANS[0],
        lambda d: d.update(more=1),
        "the plan file has not the shape of a plan: more: extra inputs are not permitted",
    ),
    "an operation in another subscription": (
        PLANS[0],
        lambda d: put_of(d).update(target=elsewhere(put_of(d)["target"])),
        "is not in its subscription",
    ),
    "an id that leaves its place": (
        PLANS[0],
        lambda d: put_of(d).update(target=put_of(d)["target"] + "/../other"),
        "is not in its subscription",
    ),
    "a deletion that no change shows": (
        PLANS[2],
        lambda d: d.update(changes=[row for row in d["changes"] if row["id"] != deletion_of(d)["target"]]),
        "is not among its changes",
    ),
    "a deletion of what does not carry the mark": (
        PLANS[2],
        lambda d: deletion_of(d).update(mark=""),
        "deletes what does not carry the mark of quick",
    ),
    "a deletion that asks for no consent": (
        PLANS[2],
        lambda d: d["summary"].update(consents=[]),
        "it would delete, and asks for no consent to that",
    ),
    "a stack that deletes what it leaves out": (
        PLANS[0],
        lambda d: put_of(d)["body"]["properties"]["actionOnUnmanage"].update(resources="delete"),
        "would delete, or lock, what it no longer states",
    ),
    "a stack that denies": (
        PLANS[0],
        lambda d: put_of(d)["body"]["properties"].update(denySettings={"mode": "denyDelete"}),
        "would delete, or lock, what it no longer states",
    ),
    "a resource of another type": (
        PLANS[0],
        lambda d: template_of(d)["resources"].append(ROLE),
        "is of a type that we do not make",
    ),
    "a nested deployment": (
        PLANS[0],
        lambda d: template_of(d)["resources"][0].update(resourceGroup="other"),
        "has `resourceGroup`",
    ),
    "an expression": (
        PLANS[0],
        lambda d: template_of(d)["resources"][0].update(location="[resourceGroup().location]"),
        "is an expression, which only ARM can evaluate",
    ),
    "a template with outputs": (
        PLANS[0],
        lambda d: template_of(d).update(outputs={}),
        "has a template with more, or less, than ours have",
    ),
    "a resource without our mark": (
        PLANS[0],
        lambda d: template_of(d)["resources"][0].update(tags={}),
        "has not our mark",
    ),
    "a stack of somebody else": (
        PLANS[0],
        lambda d: put_of(d).update(target=put_of(d)["target"].replace("quick.train-0", "other.train-0")),
        "has not the name of one of quick",
    ),
    "a group that is not ours": (
        PLANS[0],
        lambda d: d["operations"][0]["body"].update(tags={}),
        "makes more, or something else, than a group of quick",
    ),
    "another home": (
        PLANS[0],
        lambda d: d.update(home=d["home"].replace("quick-home", "other-home")),
        "other-home is not the home group of quick",
    ),
    "a circle": (
        PLANS[0],
        lambda d: d["operations"][0].update(after=[d["operations"][1]["id"]]),
        "which does not come before it",
    ),
    "a chain of nothing": (
        PLANS[0],
        lambda d: d["summary"]["estimate"].update(critical_path=["nothing"]),
        "its longest chain has nothing, which is none of its operations",
    ),
    "other nodes than the change names": (
        SHRUNK,
        lambda d: next(row for row in d["operations"] if row["kind"] == "delete-instances").update(
            body={"instanceIds": ["0", "1"]}
        ),
        "deletes other nodes than its changes show",
    ),
    "nodes of somebody else's": (
        SHRUNK,
        lambda d: next(row for row in d["operations"] if row["kind"] == "delete-instances").update(
            mark="other/train-0"
        ),
        "deletes what does not carry the mark of quick",
    ),
    "more nodes than the change counts": (
        SHRUNK,
        lambda d: d["changes"][0].update(nodes=1),
        "names more nodes than it counts",
    ),
    "the checks of a plan that was shown": (
        PLANS[0],
        lambda d: d.update(checks=[]),
        "this is a plan as it was shown, with the checks of that moment, and not one that was saved",
    ),
    "a type that no unit of one's own states": (
        OWN,
        lambda d: d.update(own={}),
        "is of a type that we do not make, and no unit of one's own states it",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_plan_file_is_refused_though_its_digest_fits(name: str) -> None:
    made, forge, why = FORGED[name]
    document = document_of(made)
    document = copy.deepcopy(document)
    assert plan_in(signed(document)) == made
    forge(document)

    with pytest.raises(Refused) as refused:
        plan_in(signed(document))

    assert why in refused.value.message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text_of(PLANS[0]).replace('"nodes": 2', '"nodes": "\\ud800"'), id="half a surrogate"),
        pytest.param(text_of(PLANS[0]).replace('"set": ', '"set": [], "set": '), id="twice"),
        pytest.param(text_of(PLANS[0]).replace('"nodes": 2', '"nodes": NaN'), id="no number"),
        pytest.param(text_of(PLANS[0]).replace('"nodes": 2', '"nodes": 1e999'), id="infinite"),
        pytest.param('{"operations": ' + "[" * 100_000 + '"format_version"', id="deep"),
    ],
)
def test_json_that_programs_disagree_about_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        plan_in(text)


TEXT = text_of(PLANS[3])


@given(st.integers(0, len(TEXT) - 3))
def test_no_part_of_a_plan_file_is_taken_for_a_plan(end: int) -> None:
    assert _taken(TEXT[:end]) is None


@given(st.integers(0, len(TEXT) - 1), st.characters(min_codepoint=32, max_codepoint=126))
def test_a_plan_file_with_another_letter_is_the_same_plan_or_none(at: int, letter: str) -> None:
    assert _taken(TEXT[:at] + letter + TEXT[at + 1 :]) in (None, PLANS[3])


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in items for found in paths_in(item, (*path, key)))]


#: Between them they have every part of a plan's document: drift, a refusal, deletions, nodes that go, a part.
WHOLE = [PLANS[3], destruction(standing()), SHRUNK, plan(QUICK, World(), Chosen(pools=("!train",)))]
DOCUMENTS = [{key: value for key, value in document_of(made).items() if key != "digest"} for made in WHOLE]
PLACES = [(number, path) for number, document in enumerate(DOCUMENTS) for path in paths_in(document) if path]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from(PLACES), JUNK)
@settings(max_examples=300)
def test_whatever_is_forged_in_a_plan_file_it_is_refused_or_can_be_shown(
    place: tuple[int, tuple[Any, ...]], value: Any
) -> None:
    number, path = place
    document = copy.deepcopy(DOCUMENTS[number])
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    try:
        text = signed(document)
    except UnicodeEncodeError:
        return

    taken = _taken(text)

    if taken is not None:
        plan_as_text(taken)
        assert plan_in(text_of(taken)) == taken


def _taken(text: str) -> Plan | None:
    try:
        return plan_in(text)
    except Refused:
        return None


# --- what has moved, and what is not ours ---


def test_a_plan_says_what_has_moved_since_it_was_made() -> None:
    world = standing()
    made = plan(QUICK.replace("nodes: 2", "nodes: 3"), world)
    assert moved(made, world.observed) == ()
    world.resource("quick-train-0")["sku"]["capacity"] = 5
    gone = world.resource("quick-southcentralus-nodes-nsg")["id"]
    del world.resources[gone.lower()]

    assert moved(made, world.observed) == (
        f"{world.resource('quick-train-0')['id'].lower()} has changed: sku",
        f"{gone.lower()} is gone",
    )


def test_a_first_plan_says_what_is_there_now_and_that_it_has_been_applied() -> None:
    world = standing()
    made = plan(QUICK, World())

    told = moved(made, world.observed)

    assert told[0] == "2 of its 2 deployments have been made: it has been applied already"
    assert told[1].endswith("/resourcegroups/quick-home is new")
    assert len(told) == 11 or told[-1].startswith("and ")


def test_a_deletion_of_what_is_not_ours_is_seen_before_anything_is_written() -> None:
    world = standing()
    made = destruction(world)
    assert strangers(made, world.observed) == ()
    subnet = next(body for key, body in world.resources.items() if "/subnets/" in key)
    network = world.resource("quick-southcentralus-vnet")
    world.stacks.clear()
    network["tags"] = {}

    assert subnet["id"] in strangers(made, world.observed)
    assert network["id"] in strangers(made, world.observed)
