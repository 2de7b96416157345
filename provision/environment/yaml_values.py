"""Decides which YAML an environment file may use, and reads it: text → plain values, and where each stands.

What the values should be is the business of `load.py`. Maps become dicts, lists tuples; a key keeps its typed text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml

from provision.environment.problems import AMBIGUOUS_SCALAR, DUPLICATE_KEY, PLACEHOLDER, UNSUPPORTED_YAML
from provision.environment.scalars import Ambiguous, plain
from provision.environment.syntax import check_characters, explained
from provision.errors import FileError
from provision.findings import Finding, Problem, Rule, finding_at
from provision.source import Path, Position, Source, dotted

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

#: A file with more values than this, aliases unfolded, is a mistake or an attack (a "billion laughs").
MOST_VALUES = 100_000
_DEEPEST = 50
_BEGIN = "begin with `version: 1`; `provision schema` prints all keys"

Loader: TypeAlias = "type[yaml.SafeLoader] | type[yaml.CSafeLoader]"

#: libyaml's loader; the pure one where libyaml is absent: slower, same result.
FASTEST: Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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


def values_of(file: str, text: str, loader_type: Loader = FASTEST) -> Values:
    """Return the values of a file's text. Raises FileError when it is no YAML, or no map at the top."""
    text = text.removeprefix("\ufeff")
    check_characters(file, text)
    loader = loader_type(text)
    try:
        root = loader.get_node() if loader.check_node() else None
        second = loader.get_node() if loader.check_node() else None
    except yaml.MarkedYAMLError as error:
        raise explained(file, text, error) from None
    finally:
        loader.dispose()
    if root is None:
        raise FileError(file, "the file holds nothing", fix=_BEGIN)
    walk = _Walk(file, text)
    data = walk.value(root, (), True)
    if not isinstance(root, yaml.MappingNode):
        position = _start(root)
        raise FileError(
            file,
            "the file does not hold a map of keys and values",
            line=position.line,
            column=position.column,
            source_line=walk.source.line(position.line),
            fix=_BEGIN,
        )
    if second is not None:
        walk.report(
            UNSUPPORTED_YAML,
            (),
            _start(second),
            "a second document begins here, after `---`; a file holds one environment",
            "move it to a file of its own",
            settles=False,
        )
    return Values(data, walk.source, walk.typed, tuple(walk.findings), frozenset(walk.reported))


def _start(node: yaml.Node) -> Position:
    return Position(node.start_mark.line + 1, node.start_mark.column + 1)


class _Walk:
    """One pass over the nodes, which collects positions and findings."""

    def __init__(self, file: str, text: str) -> None:
        self.places: dict[Path, Position] = {}
        self.keys: dict[Path, Position] = {}
        self.source = Source(file, text, self.places, self.keys)
        self.typed: dict[Path, str] = {}
        self.findings: list[Finding] = []
        self.reported: set[Path] = set()
        self.open: list[int] = []
        self.count = 0

    def report(
        self, rule: Rule, path: Path, position: Position, message: str, fix: str, *, settles: bool = True
    ) -> None:
        """Note a finding. `settles`: nothing more is to be said of the value at `path`."""
        self.findings.append(finding_at(rule, Problem(path, message, fix), self.source, position))
        if settles:
            self.reported.add(path)

    def value(self, node: yaml.Node, path: Path, judged: bool) -> Any:
        """Return a node's value. `judged` is False inside `x-…` keys, whose values are the user's own."""
        self.count += 1
        if self.count > MOST_VALUES:
            raise self.stop(node, f"the file holds more than {MOST_VALUES:,} values once its aliases are unfolded")
        if not isinstance(node, yaml.ScalarNode) or node.value or node.style:
            self.places[path] = _start(node)  # a key without a value is pointed at itself
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node, path, judged)
        if id(node) in self.open:
            self.report(
                UNSUPPORTED_YAML,
                path,
                _start(node),
                f"{dotted(path)} is an alias of something that contains it, so it has no end",
                "write the value instead of the alias",
            )
            return None
        if len(self.open) == _DEEPEST:
            raise self.stop(node, f"maps and lists are nested more than {_DEEPEST} deep")
        self.open.append(id(node))
        try:
            if isinstance(node, yaml.MappingNode):
                return self.mapping(node, path, judged)
            self.tag(node, path, _TAG + "seq")
            return tuple(self.value(item, (*path, n), judged) for n, item in enumerate(node.value))
        finally:
            self.open.pop()

    def mapping(self, node: yaml.MappingNode, path: Path, judged: bool) -> Any:
        self.tag(node, path, _TAG + "map")
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self.key(key_node, path)
            if key is None:
                continue
            at = (*path, key)
            if key in values:
                first = self.keys[at].line
                self.report(
                    DUPLICATE_KEY,
                    at,
                    _start(key_node),
                    f"{dotted(at)} is given twice, in lines {first} and {key_node.start_mark.line + 1}",
                    "keep one of the two",
                    settles=False,
                )
                continue
            self.keys[at] = _start(key_node)
            values[key] = self.value(value_node, at, judged and not (path == () and key.startswith("x-")))
        return values

    def key(self, node: yaml.Node, path: Path) -> str | None:
        """Return a key's text; None, after reporting, when it is none."""
        if isinstance(node, yaml.ScalarNode):
            if not node.style and node.value == "<<":
                self.report(
                    UNSUPPORTED_YAML,
                    path,
                    _start(node),
                    "merge keys (<<) are not supported: they replace nested maps whole, without a word",
                    "repeat the keys, or give each its own alias: `os_disk: *disk`",
                    settles=False,
                )
                return None
            if node.value and (node.tag in _PLAIN_TAGS if not node.style else node.tag == _TAG + "str"):
                return str(node.value)
        if node.start_mark.column > 0 and isinstance(node, yaml.MappingNode) and node.flow_style:
            self.report(
                PLACEHOLDER,
                path,
                _start(node),
                f"{dotted(path) or 'the file'} holds a {{{{…}}}} that was not filled in",
                "write the value in its place",
            )
        else:
            message, fix = "a key must be plain text", "write a word as the key"
            self.report(UNSUPPORTED_YAML, path, _start(node), message, fix, settles=False)
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
        if judged:
            instead = f"; if you mean {value.plainly}, write {value.plainly}" if value.plainly else ""
            self.report(
                AMBIGUOUS_SCALAR,
                path,
                _start(node),
                f"{dotted(path)} is {text} without quotes, which YAML takes for {value.reading}",
                f'quote it: "{text}"{instead}',
            )
        return text

    def tag(self, node: yaml.Node, path: Path, wanted: str) -> None:
        """Report a node's tag if it isn't the plain one."""
        if node.tag != wanted:
            shown = "!!" + node.tag.removeprefix(_TAG) if node.tag.startswith(_TAG) else node.tag
            self.report(
                UNSUPPORTED_YAML,
                path,
                _start(node),
                f"{dotted(path) or 'the file'} has the tag {shown}; tags are not supported",
                "write the plain value without a tag",
            )

    def stop(self, node: yaml.Node, message: str) -> FileError:
        position = _start(node)
        return FileError(
            self.source.file,
            message,
            line=position.line,
            column=position.column,
            source_line=self.source.line(position.line),
            fix="split the environment, or write less into it",
        )
