"""The sample environments, laid out whole: what a change of topology or templates does to what is deployed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.catalog import Size
from provision.render import documents
from provision.topology import Topology
from tests.conftest import Golden
from tests.support.topologies import EXAMPLES, MORE_EXAMPLES, a_checked_example, an_example

HERE = Path(__file__).parent


def topology_text(topology: Topology) -> str:
    """Return a topology as JSON; sizes by name, and without the pools' settings, which it only passes on."""
    return json.dumps(_plain(topology), indent=2) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Size):
        return value.name
    if dataclasses.is_dataclass(value):
        names = (field.name for field in dataclasses.fields(value) if field.name != "settings")
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, dict) else value


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_topology_of_a_sample_environment_is_as_recorded(name: str, golden: Golden) -> None:
    golden(HERE / name / "topology.json", topology_text(an_example(name)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_rendering_of_a_sample_environment_is_as_recorded_and_nothing_more(name: str, golden: Golden) -> None:
    files = documents(an_example(name), load_catalog(), load_templates(), ("arm", "bicep"))

    for file, text in files.items():
        golden(HERE / name / file, text)
    recorded = {path.relative_to(HERE / name).as_posix() for path in (HERE / name).glob("*/*")}
    assert recorded == set(files) - {"manifest.json"}


@pytest.mark.parametrize("name", MORE_EXAMPLES)
def test_what_a_further_sample_comes_to_has_the_recorded_digests(name: str, golden: Golden) -> None:
    topology, own = an_example(name), a_checked_example(name).own
    files = documents(topology, load_catalog(), load_templates(), ("arm", "bicep"), own)

    texts = {"topology.json": topology_text(topology), **files}
    lines = (f"{hashlib.sha256(text.encode()).hexdigest()}  {file}\n" for file, text in sorted(texts.items()))
    golden(HERE / name / "digests.txt", "".join(lines))
