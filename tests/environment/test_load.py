"""Reading: all mistakes at once, each at its place, and no value ever another than the one that was typed."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from provision.environment.yaml_values import values_of
from provision.errors import FileError
from provision.findings import Severity
from provision.source import Position
from tests.environment.texts import REST, TOP, loaded, said
from tests.support.topologies import SUBNET

RULES = Path(__file__).parents[1] / "rules"


def test_a_good_file_gives_an_environment_and_no_finding() -> None:
    result = loaded()

    assert result.findings == ()
    assert result.environment is not None
    assert result.environment is result.readable
    assert result.environment.pools["train"].nodes_in("southcentralus") == 16


@pytest.mark.parametrize("text", ["\ufeff" + TOP + REST, (TOP + REST).replace("\n", "\r\n")], ids=["BOM", "CRLF"])
def test_what_windows_editors_write_is_read_as_if_others_had_written_it(text: str) -> None:
    assert loaded(text=text).environment == loaded().environment


def test_each_value_and_key_has_its_place() -> None:
    source = loaded().source

    assert source.position(("pools", "train", "nodes")) == Position(5, 56, "env.yaml")
    assert source.position(("pools", "train", "nodes"), key=True) == Position(5, 49, "env.yaml")
    assert source.position(("pools", "train", "nodes", "eastus")) == Position(5, 56, "env.yaml")
    assert source.position(("limits", "delete_nodes")) == Position(1, 1, "env.yaml")


def test_extensions_at_the_top_are_the_users_own() -> None:
    assert loaded("x-mine: {no: [off, 0755, TODO, '${X}']}\n").findings == ()


def test_an_extension_deeper_down_is_an_unknown_key() -> None:
    assert said(loaded("network: {x-mine: 1}\n")) == ["1:11 unknown-key network.x-mine"]


def test_a_mistake_in_an_anchored_value_is_told_at_the_anchor_for_each_use() -> None:
    text = (
        "x-disk: &disk {kind: premium, size: 256}\n"
        + TOP
        + "regions: {southcentralus: }\npools:\n"
        + "".join(
            f"  p{n}: {{size: Standard_ND96isr_H100_v5, nodes: 1, ssh_public_key_file: k, os_disk: *disk}}\n"
            for n in range(2)
        )
    )

    assert said(loaded(text=text)) == [
        "1:31 unknown-key pools.p0.os_disk.size",
        "1:31 unknown-key pools.p1.os_disk.size",
    ]


def test_yaml_mistakes_and_model_mistakes_come_together_in_the_files_order() -> None:
    text = """\
version: 1
name: Train
subscription: TODO
tags: {env: on, env: "off", 1: 2}
regions: {eastus: {zone: 1}}
pools:
  train: {size: x, nodes: -1, nodes: 2, ssh_public_key_file: k, spot: true}
"""

    assert said(loaded(text=text)) == [
        "2:7 invalid-value name",
        "3:15 placeholder subscription",
        "4:13 ambiguous-scalar tags.env",
        "4:17 duplicate-key tags.env",
        "4:32 wrong-type tags.1",
        "5:26 wrong-type regions.eastus.zone",
        "7:27 invalid-value pools.train.nodes",
        "7:31 duplicate-key pools.train.nodes",
        "7:65 unknown-key pools.train.spot",
    ]


def test_what_is_right_beside_a_mistake_stays_readable() -> None:
    result = loaded(
        text="version: 1\nname: Bad_Name\nregions: {eastus: {zone: 1}}\n"
        "pools: {good: {size: a, nodes: 1, ssh_public_key_file: k}, bad: {nodes: 1}}\n"
    )

    assert result.environment is None
    assert result.readable is not None
    assert list(result.readable.regions) == ["eastus"]
    assert list(result.readable.pools) == ["good"]


def test_of_a_file_without_pools_nothing_is_readable() -> None:
    result = loaded(text=TOP + "regions: {eastus: }\n")

    assert said(result) == ["1:1 missing-key pools"]
    assert result.readable is None


@pytest.mark.parametrize("key", ["null", "", "~"])
def test_a_region_needs_no_settings(key: str) -> None:
    assert loaded(text=TOP + f"regions:\n  southcentralus: {key}\n" + REST.partition("\n")[2]).findings == ()


_SCALARS = (
    "no",
    "~",
    "",
    '"16"',
    "16",
    "1.5",
    "[]",
    "{}",
    "[a, {b: c}]",
    "0x1F",
    "TODO",
    "*",
    "!x y",
    "<<",
    "-1",
    "'",
    "- a",
)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 40), st.sampled_from(["drop", "double", "indent", "value"]), st.sampled_from(_SCALARS)
        ),
        max_size=4,
    )
)
def test_no_damage_to_a_file_ends_in_anything_but_findings_or_a_file_error(edits: list[tuple[int, str, str]]) -> None:
    lines = _LONG.splitlines()
    for number, edit, scalar in edits:
        at = number % len(lines)
        line = lines[at]
        match edit:
            case "drop":
                lines[at : at + 1] = [""]
            case "double":
                lines[at:at] = [line]
            case "indent":
                lines[at] = " " + line
            case _:
                lines[at] = line.partition(":")[0] + ": " + scalar
    text = "\n".join(lines)
    try:
        result = loaded(text=text)
    except FileError:
        return
    assert (result.environment is None) == any(finding.severity is Severity.ERROR for finding in result.findings)
    assert all(finding.fix and finding.why for finding in result.findings)


@given(st.text())
def test_no_text_ends_in_anything_but_findings_or_a_file_error(text: str) -> None:
    with suppress(FileError):
        assert loaded(text=text).findings


@pytest.mark.parametrize("file", sorted(RULES.glob("*/*.yaml")), ids=lambda file: "/".join(file.parts[-2:]))
def test_with_and_without_libyaml_the_same_is_read(file: Path) -> None:
    text = file.read_text("utf-8")

    assert values_of("env.yaml", text, yaml.SafeLoader) == values_of("env.yaml", text, yaml.CSafeLoader)


_LONG = """\
version: 1
name: train
subscription: 00000000-0000-0000-0000-000000000001
tags:
  owner: me
network:
  address_space: 10.0.0.0/8
  outbound:
    nat_gateway:
      addresses: 2
  ssh_from:
    - 203.0.113.0/24
regions:
  southcentralus:
    zone: "1"
  eastus:
pools:
  train:
    size: Standard_ND96isr_H100_v5
    nodes:
      southcentralus: 64
      eastus: 32
    infiniband: required
    job_size: 64
    placement_group_limit: 100
    domain_size: 96
    image: microsoft-dsvm:ubuntu-hpc:2204:latest
    admin_user: azureuser
    ssh_public_key_file: key.pub
    os_disk:
      kind: premium
      size_gib: 256
    upgrade: manual
    priority: regular
    protect: true
limits:
  delete_nodes: 0
  usd_per_hour_increase: 20000
"""


def test_a_line_end_behind_an_image_or_a_subnet_is_no_part_of_it() -> None:
    image = 'image: "a:b:c:1.2.3\\n"'
    subnet = f'subnets: {{nodes: "{SUBNET}\\n"}}'
    text = TOP + REST.replace("nodes: 16", f"nodes: 16, {image}").replace('{zone: "1"}', f"{{{subnet}}}")

    assert [finding.path for finding in loaded(text=text).findings] == [
        "regions.southcentralus.subnets.nodes",
        "pools.train.image",
    ]
