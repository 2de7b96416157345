"""The JSON Schema of environment files, for editors: told from the model, so that the two can't differ."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from provision.environment.model import Environment


def json_schema() -> dict[str, Any]:
    """Return the schema, draft 2020-12. `x-…` keys are let in at the top, as the loader does."""
    schema = Environment.model_json_schema(schema_generator=_Schema)
    schema["patternProperties"] = {"^x-": {"description": "Your own: for anchors and other tools; never read."}}
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "An environment of provision",
        **{key: value for key, value in schema.items() if key != "title"},
    }


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
