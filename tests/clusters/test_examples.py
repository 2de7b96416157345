"""Each example: without findings, laid out alike each time, from nothing to running nodes and back to nothing.

That editors take them, by the JSON Schema, is among the tests of the schema.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.observe.status import read_status
from provision.render import bicep_texts
from tests.clusters.clusters import NAMES, applied, azure_for, checked, plan, topology, units
from tests.support.azure import Azure

TYPECHECK = Path(__file__).parents[3] / "shared" / "tools" / "arm-typecheck"


@pytest.mark.parametrize("name", NAMES)
def test_an_example_has_no_findings(name: str) -> None:
    assert checked(name).findings == ()


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_laid_out_the_same_twice_and_within_azure_s_limits(name: str) -> None:
    catalog = load_catalog()

    first, second = (
        ([*units(name)], bicep_texts(topology(name), catalog, load_templates(), checked(name).own)) for _ in range(2)
    )

    assert first == second
    for unit in first[0]:
        assert len(unit.text.encode()) <= catalog.limits["template_bytes"]
        assert len(unit.template["resources"]) <= catalog.limits["template_resources"]


@pytest.mark.skipif(not TYPECHECK.exists(), reason="the published resource types are not beside this checkout")
def test_what_the_examples_state_is_as_microsoft_s_resource_types_have_it(tmp_path: Path) -> None:
    files = []
    for name in NAMES:
        for unit in units(name):
            if unit.own is not None:
                continue  # of a user's own types; the types beside this checkout are those that we make ourselves
            files.append(tmp_path / f"{name}.{unit.region}.{unit.name}.json")
            files[-1].write_text(unit.text, encoding="utf-8")

    run = subprocess.run([sys.executable, TYPECHECK, *files], capture_output=True, text=True, check=False)

    count = sum(len(json.loads(file.read_text("utf-8"))["resources"]) for file in files)
    assert run.stdout == f"{count} resources checked, 0 problems\n"


@pytest.mark.parametrize("name", NAMES)
def test_no_scale_set_of_an_example_is_over_its_limit(name: str) -> None:
    for each in topology(name).pools:
        limit = each.placement_group_limit if each.infiniband else load_catalog().limits["scale_set_nodes"]
        assert all(0 < scale_set.nodes <= limit for scale_set in each.scale_sets)
        assert sum(scale_set.nodes for scale_set in each.scale_sets) == each.nodes


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_applied_complete_found_unchanged_and_destroyed(name: str) -> None:
    azure = azure_for(name)
    given = what_there_is(azure)

    applied(azure, name)

    assert [pool.complete for pool in read_status(azure.arm, topology(name))].count(False) == 0
    assert plan(azure, name).changes == ()
    if protecting := [f"pools.{pool}.protect=false" for pool in protected(name)]:
        assert plan(azure, name, destroying=True).refused
        applied(azure, name, *protecting)
    applied(azure, name, destroying=True)
    assert what_there_is(azure) == given


def protected(name: str) -> list[str]:
    """Return the pools that an example protects."""
    environment = checked(name).environment
    assert environment is not None
    return [pool for pool, settings in environment.pools.items() if settings.protect]


def what_there_is(azure: Azure) -> dict[str, object]:
    """Return all that exists, but for what Azure itself counts up when somebody writes."""
    world = azure.control("GET", "world")
    return {
        row["id"]: {**row, "etag": None} for part in ("resourceGroups", "resources", "stacks") for row in world[part]
    }
