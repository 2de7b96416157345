"""Misspelt and misplaced keys: which one was meant, and where it belongs."""

from __future__ import annotations

import pytest

from provision.environment.levels import LATER, keys_at, levels, levels_with
from provision.near import nearest


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
