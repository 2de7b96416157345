"""Decides which YAML an environment file may use: one pass over a parser's nodes, which become plain values.

Maps become dicts, lists tuples; a key keeps its typed text. What the values should be is the business of `load.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

from provision.environment.merge_keys import blocks_of, called, dropped, is_merge
from provision.environment.problems import (
    AMBIGUOUS_SCALAR,
    DUPLICATE_KEY,
    MERGE_DROPS_KEYS,
    PLACEHOLDER,
    UNSUPPORTED_YAML,
)
from provision.environment.scalars import Ambiguous, plain
from provision.errors import FileError
from provision.findings import Finding, Problem, Rule, finding_at
from provision.source import Path, Position, Source, dotted, lines_of

_TAG = "tag:yaml.org,2002:"

#: The tags that a parser gives plain scalars by itself, by the type that we read; any other was written by hand.
_OWN_TAGS = {
    str: (_TAG + "str", _TAG + "merge", _TAG + "value"),
    bool: (_TAG + "bool",),
    int: (_TAG + "int",),
    float: (_TAG + "float",),
    type(None): (_TAG + "null",),
}
_PLAIN_TAGS = frozenset(_TAG + name for name in ("str", "null", "bool", "int", "float", "timestamp", "merge", "value"))

#: A file whose aliases and merge keys repeat more values than this is a mistake or an attack (a "billion laughs").
MOST_REPEATED = 250_000
_DEEPEST = 50
_LONGEST_KEY = 1024  # as long as YAML lets a key be on one line; a longer one is none that anybody reads

_Pair: TypeAlias = tuple[yaml.Node, yaml.Node, yaml.Node]  # a key, its value, the map that they stand in


@dataclass(frozen=True, slots=True)
class Values:
    """A file's plain values; `typed` holds the unquoted scalars as they stand in the file.

    `findings` are those of the YAML itself; at the `reported` paths the value is not to be judged any further.
    """

    data: Any
    source: Source
    typed: Mapping[Path, str]
    findings: tuple[Finding, ...]
    reported: frozenset[Path]


class Walk:
    """One pass over the nodes of a text, which collects positions and findings."""

    def __init__(self, file: str, text: str) -> None:
        self.places: dict[Path, Position] = {}
        self.keys: dict[Path, Position] = {}
        self.file = file
        self.source = Source(file, {file: lines_of(text)}, self.places, self.keys)
        self.typed: dict[Path, str] = {}
        self.findings: list[Finding] = []
        self.reported: set[Path] = set()
        self.open: list[int] = []
        self.met: set[int] = set()
        self.repeated = 0

    def values(self, data: Any) -> Values:
        """Return what was collected, with the data that it is about."""
        return Values(data, self.source, self.typed, tuple(self.findings), frozenset(self.reported))

    def start(self, node: yaml.Node) -> Position:
        """Return where a node begins."""
        return Position(node.start_mark.line + 1, node.start_mark.column + 1, self.file)

    def report(
        self, rule: Rule, path: Path, position: Position, message: str, fix: str, *, settles: bool = True
    ) -> None:
        """Note a finding. `settles`: nothing more is to be said of the value at `path`."""
        self.findings.append(finding_at(rule, Problem(path, message, fix), self.source, position))
        if settles:
            self.reported.add(path)

    def value(self, node: yaml.Node, path: Path, judged: bool) -> Any:
        """Return a node's value. `judged` is False inside `x-…` keys, whose values are the user's own."""
        if id(node) in self.met:
            self.repeat(node)
        self.met.add(id(node))
        if not isinstance(node, yaml.ScalarNode) or node.value or node.style:
            self.places[path] = self.start(node)  # a key without a value is pointed at itself
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node, path, judged)
        if not self.opened(node, path):
            return None
        try:
            if isinstance(node, yaml.MappingNode):
                return self.mapping(node, path, judged)
            self.tag(node, path, _TAG + "seq")
            return tuple(self.value(item, (*path, n), judged) for n, item in enumerate(node.value))
        finally:
            self.open.pop()

    def opened(self, node: yaml.Node, path: Path) -> bool:
        """Note that a map or list is being read; of one that is inside itself, report that and return False."""
        if id(node) in self.open:
            self.report(
                UNSUPPORTED_YAML,
                path,
                self.start(node),
                f"{dotted(path) or 'the file'} is an alias of something that contains it, so it has no end",
                "write the value instead of the alias",
            )
            return False
        if len(self.open) == _DEEPEST:
            raise self.stop(node, f"maps and lists are nested more than {_DEEPEST} deep")
        self.open.append(id(node))
        return True

    def repeat(self, node: yaml.Node) -> None:
        """Count a value that an alias or a merge key repeats."""
        self.repeated += 1
        if self.repeated > MOST_REPEATED:
            raise self.stop(node, f"the aliases of the file unfold to more than {MOST_REPEATED:,} values")

    def mapping(self, node: yaml.MappingNode, path: Path, judged: bool) -> Any:
        self.tag(node, path, _TAG + "map")
        values: dict[str, Any] = {}
        for key, (key_node, value_node, _) in self.pairs(node, path, judged).items():
            at = (*path, key)
            self.keys[at] = self.start(key_node)
            values[key] = self.value(value_node, at, judged and not (path == () and key.startswith("x-")))
        return values

    def pairs(self, node: yaml.MappingNode, path: Path, judged: bool) -> dict[str, _Pair]:
        """Return the nodes of a map by key, those of merged blocks among them."""
        own: dict[str, _Pair] = {}
        merges: list[yaml.Node] = []
        for key_node, value_node in node.value:
            merging = is_merge(key_node)
            key = "<<" if merging else self.key(key_node, path)
            if key is None:
                continue
            if key in own or (merging and merges):
                first = merges[0] if merging else own[key][0]
                at = (*path, key)
                self.report(
                    DUPLICATE_KEY,
                    at,
                    self.start(key_node),
                    f"{dotted(at)} is given twice, in lines {first.start_mark.line + 1} "
                    f"and {key_node.start_mark.line + 1}",
                    "merge several blocks by one list, `<<: [*first, *second]`" if merging else "keep one of the two",
                    settles=False,
                )
            elif merging:
                merges = [key_node, value_node]
            else:
                own[key] = (key_node, value_node, node)
        if not merges:
            return own
        merged = self.merged(merges[1], path, judged)
        if judged:
            self.compare(merged, own, path)
        return {**merged, **own}

    def merged(self, value: yaml.Node, path: Path, judged: bool) -> dict[str, _Pair]:
        """Return what the blocks of a merge key bring in."""
        found: dict[str, _Pair] = {}
        for block in blocks_of(value):
            if not isinstance(block, yaml.MappingNode):
                self.report(
                    UNSUPPORTED_YAML,
                    path,
                    self.start(block),
                    f"{dotted(path) or 'the file'} merges (<<) something that is no map",
                    "name the anchor of a map, or several in a list: `<<: [*first, *second]`",
                    settles=False,
                )
            elif self.opened(block, path):
                pairs = self.pairs(block, path, judged)
                self.open.pop()
                for key, (key_node, value_node, _) in pairs.items():
                    self.repeat(block)
                    found.setdefault(key, (key_node, value_node, block))
        return found

    def compare(self, merged: dict[str, _Pair], own: dict[str, _Pair], path: Path) -> None:
        """Report each own key that loses keys of the merged map in whose place it is."""
        for key, (key_node, value_node, _) in own.items():
            _, instead, block = merged.get(key, (None, value_node, key_node))
            if lost := dropped(instead, value_node):
                at = (*path, key)
                self.report(
                    MERGE_DROPS_KEYS,
                    at,
                    self.start(key_node),
                    f"{dotted(at)} takes the place of that of {called(block, self.source, self.file)} whole, "
                    f"and so drops {', '.join(lost)}",
                    "repeat them here, or give the inner block an anchor and merge that here too",
                    settles=False,
                )

    def key(self, node: yaml.Node, path: Path) -> str | None:
        """Return a key's text; None, after reporting, when it is none."""
        if isinstance(node, yaml.ScalarNode) and 0 < len(node.value) <= _LONGEST_KEY and self.is_text(node):
            return str(node.value)
        if node.start_mark.column > 0 and isinstance(node, yaml.MappingNode) and node.flow_style:
            self.report(
                PLACEHOLDER,
                path,
                self.start(node),
                f"{dotted(path) or 'the file'} holds a {{{{…}}}} that was not filled in",
                "write the value in its place",
            )
        else:
            message, fix = "a key must be plain text", "write a word as the key"
            self.report(UNSUPPORTED_YAML, path, self.start(node), message, fix, settles=False)
        return None

    def scalar(self, node: yaml.ScalarNode, path: Path, judged: bool) -> Any:
        text = str(node.value)
        if node.style:
            self.tag(node, path, _TAG + "str")
            return text
        if node.tag not in _PLAIN_TAGS:
            self.tag(node, path, _TAG + "str")
            return text
        self.typed[path] = text
        value = plain(text)
        if not isinstance(value, Ambiguous):
            if node.tag not in _OWN_TAGS[type(value)]:
                self.tag(node, path, _OWN_TAGS[type(value)][0])
            return value
        if judged and not (value.reading == "a date" and _wants_date(path)):
            instead = f"; if you mean {value.plainly}, write {value.plainly}" if value.plainly else ""
            self.report(
                AMBIGUOUS_SCALAR,
                path,
                self.start(node),
                f"{dotted(path)} is {text} without quotes, which YAML takes for {value.reading}",
                f'quote it: "{text}"{instead}',
            )
        return text

    def is_text(self, node: yaml.ScalarNode) -> bool:
        """Return whether a scalar has no tag but its own, so that as a key it is the text that stands there."""
        return node.tag in _PLAIN_TAGS if not node.style else node.tag == _TAG + "str"

    def tag(self, node: yaml.Node, path: Path, wanted: str) -> None:
        """Report a node's tag if it isn't the plain one."""
        if node.tag != wanted:
            shown = "!!" + node.tag.removeprefix(_TAG) if node.tag.startswith(_TAG) else node.tag
            self.report(
                UNSUPPORTED_YAML,
                path,
                self.start(node),
                f"{dotted(path) or 'the file'} has the tag {shown}; tags are not supported",
                "write the plain value without a tag",
            )

    def stop(
        self, node: yaml.Node, message: str, fix: str = "split the environment, or write less into it"
    ) -> FileError:
        """Return the error of a file that is read no further."""
        position = self.start(node)
        return FileError(
            self.source.file,
            message,
            line=position.line,
            column=position.column,
            source_line=self.source.line(position),
            fix=fix,
        )


def _wants_date(path: Path) -> bool:
    """Return whether the format has a date here, which then needs no quotes."""
    return path[:1] == ("suppress",) and path[2:] == ("until",)
