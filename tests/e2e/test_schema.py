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
from tests.conftest import Golden

TOP = Path(__file__).parents[2]
RULES = TOP / "tests" / "rules"
SAMPLES = sorted(environments_root().glob("*.yaml"))
GOOD = sorted(RULES.glob("*/good.yaml"))

#: Loader rules whose mistakes a JSON Schema can see.
SEEN = ("unknown-key", "missing-key", "wrong-type", "invalid-value")


class _Core(yaml.SafeLoader):
    """YAML as editors read it, by version 1.2: a date is text."""


_Core.yaml_implicit_resolvers = {
    letter: [pair for pair in pairs if not pair[0].endswith(":timestamp")]
    for letter, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@pytest.fixture
def schema(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["schema"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def mistakes(schema: dict[str, Any], text: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema)
    return [error.message for error in validator.iter_errors(yaml.load(text, _Core))]


def test_the_schema_is_one_of_draft_2020_12(schema: dict[str, Any]) -> None:
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("file", SAMPLES + GOOD, ids=lambda file: "/".join(file.parts[-2:]))
def test_what_validate_lets_pass_the_schema_lets_pass(file: Path, schema: dict[str, Any]) -> None:
    assert mistakes(schema, file.read_text("utf-8")) == []


@pytest.mark.parametrize("rule", SEEN)
def test_what_the_loader_refuses_by_form_the_schema_refuses_too(rule: str, schema: dict[str, Any]) -> None:
    assert mistakes(schema, (RULES / rule / "bad.yaml").read_text("utf-8"))


def parts_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in schema["$defs"].values() if "properties" in part]


def test_every_key_is_described_and_no_other_is_allowed(schema: dict[str, Any]) -> None:
    for part in parts_of(schema):
        assert part["additionalProperties"] is False
        for key, value in part["properties"].items():
            assert value["description"].endswith("."), key


def test_every_example_in_the_schema_fits_it(schema: dict[str, Any]) -> None:
    for part in parts_of(schema):
        for key, value in part["properties"].items():
            for example in value.get("examples", []):
                found = jsonschema.Draft202012Validator({**value, "$defs": schema["$defs"]}).iter_errors(example)
                assert [error.message for error in found] == [], key


def test_the_published_schema_is_the_current_one(golden: Golden, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    golden(TOP / "schema" / "environment.schema.json", capsys.readouterr().out)


def test_the_page_about_the_file_is_the_current_one(golden: Golden, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--format", "markdown"]) == 0
    golden(TOP / "docs" / "environment.md", capsys.readouterr().out)


@pytest.mark.parametrize(
    "text",
    [
        "extends: base.yaml\n",
        "extends: base.yaml\npools: {train: {nodes: 3}, old: null}\nnetwork: {ssh_from: null}\n",
        "extends: base.yaml\nsubscription: ${SUBSCRIPTION}\npools: {train: {nodes: '${NODES}', protect: '${P}'}}\n",
    ],
)
def test_of_a_file_that_extends_another_a_part_is_enough(text: str, schema: dict[str, Any]) -> None:
    assert mistakes(schema, text) == []


@pytest.mark.parametrize(
    "text",
    [
        "extends: base.yaml\npools: {train: {node: 3}}\n",
        "extends: base.yaml\npools: {train: {nodes: '3'}}\n",
        "extends: base.yaml\npools: {train: {nodes: 'a${NODES}'}}\n",
        "extends: base.yaml\nsuppress: [{rule: x}]\n",
        "extends: 3\n",
    ],
)
def test_what_is_wrong_in_a_part_is_seen_all_the_same(text: str, schema: dict[str, Any]) -> None:
    assert mistakes(schema, text)
