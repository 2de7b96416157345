"""Reads templates: those that come with the tool, and folders of a user's own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from provision.adapters.files import read_text, templates_root
from provision.errors import FileError


@cache
def load_templates() -> dict[str, str]:
    """Return the built-in templates, text by name: `network/arm.json.j2`."""
    return read_templates(str(templates_root()))


def read_templates(folder: str) -> dict[str, str]:
    """Return the templates in a folder, text by name; deeper folders are not looked into. Raises FileError."""
    root = Path(folder)
    try:
        if not root.is_dir():
            what = "this is a file, not a folder" if root.exists() else "there is no such folder"
            raise FileError(folder, what, fix="name a folder, relative to the environment file")
        files = sorted(file for file in root.glob("*/*.j2") if file.is_file())
    except (OSError, ValueError) as error:  # a folder that may not be read, a NUL in the path
        raise FileError(folder, f"the folder can't be read: {getattr(error, 'strerror', None) or error}") from None
    # As people write it on every system, without a byte-order mark: a template is text for another parser.
    return {file.relative_to(root).as_posix(): _text(file) for file in files}


def _text(file: Path) -> str:
    return read_text(str(file)).removeprefix("\ufeff").replace("\r\n", "\n")
