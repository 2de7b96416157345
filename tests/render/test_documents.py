"""The files of a rendering and the manifest that lists them."""

from __future__ import annotations

import hashlib
import json

from provision.adapters.files import load_catalog
from provision.adapters.templates import load_templates
from provision.render import documents
from tests.support.topologies import SUBSCRIPTION, a_topology


def made(*formats: str) -> dict[str, str]:
    return documents(a_topology(), load_catalog(), load_templates(), formats)


def test_a_rendering_has_a_file_for_each_unit_and_format_and_the_manifest_last() -> None:
    assert list(made("arm", "bicep")) == [
        "westus3/network.json",
        "westus3/network.bicep",
        "westus3/train-0.json",
        "westus3/train-0.bicep",
        "manifest.json",
    ]
    assert list(made("arm")) == ["westus3/network.json", "westus3/train-0.json", "manifest.json"]
    assert list(made("bicep")) == ["westus3/network.bicep", "westus3/train-0.bicep", "manifest.json"]


def test_the_manifest_lists_the_units_in_the_order_in_which_they_are_deployed() -> None:
    files = made("arm", "bicep")

    def digest(name: str) -> str:
        return "sha256:" + hashlib.sha256(files[name].encode()).hexdigest()

    assert json.loads(files["manifest.json"]) == {
        "format_version": 1,
        "environment": "h100-test",
        "subscription": SUBSCRIPTION,
        "units": [
            {
                "region": "westus3",
                "unit": "network",
                "group": "h100-test-westus3",
                "stack": "h100-test.network",
                "after": [],
                "resources": 5,
                "files": {"arm": "westus3/network.json", "bicep": "westus3/network.bicep"},
                "digest": digest("westus3/network.json"),
            },
            {
                "region": "westus3",
                "unit": "train-0",
                "group": "h100-test-westus3",
                "stack": "h100-test.train-0",
                "after": ["network"],
                "resources": 1,
                "files": {"arm": "westus3/train-0.json", "bicep": "westus3/train-0.bicep"},
                "digest": digest("westus3/train-0.json"),
            },
        ],
    }


def test_a_unit_s_digest_is_of_its_arm_template_whatever_is_rendered() -> None:
    def digests(*formats: str) -> list[str]:
        return [unit["digest"] for unit in json.loads(made(*formats)["manifest.json"])["units"]]

    assert digests("arm") == digests("bicep") == digests("arm", "bicep")


def test_every_file_ends_its_lines_with_a_line_feed_and_has_one_at_its_end() -> None:
    for text in made("arm", "bicep").values():
        assert "\r" not in text
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
