"""Composition: a file over its bases, `--set` over both, each value with the place that it came from."""

from __future__ import annotations

import pytest

from provision.environment import Loaded, load, setting_of
from provision.errors import FileError
from tests.environment.texts import REST, TOP, said

BASE = """\
version: 1
name: base
subscription: 00000000-0000-0000-0000-000000000001
tags: {owner: ml, team: a}
network: {ssh_from: [203.0.113.0/24, 198.51.100.0/24]}
regions: {southcentralus: {zone: "1"}, eastus: {zone: "2"}}
pools:
  train: {size: Standard_ND96isr_H100_v5, nodes: 16, ssh_public_key_file: keys/train.pub}
"""


def composed(files: dict[str, str], *settings: str, file: str = "env.yaml", **variables: str) -> Loaded:
    def read(path: str) -> str:
        if path not in files:
            raise FileError(path, "there is no such file")
        return files[path]

    return load(file, read, variables, [setting_of(text) for text in settings])


def test_maps_merge_lists_and_scalars_replace_and_null_removes() -> None:
    over = """\
extends: base.yaml
name: prod
tags: {team: b, extra: c}
network: {ssh_from: [192.0.2.0/24]}
regions: {eastus: null}
pools: {train: {nodes: 3}}
"""
    result = composed({"env.yaml": over, "base.yaml": BASE})

    assert result.findings == ()
    assert result.data == {
        "version": 1,
        "name": "prod",
        "subscription": "00000000-0000-0000-0000-000000000001",
        "tags": {"owner": "ml", "team": "b", "extra": "c"},
        "network": {"ssh_from": ("192.0.2.0/24",)},
        "regions": {"southcentralus": {"zone": "1"}},
        "pools": {"train": {"size": "Standard_ND96isr_H100_v5", "nodes": 3, "ssh_public_key_file": "keys/train.pub"}},
    }


def test_a_map_takes_the_place_of_a_scalar_and_a_scalar_that_of_a_map() -> None:
    over = "extends: base.yaml\nnetwork: {outbound: none}\npools: {train: {nodes: {eastus: 2}}}\n"
    base = BASE.replace("network: {", "network: {outbound: {nat_gateway: {addresses: 2}}, ")
    result = composed({"env.yaml": over, "base.yaml": base})

    assert result.findings == ()
    assert result.data["network"]["outbound"] == "none"
    assert result.data["pools"]["train"]["nodes"] == {"eastus": 2}


def test_a_chain_of_files_is_laid_one_over_the_other_the_named_one_on_top() -> None:
    files = {
        "env.yaml": "extends: mid.yaml\nname: top\n",
        "mid.yaml": "extends: base.yaml\nname: mid\ntags: {team: mid}\n",
        "base.yaml": BASE,
    }
    result = composed(files)

    assert (result.data["name"], result.data["tags"]["team"], result.data["tags"]["owner"]) == ("top", "mid", "ml")


def test_each_finding_and_place_names_the_file_that_the_value_came_from() -> None:
    files = {
        "prod/env.yaml": "extends: ../bases/h100.yaml\nregions: {eastus: {zone: 7}}\n",
        "bases/h100.yaml": BASE.replace("nodes: 16", "nodes: -1"),
    }
    result = composed(files, "pools.train.protect=ye", file="prod/env.yaml")

    assert [(f.file, f.line, f.column, f.path, f.source_line.strip()) for f in result.findings] == [
        ("--set pools.train.protect=ye", 1, 21, "pools.train.protect", "pools.train.protect=ye"),
        ("bases/h100.yaml", 8, 50, "pools.train.nodes", files["bases/h100.yaml"].splitlines()[7].strip()),
        ("prod/env.yaml", 2, 26, "regions.eastus.zone", "regions: {eastus: {zone: 7}}"),
    ]
    assert result.source.located(("pools", "train")) == "bases/h100.yaml:8 pools.train"
    assert result.source.located(("pools", "train", "protect")) == "--set pools.train.protect=ye pools.train.protect"


def test_a_missing_key_is_told_at_the_file_that_gave_the_map_last() -> None:
    files = {"env.yaml": "extends: base.yaml\npools: {new: {nodes: 2, size: x}}\n", "base.yaml": BASE}

    assert [(f.file, f.line, f.path) for f in composed(files).findings] == [
        ("env.yaml", 2, "pools.new.ssh_public_key_file")
    ]


def test_relative_paths_are_relative_to_the_file_that_says_them() -> None:
    files = {
        "prod/env.yaml": "extends: ../bases/h100.yaml\n"
        "pools: {own: {size: x, nodes: 1, ssh_public_key_file: own.pub}}\n",
        "bases/h100.yaml": "extends: more/deep.yaml\n"
        "pools: {login: {size: x, nodes: 1, ssh_public_key_file: /etc/login.pub, cloud_init_file: '${BOOT}'}}\n",
        "bases/more/deep.yaml": BASE,
    }
    result = composed(files, file="prod/env.yaml", BOOT="boot.yaml")

    assert result.findings == ()
    assert result.environment is not None
    assert {name: pool.ssh_public_key_file for name, pool in result.environment.pools.items()} == {
        "train": "../bases/more/keys/train.pub",
        "login": "/etc/login.pub",
        "own": "own.pub",
    }
    assert result.environment.pools["login"].cloud_init_file == "boot.yaml"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"env.yaml": "extends: env.yaml\n"}, "env.yaml:1 env.yaml can't be extended: it extends this one"),
        ({"env.yaml": "extends: ./x/../env.yaml\n"}, "env.yaml:1 env.yaml can't be extended: it extends this one"),
        (
            {"env.yaml": "extends: a.yaml\n", "a.yaml": "name: a\nextends: env.yaml\n"},
            "a.yaml:2 env.yaml can't be extended: it extends this one",
        ),
        ({"env.yaml": "extends: none.yaml\n"}, "env.yaml:1 none.yaml can't be extended: there is no such file"),
        ({"env.yaml": "extends: ${BASE}\n"}, "env.yaml:1 extends ${BASE}; variables have no place in it"),
    ],
)
def test_a_base_that_can_not_be_used_is_a_finding_where_it_is_named(files: dict[str, str], found: str) -> None:
    first = next(f for f in composed({**files, "env.yaml": files["env.yaml"] + TOP + REST}).findings)

    assert first.rule == "base-unreadable"
    assert f"{first.file}:{first.line} {first.message}".startswith(found)


@pytest.mark.parametrize("value", ["[a.yaml]", "3", "''"])
def test_extends_takes_one_path(value: str) -> None:
    found = composed({"env.yaml": f"extends: {value}\n" + TOP + REST}).findings

    assert [(f.rule, f.line, f.path) for f in found] == [("wrong-type", 1, "extends")]


def test_extends_without_a_value_extends_nothing() -> None:
    assert composed({"env.yaml": "extends:\n" + TOP + REST}).findings == ()


def test_a_base_that_is_no_yaml_is_told_with_its_own_name() -> None:
    with pytest.raises(FileError) as raised:
        composed({"env.yaml": "extends: base.yaml\n", "base.yaml": "a: [\n"})

    assert raised.value.file == "base.yaml"


def test_what_is_wrong_with_the_yaml_of_a_base_counts_even_where_it_is_replaced() -> None:
    files = {"env.yaml": "extends: base.yaml\ntags: {team: b}\n", "base.yaml": BASE.replace("team: a", "team: no")}

    assert said(composed(files)) == ["4:25 ambiguous-scalar tags.team"]


def test_a_setting_wins_over_every_file_and_the_last_over_the_others() -> None:
    files = {"env.yaml": "extends: base.yaml\npools: {train: {nodes: 3}}\n", "base.yaml": BASE}
    result = composed(files, "pools.train.nodes=4", "pools.train.nodes={eastus: 5}", "tags.team=", "name=x-1")

    assert result.findings == ()
    assert result.data["pools"]["train"]["nodes"] == {"eastus": 5}
    assert result.data["tags"] == {"owner": "ml"}
    assert result.data["name"] == "x-1"


def test_an_unknown_path_is_the_finding_that_it_is_in_a_file() -> None:
    found = composed({"env.yaml": BASE}, "pools.train.node=3", "colour=red", "pools.tarin.nodes=3").findings

    assert [(f.file, f.rule, f.path) for f in found] == [
        ("--set colour=red", "unknown-key", "colour"),
        ("--set pools.tarin.nodes=3", "missing-key", "pools.tarin.size"),
        ("--set pools.tarin.nodes=3", "missing-key", "pools.tarin.ssh_public_key_file"),
        ("--set pools.train.node=3", "unknown-key", "pools.train.node"),
    ]
