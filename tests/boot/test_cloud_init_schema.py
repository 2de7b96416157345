"""What nodes get at their first boot, against cloud-init's own schema, which `make test` fetches."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from provision.adapters.files import load_catalog
from provision.boot.config import cloud_config, text_of
from provision.boot.lustre import Mount
from provision.catalog import Size

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / ".cache" / "cloud-init.schema.json"
MOUNT = Mount("data", "https://management.azure.com/subscriptions/s/f?api-version=1", "/subscriptions/s/id", "/lustre")


@cache
def validator() -> jsonschema.Draft4Validator:
    if not SCHEMA.exists():
        pytest.skip(f"there is no {SCHEMA}: `make test` fetches it from Debian where there is a network")
    return jsonschema.Draft4Validator(json.loads(SCHEMA.read_text("utf-8")))


def problems(config: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator().iter_errors(config)]


@pytest.mark.parametrize("size", load_catalog().sizes.values(), ids=lambda size: size.name)
def test_cloud_init_takes_what_we_make_for_every_size(size: Size) -> None:
    config = cloud_config(size, [MOUNT])

    assert config is not None
    text = text_of(config)
    assert text.startswith("#cloud-config\n")
    assert yaml.safe_load(text) == config
    assert problems(config) == []


@pytest.mark.parametrize("file", sorted(ROOT.glob("environments/boot/*")), ids=lambda file: file.name)
def test_cloud_init_takes_the_examples(file: Path) -> None:
    text = file.read_text("utf-8")
    if text.startswith("#cloud-config"):
        assert problems(yaml.safe_load(text)) == []


def test_the_schema_tells_what_cloud_init_would_not_take() -> None:
    assert problems({"write_files": [{"content": "x"}]}) == ["$.write_files[0]: 'path' is a required property"]
