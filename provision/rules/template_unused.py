"""A template that nothing uses is mostly a name that is spelt differently elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import OwnTemplates
from provision.environment.own_templates import BUILT_IN
from provision.findings import Problem, Severity, rule


@rule(
    id="template-unused",
    subject=OwnTemplates,
    severity=Severity.WARNING,
    why="a template that was meant to replace a built-in one, or to lay out a unit, does neither under another name",
    link="https://jinja.palletsprojects.com/en/stable/templates/",
    remedy="rename the folder, use it in a unit, or take it out",
)
def template_unused(own: OwnTemplates, catalog: Catalog) -> Iterator[Problem]:
    """Yield each template of one's own that no unit, no built-in name and no other template uses."""
    used = {unit.template or name for name, unit in own.environment.units.items()} | set(BUILT_IN)
    for folder in own.folders:
        others = (text for name, text in own.templates.texts.items() if not name.startswith(f"{folder}/"))
        included = any(f"{quote}{folder}/" in text for text in others for quote in "'\"")
        if folder not in used and not included:
            yield Problem(
                ("templates",),
                f"nothing uses the template {folder} in {own.templates.folder}",
                f"use it in a unit, rename it to one of {', '.join(BUILT_IN)} to replace that, or take it out",
            )
