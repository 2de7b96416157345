"""Misspelt and misplaced keys: which one was meant, and where it belongs."""

from __future__ import annotations

import pytest

from provision.adapters.files import load_catalog
from provision.environment.levels import LATER, SETTLED, SYNONYMS, keys_at, levels, levels_with
from provision.near import nearest
from provision.pipeline import check
from tests.support.worlds import KEY, QUICK


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("node", "nodes"),
        ("Nodes", "nodes"),
        ("jobsize", "job_size"),
        ("job-size", "job_size"),
        ("infinband", "infiniband"),
        ("infiniBand", "infiniband"),
        ("placement_grop_limit", "placement_group_limit"),
        ("amdin_user", "admin_user"),
        ("ssh_public_key", "ssh_public_key_file"),
        ("osdisk", "os_disk"),
        ("piority", "priority"),
        ("sise", "size"),
    ],
)
def test_a_misspelt_key_is_recognised(typed: str, meant: str) -> None:
    assert nearest(typed, keys_at(("pools", "train"))) == meant


@pytest.mark.parametrize("typed", ["color", "x", "", "service_tier", "single_placement_groups"])
def test_a_key_that_resembles_none_is_not_guessed_at(typed: str) -> None:
    assert nearest(typed, keys_at(("pools", "train"))) is None


def test_each_level_knows_its_keys() -> None:
    assert keys_at(("pools", "train", "os_disk")) == ("kind", "size_gib")
    assert keys_at(("network", "outbound", "nat_gateway")) == ("addresses",)
    assert keys_at(("regions",)) == ()


def test_a_misplaced_key_is_told_where_it_belongs() -> None:
    assert levels_with("zone") == ("regions.NAME", "storage.NAME")
    assert levels_with("spares") == ("regions.NAME.pools.NAME", "pools.NAME")
    assert levels_with("tags") == ("the top of the file",)


def test_what_is_said_to_come_later_is_not_there_yet() -> None:
    assert not LATER & {key for _, model in levels() for key in model.model_fields}


@pytest.mark.parametrize(
    ("key", "told", "fix"),
    [
        ("count", "pools.train has no key `count`; provision calls it `nodes`", "write `nodes`"),
        ("machine_type", "pools.train has no key `machine_type`; provision calls it `size`", "write `size`"),
        (
            "zones",
            "pools.train has no key `zones`; provision calls it `zone`, in regions.NAME or storage.NAME",
            "write `zone` in regions.NAME or storage.NAME",
        ),
        (
            "proximity_placement_group",
            "`proximity_placement_group` can't be chosen: a scale set of one placement group stands in one InfiniBand "
            "fabric already; a proximity placement group adds a constraint that Azure may not be able to meet",
            "leave it out",
        ),
        (
            "capacity_reservation_group",
            "`capacity_reservation_group` can't be chosen: "
            "Azure offers no capacity reservation for sizes with InfiniBand",
            "leave it out",
        ),
    ],
)
def test_what_other_tools_call_otherwise_or_let_choose_is_answered(key: str, told: str, fix: str) -> None:
    text = QUICK + f"    {key}: x\n"
    found = check("env.yaml", lambda path: text if path == "env.yaml" else KEY, load_catalog()).findings

    assert [(each.message, each.fix) for each in found if each.rule == "unknown-key"] == [(told, fix)]


def test_no_key_of_ours_is_taken_for_another_tool_s() -> None:
    ours = {key for _, model in levels() for key in model.model_fields}

    assert not ours & {*SETTLED, *SYNONYMS}
