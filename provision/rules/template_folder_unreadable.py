"""Own templates come from one folder, which must be there."""

from __future__ import annotations

from collections.abc import Iterator

from provision.catalog import Catalog
from provision.environment import OwnTemplates
from provision.findings import Problem, Severity, rule


@rule(
    id="template-folder-unreadable",
    subject=OwnTemplates,
    severity=Severity.ERROR,
    why="a file that is laid out with other templates than it names would deploy something else",
    link="https://jinja.palletsprojects.com/en/stable/templates/",
    remedy="name a folder, relative to the file that says it, with a folder a template in it",
    suppressible=False,
)
def template_folder_unreadable(own: OwnTemplates, catalog: Catalog) -> Iterator[Problem]:
    """Yield a template folder that is not there, can't be read, or holds no template."""
    if own.refused is not None:
        message, fix = own.refused
        yield Problem(("templates",), f"the template folder can't be used: {message}", fix)
