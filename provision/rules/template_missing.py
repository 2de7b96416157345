"""Each unit of one's own has a template, and each template both languages."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import OwnTemplates
from provision.environment.own_templates import BUILT_IN, FILES
from provision.findings import Problem, Severity, rule
from provision.near import nearest
from provision.source import Path


@rule(
    id="template-missing",
    subject=OwnTemplates,
    severity=Severity.ERROR,
    why="a unit is laid out in both languages by one template, so that what is reviewed as Bicep is what is sent",
    link="https://jinja.palletsprojects.com/en/stable/templates/",
    remedy="add the template's folder, with both of its files, to the folder that `templates` names",
    suppressible=False,
)
def template_missing(own: OwnTemplates, catalog: Catalog) -> Iterator[Problem]:
    """Yield each unit whose template is not there, and each template that lacks one of its two files."""
    if own.refused is not None:
        return
    environment, folders = own.environment, own.folders
    for name, unit in environment.units.items():
        at: Path = ("units", name) if unit.template is None else ("units", name, "template")
        folder = unit.template or name
        if environment.templates is None:
            message = f"unit {name} needs a template, and the environment has no `templates`"
            yield Problem(at, message, "add `templates: FOLDER` at the top", unit.template is None)
        elif folder in BUILT_IN:
            message = f"unit {name} takes the template {folder}, which lays out what provision makes itself"
            yield Problem(at, message, "name the template's folder otherwise", unit.template is None)
        elif folder not in folders:
            near = nearest(folder, folders)
            fix = f"write {near}" if near else f"add a folder {folder} with {' and '.join(FILES)}"
            where = own.templates.folder
            yield Problem(at, f"unit {name} needs the template {folder}; {where} has none", fix, unit.template is None)
    for folder in folders:
        if (lacking := own.lacks(folder)) and len(lacking) < len(FILES):
            message = f"the template {folder} has no {lacking[0]}"
            yield Problem(("templates",), message, f"add {own.templates.folder}/{folder}/{lacking[0]}")
