"""Every property that our templates can render has a row that says what a change of it means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from provision.adapters.files import load_catalog
from provision.adapters.policies import load_policies
from provision.adapters.templates import load_templates
from provision.catalog.changes import UNKNOWN
from provision.pipeline import rendered
from provision.plan.model import Action
from provision.plan.stated import stated_in
from provision.render import Unit
from provision.report.changes import changes_as_markdown
from tests.clusters.clusters import NAMES, units
from tests.conftest import Golden
from tests.support.topologies import GALLERY_IMAGE, HUB, IDENTITY
from tests.support.worlds import QUICK, SUBSCRIPTION, checked

PAGE = Path(__file__).parents[2] / "docs" / "changes.md"
MONITOR = "{a: {publisher: P, type: T, version: '1.0'}, b: {publisher: P, type: T, version: '1.0', after: [a]}}"
NETWORKS = f"{{bastion: true, peer_with: {{hub: {{id: {HUB}, address_space: [192.168.0.0/16]}}}}}}"
STORAGE = (
    'storage: {data: {kind: managed-lustre, region: southcentralus, tier: 250, size_tib: 8, zone: "1", mount: /a}}\n'
)
EVERYTHING = (
    QUICK,
    QUICK.replace("{ssh_from: [203.0.113.0/24]}", NETWORKS) + STORAGE,
    QUICK + "    upgrade: rolling\n    os_disk: {kind: ephemeral, size_gib: 64}\n",
    QUICK + "    priority: spot\n    infiniband: none\n    os_disk: {size_gib: 64}\n",
    QUICK.replace("{ssh_from", "{outbound: none, ssh_from"),
    QUICK + "    public_ip: true\n    data_disks: [{size_gib: 64}]\n",
    QUICK + f"    identities: [{IDENTITY}]\n    extensions: {MONITOR}\n",
    QUICK + f"    image: {GALLERY_IMAGE}\n",
)


def leaves(path: str, value: Any) -> Iterator[str]:
    """Yield the path of each scalar in a body, with [] for the elements of a list."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(f"{path}.{key}" if path else key, item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(f"{path}[]", item)
    else:
        yield path


@cache
def rendered_units() -> tuple[Unit, ...]:
    """Return every unit of the variants of an environment and of all samples, but what users' own templates make."""
    variants = [unit for text in EVERYTHING for unit in rendered(checked(text), load_catalog(), load_templates())]
    samples = [unit for name in NAMES for unit in units(name)]
    return tuple(unit for unit in (*variants, *samples) if unit.own is None)


def rendered_paths() -> list[tuple[str, str]]:
    """Return (type, path) of everything that these units state."""
    found: dict[tuple[str, str], None] = {}
    for unit in rendered_units():
        for stated in stated_in(unit, SUBSCRIPTION):
            found.update(dict.fromkeys((stated.id.type, path) for path in leaves("", stated.body)))
    return list(found)


def keys_in(value: Any) -> Iterator[str]:
    """Yield each key in a body, however deep."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from keys_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys_in(item)


def test_the_variants_render_every_key_that_stands_in_a_template() -> None:
    texts = [text for name, text in load_templates().items() if name.endswith("arm.json.j2")]
    written = {key for text in texts for key in re.findall(r'"([$\w]+)":', text)}

    assert written - {key for unit in rendered_units() for key in keys_in(unit.template)} == set()


@pytest.mark.parametrize(("type", "path"), rendered_paths())
def test_a_rendered_property_has_a_row(type: str, path: str) -> None:
    assert load_policies().of(type).covering(path) != ()


def test_each_row_names_its_reason_its_source_and_an_action_that_exists() -> None:
    actions = {action.label for action in Action} | {"model"}

    for type, policies in load_policies().types.items():
        assert policies.link.startswith("https://"), type
        for rows in policies.rows.values():
            for row in rows:
                assert row.why, row.path
                assert row.source, row.path
                assert row.action in actions, row.path


def test_a_property_without_a_row_counts_as_the_worst_case_and_says_so() -> None:
    row = load_policies().of("Microsoft.Compute/virtualMachineScaleSets").policy("properties.new", 1, 2)

    assert row is UNKNOWN
    assert (row.action, row.why) == ("replace", "not in our table of changes, so the worst case is assumed")


def test_each_source_is_listed_with_what_its_key_stands_for() -> None:
    policies = load_policies()
    known = set(policies.sources)
    rows = [row for each in policies.types.values() for found in each.rows.values() for row in found]

    named = {name for row in rows for name in re.findall(r"[\w-]+", re.sub(r"\(.*?\)|\S+#\d+", "", row.source))}

    assert named == known


def test_the_page_about_changes_is_the_current_one(golden: Golden) -> None:
    golden(PAGE, changes_as_markdown(load_policies()))
