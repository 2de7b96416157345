"""Where a value of an environment file stands: path → line and column. Knows nothing of what the values mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

Path = tuple[str | int, ...]  # ("pools", "train", "nodes", "westus3")

_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


class Position(NamedTuple):
    """A place in a text; both count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Source:
    """One environment file as it was read, and where each of its values and keys begins."""

    file: str
    text: str
    values: Mapping[Path, Position]
    keys: Mapping[Path, Position]
    lines: list[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Split the text once: there can be as many findings as lines."""
        object.__setattr__(self, "lines", lines_of(self.text))

    def position(self, path: Path, *, key: bool = False) -> Position:
        """Return where `path` stands; of a path that the file lacks, where its nearest parent stands."""
        tables = (self.keys, self.values) if key else (self.values, self.keys)
        for end in range(len(path), -1, -1):
            for table in tables:
                if (found := table.get(path[:end])) is not None:
                    return found
        return Position(1, 1)

    def located(self, path: Path) -> str:
        """Return a path with its place, as people read it: `env.yaml:14 pools.train.nodes`."""
        return f"{self.file}:{self.position(path, key=True).line} {dotted(path)}"

    def line(self, number: int) -> str:
        """Return the text of a line (counted from 1), without its end; empty when there is no such line."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their ends, broken where YAML breaks them; never an empty list."""
    return _LINE_END.split(text)


def dotted(path: Path) -> str:
    """Return a path as people write it: `pools.train.nodes`, `network.ssh_from[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
