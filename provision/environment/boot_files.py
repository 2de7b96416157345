"""Decides which cloud-init file can be merged with ours. What it refuses is described, never shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import yaml

from provision.environment.model import Environment
from provision.environment.secret_shapes import secret_in
from provision.errors import FileError
from provision.source import beside

#: The type of a text for cloud-init, by what its first line begins with.
TYPES = {
    "#cloud-config": "text/cloud-config",
    "#!": "text/x-shellscript",
    "## template: jinja": "text/jinja2",
    "#cloud-boothook": "text/cloud-boothook",
    "#include": "text/x-include-url",
}


@dataclass(frozen=True, slots=True)
class BootFiles:
    """The cloud-init files that an environment names: the text of the good ones, and why the others are refused.

    All are by path as the environment gives it; `refused` holds (what is wrong, how to fix it); `secrets` holds
    (the line, the kind) of what looks like a secret.
    """

    environment: Environment
    texts: Mapping[str, str]
    refused: Mapping[str, tuple[str, str]]
    secrets: Mapping[str, tuple[int, str]]


def boot_files_of(environment: Environment, file: str, read: Callable[[str], str]) -> BootFiles:
    """Return the cloud-init files of an environment, each read once, from beside the environment's own file."""
    texts: dict[str, str] = {}
    refused: dict[str, tuple[str, str]] = {}
    secrets: dict[str, tuple[int, str]] = {}
    for path in sorted({pool.cloud_init_file for pool in environment.pools.values() if pool.cloud_init_file}):
        try:
            text = normal(read(beside(file, path)))
        except FileError as error:
            refused[path] = (error.message, "name a cloud-init file; its path is relative to the environment file")
            continue
        if wrong := flaw(text):
            refused[path] = wrong
        elif secret := _secret(text):
            secrets[path] = secret
        else:
            texts[path] = text
    return BootFiles(environment, texts, refused, secrets)


def normal(text: str) -> str:
    """Return a text without what an editor on another system has put in: a byte order mark, carriage returns."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def content_type(text: str) -> str | None:
    """Return the type of a text by its first line; None when cloud-init would not know it."""
    return next((type for start, type in TYPES.items() if text.startswith(start)), None)


def flaw(text: str) -> tuple[str, str] | None:
    """Return what is wrong with a file's text and how to fix it; None when cloud-init takes it."""
    if not text.strip():
        return "the file is empty", "write #cloud-config and what nodes are to do, or leave cloud_init_file out"
    if content_type(text) is None:
        return "its first line tells cloud-init nothing", f"begin it with one of {', '.join(TYPES)}"
    if "\0" in text:
        return "the file holds a NUL byte", "save it as plain text"
    if not text.startswith("#cloud-config"):
        return None
    try:
        found = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        return f"the file is no YAML{where}", "correct it; `cloud-init schema --config-file` checks it"
    if found is not None and not isinstance(found, dict):
        return "the file is no map of cloud-init's keys", "write keys such as runcmd and write_files"
    return None


def _secret(text: str) -> tuple[int, str] | None:
    """Return the line and the kind of the first thing that looks like a secret."""
    for number, line in enumerate(text.splitlines(), 1):
        if kind := secret_in(line):
            return number, kind
    return None
