"""What docs/templates.md shows stands in the sample, and what it says that templates see is what they see."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from provision.adapters.files import environments_root
from provision.environment.own_templates import BUILT_IN
from provision.render.own_layouts import OwnUnitLayout
from provision.render.place import Resource

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "templates.md").read_text("utf-8")
SAMPLE = environments_root() / "own-templates.yaml"
FOLDER = environments_root() / "own-templates" / "netapp-volume"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_what_the_page_shows_stands_in_the_sample() -> None:
    (unit,) = blocks("yaml")
    arm, bicep = blocks("jinja")

    assert unit in SAMPLE.read_text("utf-8")
    assert arm in (FOLDER / "arm.json.j2").read_text("utf-8")
    assert bicep in (FOLDER / "bicep.j2").read_text("utf-8")


def test_the_page_names_all_that_a_template_sees_and_nothing_more() -> None:
    table = PAGE.partition("| name | what it is |")[2].partition("\n\n")[0]
    first = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    named = {name.partition(".")[0] for cell in first for name in re.findall(r"`([^`]+)`", cell)}
    (resource,) = (row for row in table.splitlines() if "`resources.KEY`" in row)

    assert named == {field.name for field in fields(OwnUnitLayout)}
    assert {field.name for field in fields(Resource)} <= set(re.findall(r"`([^`]+)`", resource))


def test_the_page_names_the_built_in_templates() -> None:
    assert all(f"`{name}`" in PAGE for name in BUILT_IN)
