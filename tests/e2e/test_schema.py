"""`provision schema`: what an editor is told agrees with what the loader does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from provision.adapters.files import environments_root
from provision.cli.main import main

RULES = Path(__file__).parents[1] / "rules"
SAMPLES = sorted(environments_root().glob("*.yaml"))
GOOD = sorted(RULES.glob("*/good.yaml"))

#: Loader rules whose mistakes a JSON Schema can see.
SEEN = ("unknown-key", "missing-key", "wrong-type", "invalid-value")


@pytest.fixture
def schema(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["schema"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def mistakes(schema: dict[str, Any], text: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema)
    return [error.message for error in validator.iter_errors(yaml.safe_load(text))]


def test_the_schema_is_one_of_draft_2020_12(schema: dict[str, Any]) -> None:
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("file", SAMPLES + GOOD, ids=lambda file: "/".join(file.parts[-2:]))
def test_what_validate_lets_pass_the_schema_lets_pass(file: Path, schema: dict[str, Any]) -> None:
    assert mistakes(schema, file.read_text("utf-8")) == []


@pytest.mark.parametrize("rule", SEEN)
def test_what_the_loader_refuses_by_form_the_schema_refuses_too(rule: str, schema: dict[str, Any]) -> None:
    assert mistakes(schema, (RULES / rule / "bad.yaml").read_text("utf-8"))


def test_every_key_is_described_and_no_other_is_allowed(schema: dict[str, Any]) -> None:
    for part in [schema, *schema["$defs"].values()]:
        assert part["additionalProperties"] is False
        for key, value in part["properties"].items():
            described = value.get("description") or schema["$defs"][value["$ref"].rpartition("/")[2]]["description"]
            assert described.endswith("."), key


def test_every_example_in_the_schema_fits_it(schema: dict[str, Any]) -> None:
    for part in [schema, *schema["$defs"].values()]:
        for key, value in part["properties"].items():
            for example in value.get("examples", []):
                found = jsonschema.Draft202012Validator({**value, "$defs": schema["$defs"]}).iter_errors(example)
                assert [error.message for error in found] == [], key
