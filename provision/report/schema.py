"""The keys of an environment file as a page of documentation, told from the JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_HEAD = """\
# The environment file

<!-- Made by `provision schema --format markdown`; the descriptions stand in provision/environment/model.py. -->

One YAML file declares one environment. Editors check and complete it with the schema beside this documentation:
begin the file with `# yaml-language-server: $schema=../schema/environment.schema.json`.

## How it is read

- **Nothing is guessed.** Unknown and duplicate keys are errors, and so is an unquoted word that some reader of YAML
  takes for something else than text: `no`, `on`, `0755`, `1e3`, `2026-11-30` (but a date where the format has one).
  Quote it. Text, numbers and truth values are never taken for one another. Keys that begin with `x-` may stand at the
  top; they are your own and never read.
- **`extends: base.yaml`** lays the file over another one, which may extend a third. Maps merge at every level; lists
  and single values replace; null takes out what the other file has. Paths are relative to the file that says them,
  where `a/../b` is `b`. A circle is an error.
- **`--set pools.train.nodes=3`** lays a single value over the file, as often as it is given; the value is written as
  in the file, and null takes out. A key with a dot in it stands in quotes: `--set 'tags."cost.center"=ml'`. Lists are
  set whole. A path given so is relative to the environment file. A saved plan holds what it was made with as `set`.
- **`${NAME}`** is the text of a variable of the process environment, always a whole value and never a part of one.
  Where a number or a truth value is wanted, the text is read as it would be without quotes: `16` and `true` fit,
  `"16"`, `0x10` and `yes` do not; everywhere else it stays text, digits and all. What the variable holds is not
  looked into again, which is also how a text with `${…}` in it can be written. An undefined variable is an error.
- **Anchors, aliases and merge keys** (`<<: *block`) are read as YAML 1.1 has them, within one file. A merge key is
  shallow: a map of your own takes the place of the merged one whole, and a warning says which keys that drops.
  `extends` merges deeply.
- **`suppress`** takes a finding out of the list, by its rule and the path at or beneath which it is accepted, for a
  reason and, better, until a day. Then it is an error, and the finding counts again; one that nothing matches is a
  warning. What keeps a file from being read can't be suppressed; what checks against Azure find can be, by their ids.
- **`templates` and `units`** bring in templates of your own, in front of the built-in ones and for what provision does
  not make: [templates.md](templates.md).
- `provision render FILE --expand` prints what it all comes to, each value with the file and line that it is from.
"""


def schema_as_markdown(schema: dict[str, Any]) -> str:
    """Return the page: how a file is read, then one table of keys for each level, the outermost first."""
    return _HEAD + "".join(_levels(schema["$defs"], "Environment", ()))


def _levels(parts: dict[str, Any], name: str, path: tuple[str, ...]) -> Iterator[str]:
    part = parts[name]
    title = f"`{'.'.join(path)}`" if path else "The top of the file"
    rows = [_row(key, value, key in part.get("required", ())) for key, value in part["properties"].items()]
    head = "| key | value | default | |\n|---|---|---|---|\n"
    yield f"\n## {title}\n\n{part['description']}\n\n{head}" + "".join(rows)
    for key, value in part["properties"].items():
        for star, inner in _parts_in(value):
            yield from _levels(parts, inner, (*path, key, *star))


def _parts_in(schema: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the parts that a value may be made of; those that are a map's values with `NAME` before them."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name != "Variable":
            yield (), name
    for branch in schema.get("anyOf", ()):
        yield from _parts_in(branch)
    if "items" in schema:
        yield from _parts_in(schema["items"])
    if isinstance(schema.get("additionalProperties"), dict):
        for star, name in _parts_in(schema["additionalProperties"]):
            yield ("NAME", *star), name


def _row(key: str, schema: dict[str, Any], required: bool) -> str:
    told = schema["description"]
    default = "**required**" if required else _code(schema["default"]) if schema.get("default") is not None else ""
    examples = "".join(f" Example: {_code(example)}" for example in schema.get("examples", ())[-1:])
    cells = (f"`{key}`", _value(schema), default, told + examples)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _value(schema: dict[str, Any]) -> str:
    """Return what a value may be, in words."""
    if "$ref" in schema:
        return "map"
    if "anyOf" in schema:
        shown = [_value(branch) for branch in schema["anyOf"] if not _is_told_above(branch)]
        return " or ".join(dict.fromkeys(shown))
    if "const" in schema:
        return _code(schema["const"])
    if "enum" in schema:
        return ", ".join(_code(word) for word in schema["enum"])
    if schema.get("format") == "date":
        return "date"
    if schema.get("type") == "array":
        return f"list of {_value(schema['items'])}"
    if schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        return f"map from name to {_value(inner)}" if isinstance(inner, dict) else "map"
    kind = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    bounds = [
        f"{word} {schema[key]:,}"
        for key, word in (("minimum", "from"), ("maximum", "to"), ("minLength", "from"), ("maxLength", "to"))
        if key in schema and not (key == "minLength" and schema[key] == 1)
    ]
    letters = " letters" if "maxLength" in schema else ""
    return " ".join([kind.get(schema.get("type", ""), "anything"), *bounds]) + letters


def _is_told_above(schema: dict[str, Any]) -> bool:
    """Return whether a branch is one that every value has: a variable, null."""
    return schema.get("type") == "null" or str(schema.get("$ref", "")).endswith("/Variable")


def _code(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"`{text if not isinstance(value, str) else value}`"
