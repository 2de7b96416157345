"""Decides how `--set path=value` is read: as a file would be that holds this one value at this path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from typing import Any

from provision.environment.problems import UNSUPPORTED_YAML
from provision.environment.syntax import check_characters
from provision.environment.walk import Values, Walk
from provision.environment.yaml_values import nodes_of
from provision.errors import FileError
from provision.source import SET, Path, Position

#: A part of a path: a key, in double quotes where it has a dot or an equals sign in it.
_PART = re.compile(r'"([^"]+)"|([^".=]+)')


@dataclass(frozen=True, slots=True)
class Setting:
    """A value for a path, as given: `text` is `pools.train.nodes=3`. `columns`: where each part of the path begins."""

    text: str
    path: Path
    columns: tuple[int, ...]
    value_at: int


def setting_of(text: str) -> Setting:
    """Return what one `--set` asks for. Raises ValueError, in words for its user, when it is no `path=value`."""
    parts: list[str] = []
    columns: list[int] = []
    end = 0
    while (found := _PART.match(text, end)) is not None:
        parts.append(found.group(1) or found.group(2))
        columns.append(end + 1)
        end = found.end()
        if text[end : end + 1] == "=":
            return Setting(text, tuple(parts), tuple(columns), end + 1)
        if text[end : end + 1] != ".":
            break
        end += 1
    raise ValueError(f'{text} is no PATH=VALUE, such as pools.train.nodes=3 or tags."cost.center"=ml')


def values_of_setting(setting: Setting) -> Values:
    """Return the values that a setting stands for. Raises FileError when its value is no YAML."""
    file = SET + setting.text
    check_characters(file, setting.text)
    # Blanks for the path, so that a place in the value is its place in the argument.
    text = " " * setting.value_at + setting.text[setting.value_at :]
    try:
        root, second = nodes_of(file, text)
    except FileError as error:
        error.source_line = setting.text.split("\n")[error.line - 1] if error.line else ""
        raise
    walk = Walk(file, setting.text)
    for end, column in enumerate(setting.columns, 1):
        walk.keys[setting.path[:end]] = walk.places[setting.path[:end]] = Position(1, column, file)
    value = None if root is None else walk.value(root, setting.path, not str(setting.path[0]).startswith("x-"))
    if second is not None or text[root.end_mark.index if root else 0 :].strip():
        walk.report(
            UNSUPPORTED_YAML,
            setting.path,
            walk.source.position(setting.path),
            "a value ends where ` #` begins a comment, or `---` another document; more stands behind it",
            "quote the value, in double quotes inside the shell's single ones",
        )
    data: Any = reduce(lambda inner, key: {key: inner}, reversed(setting.path), value)
    return walk.values(data)
