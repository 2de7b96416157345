"""Which row of the table of changes holds for a change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from provision.adapters.policies import load_policies
from provision.catalog.changes import UNKNOWN, Policies, policies_from, policies_of_own

TABLE = """\
read_on: 2026-11-30
Microsoft.X/things:
  link: https://learn.microsoft.com/x
  merges: true
  carried: {zones: null}
  rows:
    - {path: a, action: update, why: all of a, source: S}
    - {path: a.n, when: grows, action: update, why: it grows, source: S}
    - {path: a.n, when: shrinks, action: scale-in, why: it shrinks, source: S}
    - {path: a.z, when: added, action: update, why: one more, source: S}
    - {path: a.z, when: removed, action: replace, why: one less, source: S}
    - {path: a.flag, when: {to: false}, action: update, why: goes off, source: S}
    - {path: a.flag, action: replace, why: comes on, source: S}
    - {path: a.list, key: name, action: model, why: the list, source: S}
    - {path: "a.list[].size", action: deallocate, why: its size, source: S}
    - {path: a.gone, when: {from: null}, action: replace, why: first one, source: S}
    - {path: a.gone, when: {from: 1, to: 2}, action: update, why: one to two, source: S}
    - {path: a.subnet, when: same-network, action: model, why: next door, source: S}
    - {path: a.subnet, action: replace, why: far away, source: S}
    - {path: a.size, beside: {a.flag: false}, action: model, why: without the flag, source: S}
    - {path: a.size, action: replace, why: with it, source: S}
    - {path: a.secret, hidden: true, action: model, why: unseen, source: S}
"""


def table() -> Policies:
    return policies_from(lambda name: {"catalog/changes.yaml": TABLE}[name])


@pytest.mark.parametrize(
    ("path", "before", "after", "why"),
    [
        ("a", 1, 2, "all of a"),
        ("a.other.deep", 1, 2, "all of a"),
        ("a.n", 1, 2, "it grows"),
        ("a.n", 2, 1, "it shrinks"),
        ("a.n", "1", "2", UNKNOWN.why),
        ("a.n", None, 2, UNKNOWN.why),
        ("a.z", ["1"], ["2", "1"], "one more"),
        ("a.z", None, ["1"], "one more"),
        ("a.z", ["1", "2"], ["1"], "one less"),
        ("a.z", ["1"], ["2"], UNKNOWN.why),
        ("a.z", "1", None, "one less"),
        ("a.flag", True, False, "goes off"),
        ("a.flag", False, True, "comes on"),
        ("a.list[x]", None, {}, "the list"),
        ("a.list[x].size", 1, 2, "its size"),
        ("a.list[x.y].size.deep", 1, 2, "its size"),
        ("a.list[x].other", 1, 2, "the list"),
        ("a.gone", None, 1, "first one"),
        ("a.gone", [], ["1"], "first one"),
        ("a.gone", 1, 2, "one to two"),
        ("a.gone", 1, 3, UNKNOWN.why),
        ("a.subnet.id", "/vnets/A/subnets/x", "/vnets/a/subnets/y", "next door"),
        ("a.subnet.id", "/vnets/a/subnets/x", "/vnets/b/subnets/x", "far away"),
        ("a.subnet.id", None, "/vnets/b/subnets/x", "far away"),
        ("a.subnet", "x", "y", "far away"),
        ("a.size", 1, 2, "with it"),
        ("b", 1, 2, UNKNOWN.why),
        ("ab", 1, 2, UNKNOWN.why),
        ("", 1, 2, UNKNOWN.why),
    ],
)
def test_the_longest_path_and_its_first_true_condition_count(path: str, before: Any, after: Any, why: str) -> None:
    assert table().of("Microsoft.X/Things").policy(path, before, after).why == why


@pytest.mark.parametrize(
    ("flags", "why"),
    [((), "with it"), ((False, False), "without the flag"), ((True, False), "with it"), ((False, True), "with it")],
)
def test_a_row_that_looks_beside_the_path_counts_only_where_both_bodies_have_what_it_wants(
    flags: tuple[bool, ...], why: str
) -> None:
    bodies = [{"a": {"flag": flag}} for flag in flags]

    assert table().of("Microsoft.X/Things").policy("a.size", 1, 2, *bodies).why == why


def test_what_a_user_knows_better_goes_before_the_table_and_the_table_before_the_worst_case() -> None:
    rows = policies_of_own(["a.size"], table().of("Microsoft.X/Things"))
    unknown = policies_of_own([], table().of("Microsoft.Y/things"))

    assert [rows.policy(path, 1, 2).action for path in ("a.size", "a.n", "tags.a", "b")] == [
        "update",
        "update",
        "update",
        "replace",
    ]
    assert [unknown.policy(path, 1, 2).action for path in ("tags.a", "location", "a.n")] == [
        "update",
        "replace",
        "replace",
    ]


def test_a_type_tells_what_is_hidden_carried_merged_and_what_kind_of_list_stands_at_a_path() -> None:
    things = table().of("microsoft.x/THINGS")

    assert (things.hidden, things.carried, things.merges) == (("a.secret",), {"zones": None}, True)
    assert (things.exactly("a.list").key, things.exactly("a.list[x].size").action) == ("name", "deallocate")
    assert things.exactly("a.other") is UNKNOWN


def test_a_type_that_is_not_known_has_no_rows_so_each_change_is_the_worst_case() -> None:
    unknown = table().of("Microsoft.Y/things")

    assert unknown.policy("location", "a", "b") is UNKNOWN
    assert (unknown.hidden, unknown.carried, unknown.merges) == ((), {}, False)


SCALE_SET: Mapping[tuple[str, Any, Any], str] = {
    ("sku.capacity", 2, 4): "update",
    ("sku.capacity", 4, 2): "scale-in",
    ("sku.name", "Standard_A", "Standard_B"): "replace",
    ("zones", None, ("1",)): "replace",
    ("zones", ("1",), ("2",)): "replace",
    ("zones", ("1",), ("1", "2")): "update",
    ("properties.singlePlacementGroup", True, False): "update",
    ("properties.singlePlacementGroup", False, True): "replace",
    ("properties.virtualMachineProfile.storageProfile.imageReference.version", "1", "2"): "model",
    ("properties.virtualMachineProfile.storageProfile.imageReference.offer", "1", "2"): "replace",
    ("properties.virtualMachineProfile.priority", "Regular", "Spot"): "replace",
    ("properties.virtualMachineProfile.osProfile.customData", "1", "2"): "model",
    ("properties.somethingNew", 1, 2): "replace",
}


@pytest.mark.parametrize(("change", "action"), SCALE_SET.items())
def test_what_changes_of_a_scale_set_mean(change: tuple[str, Any, Any], action: str) -> None:
    assert load_policies().of("Microsoft.Compute/virtualMachineScaleSets").policy(*change).action == action
