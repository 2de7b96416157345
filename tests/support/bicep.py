"""Reads Bicep text back into the values that it states, by Microsoft-independent means: the tree-sitter grammar.

It reads what our templates write and refuses the rest, so that nothing passes unread.
"""

from __future__ import annotations

import re
from typing import Any

import tree_sitter
import tree_sitter_bicep

from provision.arm import ResourceId, resource_id

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bicep.language()))
_ESCAPE = re.compile(r"\\(?:u\{(?P<code>[0-9a-fA-F]+)\}|(?P<letter>.))", re.DOTALL)
_LETTERS = {"\\": "\\", "'": "'", "n": "\n", "r": "\r", "t": "\t", "$": "$"}


class Symbol(str):
    """A name that stands for a resource."""

    __slots__ = ()


def resources_in(text: str, subscription: str, group: str) -> list[dict[str, Any]]:
    """Return the resources of a Bicep text as ARM JSON would write them, but for escapes.

    A child's name has its parent's in front; `dependsOn` has ids, sorted, the parent's among them.
    """
    found: dict[str, ResourceId] = {}
    resources = []
    for node in _root(text).children:
        if node.type != "resource_declaration":
            continue
        symbol, declared, body = (_value(child) for child in node.named_children)
        type, version = declared.split("@")
        needs = list(body.pop("dependsOn", []))
        names = body.pop("name").split("/")
        if (parent := body.pop("parent", None)) is not None:
            needs.append(parent)
            names = [*found[parent].full_name.split("/"), *names]
        found[symbol] = resource_id(subscription, group, type, *names)
        resource = {"type": type, "apiVersion": version, "name": "/".join(names), **body}
        if needs:
            assert all(isinstance(need, Symbol) for need in needs), "dependencies are symbols"
            resource["dependsOn"] = sorted(found[need] for need in needs)
        resources.append(resource)
    return resources


def parameters_in(text: str) -> dict[str, str]:
    """Return the types of a text's parameters by name; one with a default is refused."""
    nodes = [node for node in _root(text).children if node.type == "parameter_declaration"]
    assert all(len(node.named_children) == 2 for node in nodes), "a parameter has a default"
    return {_text(node.named_children[0]): _text(node.named_children[1]) for node in nodes}


def value_of(literal: str) -> Any:
    """Return the value of a literal."""
    (node,) = (n for n in _root(f"var it = {literal}\n").children if n.type == "variable_declaration")
    return _value(node.named_children[1])


def _root(text: str) -> tree_sitter.Node:
    root = _PARSER.parse(text.encode()).root_node
    assert not root.has_error, f"no Bicep: {text}"
    return root


def _text(node: tree_sitter.Node) -> str:
    assert node.text is not None
    return node.text.decode()


def _value(node: tree_sitter.Node) -> Any:
    children = [child for child in node.named_children if child.type != "comment"]
    match node.type:
        case "string":
            assert not any(child.type == "interpolation" for child in children), f"interpolated: {_text(node)}"
            text = _text(node)
            assert text[0] == text[-1] == "'", text
            assert not text.startswith("'''"), f"over several lines: {text}"
            return _ESCAPE.sub(_character, text[1:-1])
        case "number":
            return int(_text(node))
        case "boolean":
            return {"true": True, "false": False}[_text(node)]
        case "null":
            return None
        case "identifier" | "compatible_identifier":
            return Symbol(_text(node))
        case "array":
            return [_value(child) for child in children]
        case "object":
            pairs = [_pair(child) for child in children]
            assert len(dict(pairs)) == len(pairs), f"a key stands twice: {_text(node)}"
            return dict(pairs)
    raise AssertionError(f"unread: {node.type}: {_text(node)}")


def _pair(node: tree_sitter.Node) -> tuple[str, Any]:
    assert node.type == "object_property", f"unread: {node.type}: {_text(node)}"
    key, value = node.named_children
    return str(_value(key)), _value(value)


def _character(found: re.Match[str]) -> str:
    return chr(int(found["code"], 16)) if found["code"] else _LETTERS[found["letter"]]
