"""What a body takes over from Azure, and what it takes away."""

from __future__ import annotations

from typing import Any

import pytest

from provision.catalog.changes import TypePolicies
from provision.plan.carry import carried_body
from provision.plan.diff import edits_of
from tests.plan.test_diff import a_row, rows

LISTS = rows(
    a_row("p.rules", key="name", keep=True),
    a_row("p.ranges", set=True, keep=True),
    a_row("p.keys", key="name"),
)
MERGING = rows(a_row("p"), a_row("p.list", key="name", keep=True), a_row("tags"), merges=True)
OTHERS = rows(a_row("p"), carried={"zones": None, "p.mode": "Default", "p.table": None})


def sent(
    policies: TypePolicies, template: dict[str, Any], observed: dict[str, Any], recorded: dict[str, Any] | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    edits = edits_of(template, observed, recorded, policies, lambda path: "")
    return carried_body(template, observed, recorded, edits, policies)


def test_tags_of_others_are_carried_and_ours_that_are_no_longer_stated_are_not() -> None:
    observed = {"tags": {"OWNER": "ml", "Team": "a", "billing": "42"}}

    assert sent(LISTS, {"tags": {"owner": "ml"}}, observed, {"tags": {"team": "a"}}) == (
        {"tags": {"owner": "ml", "billing": "42"}},
        ("tags.billing",),
    )
    assert sent(LISTS, {}, {"tags": {"x": "y"}}) == ({"tags": {"x": "y"}}, ("tags.x",))


def test_elements_of_others_are_carried_without_what_only_azure_writes() -> None:
    kept = {"name": "theirs", "properties": {"priority": 1, "group": {"id": "/asg"}}}
    theirs = {
        "name": "theirs",
        "id": "/x",
        "etag": "1",
        "properties": {"priority": 1, "provisioningState": "Succeeded", "group": {"id": "/asg"}},
    }
    ours = {"name": "OURS", "properties": {}}

    assert sent(LISTS, {"p": {"rules": [{"name": "ours"}]}}, {"p": {"rules": [ours, theirs]}}) == (
        {"p": {"rules": [{"name": "ours"}, kept]}},
        ("p.rules[theirs]",),
    )


def test_elements_that_were_ours_or_of_a_list_that_is_only_ours_are_not_carried() -> None:
    observed = {"p": {"rules": [{"name": "old"}], "keys": [{"name": "theirs"}]}}

    assert sent(LISTS, {"p": {"keys": []}}, observed, {"p": {"rules": [{"name": "old"}]}}) == ({"p": {"keys": []}}, ())


def test_ranges_of_others_are_carried() -> None:
    assert sent(LISTS, {"p": {"ranges": ["a"]}}, {"p": {"ranges": ["a", "b", "c"]}}, {"p": {"ranges": ["b"]}}) == (
        {"p": {"ranges": ["a", "c"]}},
        ("p.ranges[c]",),
    )


@pytest.mark.parametrize(
    ("observed", "body", "kept"),
    [
        ({"zones": ["1"], "p": {"mode": "Default", "table": None}}, {"p": {}, "zones": ["1"]}, ("zones",)),
        ({"p": {"mode": "Other"}}, {"p": {"mode": "Other"}}, ("p.mode",)),
        ({"p": {"table": {"id": "/routes"}}}, {"p": {"table": {"id": "/routes"}}}, ("p.table",)),
        ({"p": {"table": [], "mode": {}}}, {"p": {}}, ()),
    ],
)
def test_what_others_set_is_carried_and_what_azure_sets_is_not(
    observed: dict[str, Any], body: dict[str, Any], kept: tuple[str, ...]
) -> None:
    assert sent(OTHERS, {"p": {}}, observed) == (body, kept)


def test_what_we_state_or_stated_is_never_carried() -> None:
    observed = {"p": {"mode": "Other"}}

    assert sent(OTHERS, {"p": {"mode": "Mine"}}, observed) == ({"p": {"mode": "Mine"}}, ())
    assert sent(OTHERS, {"p": {}}, observed, {"p": {"mode": "Other"}}) == ({"p": {}}, ())


def test_where_a_put_merges_what_is_no_longer_stated_is_null() -> None:
    recorded = {"p": {"a": 1, "deep": {"b": 2}, "list": [{"name": "one"}]}, "tags": {"x": "y"}}

    assert sent(MERGING, {"p": {"c": 3}}, recorded, recorded) == (
        {"p": {"c": 3, "a": None, "deep": {"b": None}, "list": []}},
        (),
    )


def test_where_a_put_merges_an_element_that_goes_is_left_out_of_its_list() -> None:
    observed = {"p": {"list": [{"name": "one"}, {"name": "two"}, {"name": "theirs"}]}}
    recorded = {"p": {"list": [{"name": "one"}, {"name": "two"}]}}

    assert sent(MERGING, {"p": {"list": [{"name": "one"}]}}, observed, recorded) == (
        {"p": {"list": [{"name": "one"}, {"name": "theirs"}]}},
        ("p.list[theirs]",),
    )


def test_where_a_put_replaces_what_is_no_longer_stated_is_left_out() -> None:
    assert sent(LISTS, {"p": {}}, {"p": {"a": 1}}, {"p": {"a": 1}}) == ({"p": {}}, ())


def test_the_template_itself_is_left_as_it_was() -> None:
    template = {"p": {"rules": [{"name": "ours"}]}, "tags": {"a": "b"}}

    sent(LISTS, template, {"p": {"rules": [{"name": "theirs"}]}, "tags": {"c": "d"}})

    assert template == {"p": {"rules": [{"name": "ours"}]}, "tags": {"a": "b"}}


IDENTITIES = rows(a_row("identity.type", words=True, gone="None"), a_row("identity.ids", members=True), merges=True)
MINE: dict[str, Any] = {"identity": {"type": "UserAssigned", "ids": {"/mine": {}}}}


@pytest.mark.parametrize(
    ("stated", "observed", "expected"),
    [
        pytest.param(MINE, {"type": "UserAssigned", "ids": {"/mine": {}}}, MINE["identity"], id="only ours"),
        pytest.param(
            MINE,
            {"type": "SystemAssigned, UserAssigned", "ids": {"/mine": {}}},
            {"type": "SystemAssigned, UserAssigned", "ids": {"/mine": {}}},
            id="others' beside ours",
        ),
        pytest.param(
            {},
            {"type": "SystemAssigned, UserAssigned", "ids": {"/mine": {}}},
            {"type": "SystemAssigned"},
            id="ours goes, the system's stays",
        ),
        pytest.param({}, {"type": "UserAssigned", "ids": {"/mine": {}}}, {"type": "None"}, id="ours goes"),
        pytest.param(
            {},
            {"type": "UserAssigned", "ids": {"/mine": {}, "/theirs": {}}},
            {"type": "UserAssigned", "ids": {"/mine": None}},
            id="ours goes, another's stays",
        ),
        pytest.param({}, {"type": "SystemAssigned"}, None, id="ours is gone already"),
    ],
)
def test_identities_of_others_stay_whatever_happens_to_ours(
    stated: dict[str, Any], observed: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    assert sent(IDENTITIES, stated, {"identity": observed}, MINE)[0].get("identity") == expected


def test_an_identity_that_others_add_is_no_change() -> None:
    observed = {"identity": {"type": "SystemAssigned, UserAssigned", "ids": {"/mine": {}, "/theirs": {}}}}

    assert edits_of(MINE, observed, MINE, IDENTITIES, lambda path: "") == ()


SETTLED = rows(
    a_row("p.kind", action="replace", default="Plain"), a_row("p.size", action="replace"), a_row("p"), merges=True
)


def test_what_azure_means_by_nothing_and_never_changes_is_not_sent() -> None:
    assert sent(SETTLED, {"p": {"kind": "Plain", "x": 1}}, {"p": {"x": 1}}) == ({"p": {"x": 1}}, ())
    assert sent(SETTLED, {"p": {"kind": "Plain"}}, {"p": {"x": 1}}) == ({}, ())
    assert sent(SETTLED, {"p": {"kind": "Plain"}}, {"p": {"kind": "Plain"}}) == ({"p": {"kind": "Plain"}}, ())
    assert sent(SETTLED, {"p": {"kind": "Other"}}, {"p": {}}) == ({"p": {"kind": "Other"}}, ())
