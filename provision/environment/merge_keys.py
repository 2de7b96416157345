"""Decides what YAML's merge keys (`<<: *block`) mean: shallow, as YAML has them, and what an override then drops.

A key of the map itself wins over a merged one, whichever stands first; of several blocks, the first wins.
"""

from __future__ import annotations

import re

import yaml

from provision.source import Position, Source

_ANCHOR = re.compile(r"&([^\s,\[\]{}]+)")


def is_merge(key: yaml.Node) -> bool:
    """Return whether a key is the merge key; quoted, it is a key like any other."""
    return isinstance(key, yaml.ScalarNode) and not key.style and key.value == "<<"


def blocks_of(value: yaml.Node) -> list[yaml.Node]:
    """Return the nodes that a merge key's value asks to merge, the first of which wins."""
    return list(value.value) if isinstance(value, yaml.SequenceNode) else [value]


def keys_of(node: yaml.Node, seen: frozenset[int] = frozenset()) -> tuple[str, ...]:
    """Return the keys that a map has, merged ones among them; none of what is no map."""
    if not isinstance(node, yaml.MappingNode) or id(node) in seen:
        return ()
    found: dict[str, None] = {}
    for key, value in node.value:
        if is_merge(key):
            for block in blocks_of(value):
                found.update(dict.fromkeys(keys_of(block, seen | {id(node)})))
        elif isinstance(key, yaml.ScalarNode):
            found[str(key.value)] = None
    return tuple(found)


def dropped(merged: yaml.Node, override: yaml.Node) -> tuple[str, ...]:
    """Return the keys of a merged map that a map in its place does without. Anything but a map is meant to replace."""
    if not isinstance(override, yaml.MappingNode):
        return ()
    kept = set(keys_of(override))
    return tuple(key for key in keys_of(merged) if key not in kept)


def called(block: yaml.Node, source: Source, file: str) -> str:
    """Return how a merged block is called in messages: by its anchor, where it has one."""
    mark = block.start_mark
    line = source.line(Position(mark.line + 1, mark.column + 1, file))
    anchor = _ANCHOR.match(line, mark.column)
    return f"the merged block &{anchor.group(1)}" if anchor else "the merged block"
