"""Where a value of an environment stands: path → file, line and column. Knows nothing of what the values mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

Path = tuple[str | int, ...]  # ("pools", "train", "nodes", "westus3")

#: What the name of a source begins with that is no file but an argument: `--set pools.train.nodes=3`.
SET = "--set "

_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


class Position(NamedTuple):
    """A place in a file, or in an argument; line and column count from 1."""

    line: int
    column: int
    file: str


@dataclass(frozen=True, slots=True)
class Source:
    """An environment as it was read, and where each of its values and keys begins.

    `file` is the environment file itself; `lines` holds those of every file and argument that it was made of.
    """

    file: str
    lines: Mapping[str, list[str]]
    values: Mapping[Path, Position]
    keys: Mapping[Path, Position]

    def position(self, path: Path, *, key: bool = False) -> Position:
        """Return where `path` stands; of a path that there isn't, where its nearest parent stands."""
        tables = (self.keys, self.values) if key else (self.values, self.keys)
        for end in range(len(path), -1, -1):
            for table in tables:
                if (found := table.get(path[:end])) is not None:
                    return found
        return Position(1, 1, self.file)

    def located(self, *paths: Path) -> str:
        """Return the first of the paths that is stated, with its place, as people read it: `env.yaml:14 pools.train`.

        Of paths none of which is stated, the last.
        """
        path = next((path for path in paths if path in self.keys), paths[-1])
        at = self.position(path, key=True)
        return f"{place(at.file, at.line)} {dotted(path)}"

    def line(self, position: Position) -> str:
        """Return the text of the line at a position, without its end; empty when there is no such line."""
        lines = self.lines.get(position.file, [])
        return lines[position.line - 1] if 0 < position.line <= len(lines) else ""


def place(file: str, line: int, column: int = 0) -> str:
    """Return a place as people write it: `env.yaml:14:3`. An argument is a place by itself."""
    if file.startswith(SET) or not line:
        return file
    return f"{file}:{line}:{column}" if column else f"{file}:{line}"


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their ends, broken where YAML breaks them; never an empty list."""
    return _LINE_END.split(text)


def dotted(path: Path) -> str:
    """Return a path as people write it: `pools.train.nodes`, `network.ssh_from[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def is_within(path: Path, others: frozenset[Path] | set[Path]) -> bool:
    """Return whether a path is one of the others or leads on from one."""
    return bool(others) and any(path[:end] in others for end in range(len(path) + 1))


def beside(file: str, path: str) -> str:
    """Return a path that is relative to a file's folder, as one that is relative to where that file's own path is."""
    if path.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", path):
        return path
    return file[: max(file.rfind("/"), file.rfind("\\")) + 1] + path
