"""How one resource differs: each way in which values compare, and what a difference means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from provision.catalog.changes import Policy, TypePolicies
from provision.plan.diff import NOT_SHOWN, Difference, differences, edits_of
from provision.plan.model import Action, Edit
from provision.plan.record import hashed

LINK = "https://learn.microsoft.com/x"


def a_row(path: str, **settings: Any) -> Policy:
    return Policy(**{"path": path, "action": "update", "why": "because", "source": "TF", **settings})


def rows(*policies: Policy, merges: bool = False, carried: Mapping[str, Any] | None = None) -> TypePolicies:
    found: dict[str, tuple[Policy, ...]] = {}
    for row in policies:
        found[row.path] = (*found.get(row.path, ()), row)
    return TypePolicies(link=LINK, rows=found, carried=carried or {}, merges=merges)


PLAIN = rows(a_row("a"), a_row("tags"))
FOLD = rows(a_row("a", fold=True))
SET = rows(a_row("a", set=True, fold=True))
SHARED = rows(a_row("a", set=True, keep=True))
KEYED = rows(a_row("a", key="name"))
KEPT = rows(a_row("a", key="name", keep=True))
DEFAULT = rows(a_row("a", default=4))
HIDDEN = rows(a_row("a.secret", hidden=True))

ONE, TWO, BIG = {"name": "one", "n": 1}, {"name": "two", "n": 2}, {"name": "ONE", "n": 1}


@pytest.mark.parametrize(
    ("policies", "stated", "observed", "recorded", "found"),
    [
        pytest.param(PLAIN, 1, 1, 1, [], id="same"),
        pytest.param(PLAIN, 2, 1, 1, [("a", 1, 2, 1)], id="other"),
        pytest.param(PLAIN, 1, None, None, [("a", None, 1, None)], id="new"),
        pytest.param(PLAIN, None, [], None, [], id="nothing is nothing"),
        pytest.param(PLAIN, "X", "x", None, [("a", "x", "X", None)], id="case counts"),
        pytest.param(FOLD, "X", "x", None, [], id="case does not count"),
        pytest.param(
            PLAIN, "/subscriptions/S/x", "/subscriptions/s/X", None, [], id="ids compare without case everywhere"
        ),
        pytest.param(DEFAULT, 4, None, None, [], id="default"),
        pytest.param(DEFAULT, 5, None, None, [("a", None, 5, None)], id="not the default"),
        pytest.param(PLAIN, {"b": 1}, {"b": 1, "c": 2}, None, [], id="what only Azure has is a default"),
        pytest.param(PLAIN, {"b": 1}, {"b": 1, "c": 2}, {"c": 2}, [("a.c", 2, None, 2)], id="no longer stated"),
        pytest.param(PLAIN, {}, {}, {"c": 2}, [], id="no longer stated, and gone already"),
        pytest.param(PLAIN, {"b": 1}, "odd", None, [("a.b", None, 1, None)], id="another shape"),
        pytest.param(PLAIN, [1, 2], [1, 2], None, [], id="list"),
        pytest.param(PLAIN, [1, 2], [2, 1], None, [("a[0]", 2, 1, None), ("a[1]", 1, 2, None)], id="list has order"),
        pytest.param(PLAIN, [1], [1, 2], [1], [("a", [1, 2], [1], [1])], id="list of another length"),
        pytest.param(SET, ["X", "y"], ["Y", "x"], None, [], id="set has no order"),
        pytest.param(SET, ["x"], ["x", "z"], ["x", "z"], [("a", ["x", "z"], ["x"], ["x", "z"])], id="out of a set"),
        pytest.param(SET, ["x", "z"], ["x"], ["x"], [("a", ["x"], ["x", "z"], ["x"])], id="into a set"),
        pytest.param(SET, [], None, None, [], id="an empty set is none"),
        pytest.param(SHARED, ["x"], ["x", "theirs"], ["x"], [], id="what others put into a set stays"),
        pytest.param(
            SHARED, ["x"], ["x", "y", "theirs"], ["x", "y"], [("a", ["x", "y"], ["x"], ["x", "y"])], id="ours goes"
        ),
        pytest.param(KEYED, [ONE, TWO], [TWO, ONE], None, [], id="by key"),
        pytest.param(KEYED, [ONE], [BIG], None, [("a[one].name", "ONE", "one", None)], id="a key finds without case"),
        pytest.param(KEYED, [ONE], [{**ONE, "n": 5}], [ONE], [("a[one].n", 5, 1, 1)], id="element differs"),
        pytest.param(KEYED, [ONE, TWO], [ONE], None, [("a[two]", None, TWO, None)], id="element is new"),
        pytest.param(KEYED, [ONE], [ONE, TWO], None, [("a[two]", TWO, None, None)], id="element of others goes"),
        pytest.param(KEPT, [ONE], [ONE, TWO], None, [], id="element of others stays"),
        pytest.param(KEPT, [ONE], [ONE, TWO], [ONE, TWO], [("a[two]", TWO, None, TWO)], id="element of ours goes"),
        pytest.param(KEPT, [], [ONE], [ONE], [("a[one]", ONE, None, ONE)], id="the last element goes"),
    ],
)  # fmt: skip
def test_values_compare_as_azure_takes_them(
    policies: TypePolicies, stated: Any, observed: Any, recorded: Any, found: list[tuple[Any, ...]]
) -> None:
    made = differences({"a": stated}, {"a": observed}, {"a": recorded}, policies)

    assert made == [Difference(*each) for each in found]


def test_a_list_that_is_no_longer_stated_takes_only_our_elements_away() -> None:
    assert differences({}, {"a": [ONE, TWO]}, {"a": [ONE]}, KEPT) == [Difference("a[one]", ONE, None, ONE)]
    assert differences({}, {"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"c": 1}}}, PLAIN) == [
        Difference("a.b.c", 1, None, 1)
    ]


@pytest.mark.parametrize(
    ("stated", "recorded", "found"),
    [
        ({"secret": "new"}, {"secret": hashed("old")}, [("a.secret", hashed("old"), hashed("new"), None)]),
        ({"secret": "old"}, {"secret": hashed("old")}, []),
        ({"secret": "new"}, {}, [("a.secret", None, hashed("new"), None)]),
        ({"secret": "new"}, None, [("a.secret", NOT_SHOWN, hashed("new"), None)]),
        ({}, {"secret": hashed("old")}, [("a.secret", hashed("old"), None, None)]),
        ({}, {}, []),
    ],
)
def test_what_azure_never_shows_is_compared_with_what_was_recorded_and_shown_as_a_hash(
    stated: Any, recorded: Any, found: list[tuple[Any, ...]]
) -> None:
    made = differences({"a": stated}, {"a": {}}, None if recorded is None else {"a": recorded}, HIDDEN)

    assert made == [Difference(*each) for each in found]


def test_the_names_of_tags_compare_without_case_and_their_values_with_it() -> None:
    def found(stated: Any, observed: Any, recorded: Any) -> list[Difference]:
        return differences({"tags": stated}, {"tags": observed}, {"tags": recorded}, PLAIN)

    assert found({"Owner": "ml"}, {"owner": "ml"}, {"OWNER": "ml"}) == []
    assert found({"Owner": "ML"}, {"owner": "ml"}, {}) == [Difference("tags.Owner", "ml", "ML", None)]
    assert found({}, {"OWNER": "ml", "theirs": "x"}, {"owner": "ml"}) == [Difference("tags.owner", "ml", None, "ml")]


def test_a_region_is_the_same_however_azure_spells_it() -> None:
    assert differences({"location": "southcentralus"}, {"location": "South Central US"}, None, PLAIN) == []


def edits(before: Any, after: Any, recorded: Any = None, *, row: Policy, rolls: bool = False) -> tuple[Edit, ...]:
    return edits_of({"a": after}, {"a": before}, {"a": recorded}, rows(row), lambda path: f"x.yaml:1 {path}", rolls)


def test_an_edit_says_what_why_and_where_from() -> None:
    assert edits(1, 2, row=a_row("a")) == (
        Edit("a", before=1, after=2, action=Action.UPDATE, reason="because", link=LINK, origin="x.yaml:1 a"),
    )


@pytest.mark.parametrize(("rolls", "action"), [(False, Action.UPDATE_MODEL), (True, Action.ROLL)])
def test_a_change_of_the_model_waits_for_people_or_rolls(rolls: bool, action: Action) -> None:
    assert [edit.action for edit in edits(1, 2, row=a_row("a", action="model"), rolls=rolls)] == [action]


def test_what_somebody_else_changed_is_drift_and_what_we_change_is_not() -> None:
    (drift,) = edits(5, 1, 1, row=a_row("a"))
    (change,) = edits(1, 2, 1, row=a_row("a"))

    assert (drift.drift, drift.reason) == (True, "because; changed in Azure since the last apply, which this reverts")
    assert (change.drift, change.reason) == (False, "because")


def test_a_property_without_a_row_is_the_worst_case_and_named() -> None:
    (edit,) = edits_of({"b": 2}, {"b": 1}, None, PLAIN, lambda path: "")

    assert (edit.action, edit.reason) == (
        Action.REPLACE,
        "b is not in our table of changes, so the worst case is assumed",
    )
