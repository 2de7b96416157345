"""Decides which template folder can be used: what an environment's own templates are called, and what they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from provision.environment.model import Environment
from provision.errors import FileError
from provision.source import beside

#: The files of a template, one a language; `render/` says what stands in them.
FILES = ("arm.json.j2", "bicep.j2")
#: The folders of the built-in templates, which units of one's own do not use.
BUILT_IN = ("network", "peering", "scale-set", "storage")

#: A folder's path → the text of each template file in it by name, `netapp-volume/bicep.j2`; raises FileError.
ReadFolder = Callable[[str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Templates:
    """Templates of one's own: text by name, and the folder that they are in, for messages."""

    folder: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)

    def file_of(self, name: str) -> str:
        """Return the file that a template is, for messages; its name, if it is a built-in one."""
        return f"{self.folder.rstrip('/')}/{name}" if name in self.texts else name


@dataclass(frozen=True, slots=True)
class OwnTemplates:
    """The template folder that an environment names, or (what is wrong with it, how to fix it)."""

    environment: Environment
    templates: Templates
    refused: tuple[str, str] | None = None

    @property
    def folders(self) -> tuple[str, ...]:
        """Return the folders in it, one a template, sorted."""
        return tuple(sorted({name.partition("/")[0] for name in self.templates.texts}))

    def lacks(self, folder: str) -> tuple[str, ...]:
        """Return the files that a template of this folder should have, and has not."""
        return tuple(file for file in FILES if f"{folder}/{file}" not in self.templates.texts)


def own_templates_of(environment: Environment, file: str, read_folder: ReadFolder) -> OwnTemplates:
    """Return the templates of an environment, from the folder that it names beside its own file."""
    if environment.templates is None:
        return OwnTemplates(environment, Templates())
    folder = beside(file, environment.templates)
    try:
        texts = read_folder(folder)
    except FileError as error:
        return OwnTemplates(environment, Templates(folder), (f"{error.file}: {error.message}", error.fix))
    if not texts:
        fix = f"put a folder a template into it, with {' and '.join(FILES)}"
        return OwnTemplates(environment, Templates(folder), (f"{folder} holds no template", fix))
    return OwnTemplates(environment, Templates(folder, texts))


def nothing_read(folder: str) -> Mapping[str, str]:
    """Raise FileError: whoever checks an environment without a way to read folders can't use its templates."""
    raise FileError(folder, "no folder is read here")
