"""The JSON Schema of environment files, for editors: told from the model, so that the two can't differ.

A file that extends another is a part only: there no key must be given, and null takes a key out.
"""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from provision.environment.model import Environment

Schema = dict[str, Any]

_ENVIRONMENT = "Environment"
_PARTIAL = "Partial"  # before the name of a part of a file that extends another
_TOLD: tuple[str, ...] = ("description", "default", "examples")
_AS_THEY_ARE = ("default", "examples", "items")  # a list replaces another whole, so its items are no parts
_VARIABLE: Schema = {
    "type": "string",
    "pattern": r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$",
    "description": "The text of a variable of the process environment.",
}
_OWN: Schema = {"^x-": {"description": "Your own: for anchors and other tools; never read."}}


def json_schema() -> Schema:
    """Return the schema, draft 2020-12. `x-…` keys are let in at the top, as the loader does."""
    schema = Environment.model_json_schema(schema_generator=_Schema)
    parts: dict[str, Schema] = {_ENVIRONMENT: schema, **schema.pop("$defs")}
    schema["patternProperties"] = _OWN
    for key in (key for part in parts.values() for key in part["properties"].values() if "$ref" in key):
        key.setdefault("description", parts[key["$ref"].rpartition("/")[2]]["description"])
    whole = {name: _with_variables(part) for name, part in parts.items()}
    partial = {_PARTIAL + name: _as_partial(part) for name, part in whole.items()}
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "An environment of provision",
        "description": whole[_ENVIRONMENT]["description"],
        "type": "object",
        "if": {"required": ["extends"]},
        "then": {"$ref": f"#/$defs/{_PARTIAL}{_ENVIRONMENT}"},
        "else": {"$ref": f"#/$defs/{_ENVIRONMENT}"},
        "$defs": {**whole, **partial, "Variable": _VARIABLE},
    }


def _with_variables(schema: Schema) -> Schema:
    """Return a part's schema that lets a variable stand for each single value."""
    if "properties" in schema:
        return {**schema, "properties": {key: _with_variables(value) for key, value in schema["properties"].items()}}
    if isinstance(schema.get("additionalProperties"), dict):
        return {**schema, "additionalProperties": _with_variables(schema["additionalProperties"])}
    if "items" in schema:
        return {**schema, "items": _with_variables(schema["items"])}
    if "anyOf" in schema or "oneOf" in schema:
        union = "anyOf" if "anyOf" in schema else "oneOf"
        branches: list[Schema] = [_with_variables(branch) for branch in schema[union]]
        single = [part for branch in branches for part in branch.get("anyOf", [branch])]
        return {**{key: value for key, value in schema.items() if key != union}, "anyOf": _once(single)}
    if schema.keys() & {"pattern", "enum", "const", "format"} or schema.get("type") in ("integer", "number", "boolean"):
        told = {key: schema[key] for key in _TOLD if key in schema}
        value = {key: value for key, value in schema.items() if key not in told}
        return {**told, "anyOf": [value, {"$ref": "#/$defs/Variable"}]}
    return schema


def _as_partial(schema: Schema) -> Schema:
    """Return a part's schema without required keys, whose keys may be null."""

    def inside(value: Any) -> Any:
        if isinstance(value, list):
            return [inside(item) for item in value]
        if not isinstance(value, dict):
            return value
        done = {key: item if key in _AS_THEY_ARE else inside(item) for key, item in value.items()}
        done.pop("minProperties", None)
        if str(done.get("$ref", "")).startswith("#/$defs/") and done["$ref"] != "#/$defs/Variable":
            done["$ref"] = done["$ref"].replace("#/$defs/", f"#/$defs/{_PARTIAL}")
        if isinstance(done.get("additionalProperties"), dict):
            done["additionalProperties"] = _or_null(done["additionalProperties"])
        return done

    partial: Schema = {key: value for key, value in schema.items() if key != "required"}
    keys: Schema = {key: _or_null(inside(value)) for key, value in partial.get("properties", {}).items()}
    return {**partial, "properties": keys}


def _or_null(schema: Schema) -> Schema:
    told = {key: schema[key] for key in _TOLD if key in schema}
    value = {key: value for key, value in schema.items() if key not in told}
    branches = value["anyOf"] if set(value) == {"anyOf"} else [value]
    return {**told, "anyOf": _once([*branches, {"type": "null"}])}


def _once(schemas: list[Schema]) -> list[Schema]:
    """Return schemas without repetitions, in their order."""
    return [schema for n, schema in enumerate(schemas) if schema not in schemas[:n]]


class _Schema(GenerateJsonSchema):
    """Pydantic's schema without titles made of the keys' names, which say nothing new, and strict about map keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False: no titles."""
        return False

    def dict_schema(self, schema: Any) -> dict[str, Any]:
        """Return a map's schema; pydantic's own lets a key pass that does not match its pattern."""
        json = super().dict_schema(schema)
        for pattern, value in json.pop("patternProperties", {}).items():
            json["propertyNames"] = {**json.get("propertyNames", {}), "pattern": pattern}
            json["additionalProperties"] = value
        return json
