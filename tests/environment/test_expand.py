"""The effective file: reads back as what it was made of, each value with its place."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from provision.environment import load, setting_of
from provision.environment.expand import expanded
from provision.environment.yaml_values import values_of
from provision.source import Source
from tests.environment.texts import REST, TOP


def test_each_value_stands_with_the_file_and_line_that_it_is_from() -> None:
    files = {
        "env.yaml": "extends: base.yaml\nx-mine: 1\nname: ${NAME}\npools: {train: {identities: []}}\n",
        "base.yaml": TOP + REST,
    }
    result = load(
        "env.yaml", files.__getitem__, {"NAME": "prod"}, [setting_of("pools.train.nodes={southcentralus: 3}")]
    )

    assert (
        expanded(result.data, result.source)
        == """\
version: 1  # base.yaml:1
name: prod  # env.yaml:3
subscription: 00000000-0000-0000-0000-000000000001  # base.yaml:3
regions:
  southcentralus:
    zone: "1"  # base.yaml:4
pools:
  train:
    size: Standard_ND96isr_H100_v5  # base.yaml:5
    nodes:
      southcentralus: 3  # --set pools.train.nodes={southcentralus: 3}
    ssh_public_key_file: key.pub  # base.yaml:5
    identities: []  # env.yaml:4
"""
    )


_LETTERS = st.characters(codec="utf-8")
_TEXTS = st.text(_LETTERS, max_size=20)
_KEYS = st.text(_LETTERS, min_size=1, max_size=20).filter(lambda key: not key.startswith("x-"))
_SCALARS = st.one_of(
    _TEXTS,
    st.integers(-(10**15), 10**15),
    st.booleans(),
    st.none(),
    st.floats(0.001, 1e9).map(lambda value: round(value, 3)),
    st.sampled_from(["no", "0755", "1e3", "2026-11-30", "~", "a: b", "a #b", "- a", "@", "a:", "key", "${A}"]),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4))
def test_what_is_printed_reads_back_as_the_same_values(data: dict[str, Any]) -> None:
    text = expanded(data, Source("env.yaml", {}, {}, {}))

    assert values_of("env.yaml", text).data == data
    assert values_of("env.yaml", text).findings == ()
    assert values_of("env.yaml", text, yaml.SafeLoader).data == data
