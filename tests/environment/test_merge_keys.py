"""Merge keys: shallow, the map's own keys first, and neither endless nor exploding."""

from __future__ import annotations

import time

import pytest
import yaml

from provision.environment.yaml_values import values_of
from provision.errors import FileError

BLOCKS = "x-a: &a {k: 1, m: {p: 1, q: 2}}\nx-b: &b {k: 2, n: 3}\n"


@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader])
@pytest.mark.parametrize(
    "text",
    [
        "<<: *a",
        "<<: *a, k: 9",
        "k: 9, <<: *a",
        "<<: [*a, *b]",
        "<<: [*b, *a]",
        "<<: [{k: 5}, *a]",
        "<<: *a, m: {<<: *b, p: 4}",
        "<<: []",
    ],
)
def test_a_merge_is_what_yaml_makes_of_it(text: str, loader: type[yaml.SafeLoader]) -> None:
    whole = f"{BLOCKS}v: {{{text}}}\n"

    assert values_of("env.yaml", whole, loader).data["v"] == yaml.safe_load(whole)["v"]


def test_in_a_block_too_its_own_keys_win_over_those_that_it_merges() -> None:
    assert values_of("env.yaml", f"{BLOCKS}v: {{<<: {{<<: *b, k: 7}}}}\n").data["v"] == {"k": 7, "n": 3}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<<: *a, m: {p: 9}", ["v.m takes the place of that of the merged block &a whole, and so drops q"]),
        ("m: {}, <<: *a", ["v.m takes the place of that of the merged block &a whole, and so drops p, q"]),
        ("<<: {m: {r: 1}}, m: {}", ["v.m takes the place of that of the merged block whole, and so drops r"]),
        ("<<: *a, m: {p: 9, q: 9}", []),
        ("<<: *a, m: none", []),
        ("<<: *a, m: {<<: *a, p: 0, q: 0}", []),
        ("<<: *a, k: {z: 1}", []),
        ("<<: *b, m: {p: 1}", []),
    ],
)
def test_an_override_that_drops_keys_of_a_merged_map_is_a_warning(text: str, found: list[str]) -> None:
    findings = values_of("env.yaml", f"{BLOCKS}v: {{{text}}}\n").findings

    assert [finding.message for finding in findings if finding.rule == "merge-drops-keys"] == found


def test_the_users_own_blocks_are_not_judged_and_quoted_the_key_is_text() -> None:
    assert values_of("env.yaml", f"{BLOCKS}x-c: {{<<: *a, m: {{}}}}\nv: {{'<<': 1}}\n").findings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v: &v {<<: *v}\n", "v is an alias of something that contains it, so it has no end"),
        ("v: {<<: 3}\n", "v merges (<<) something that is no map"),
        ("v: {<<: }\n", "v merges (<<) something that is no map"),
        ("v: {<<: {a: 1}, <<: {b: 1}}\n", "v.<< is given twice, in lines 1 and 1"),
    ],
)
def test_a_merge_that_can_not_be_is_told(text: str, message: str) -> None:
    assert [finding.message for finding in values_of("env.yaml", text).findings] == [message]


def test_merges_that_unfold_without_end_are_refused_at_once() -> None:
    lines = ["a0: &a0 {" + ", ".join(f"k{n}: 1" for n in range(10)) + "}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 12)]
    began = time.perf_counter()

    with pytest.raises(FileError) as raised:
        values_of("env.yaml", "\n".join(lines))

    assert raised.value.message == "the aliases of the file unfold to more than 250,000 values"
    assert time.perf_counter() - began < 10
