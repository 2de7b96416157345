"""The pure path: one call reads everything, and stops where an error is."""

from __future__ import annotations

import dataclasses

import pytest

from provision.adapters.files import environments_root, load_catalog, read_text
from provision.catalog import Catalog
from provision.errors import FileError
from provision.pipeline import Checked, check

SAMPLE = (environments_root() / "h100-two-regions.yaml").read_text("utf-8")
KEY = (environments_root() / "keys" / "example.pub").read_text("utf-8")


def checked(text: str = SAMPLE, key: str = KEY, catalog: Catalog | None = None) -> Checked:
    files = {"env.yaml": text, "keys/example.pub": key}
    return check("env.yaml", files.__getitem__, catalog or load_catalog())


def test_a_good_file_comes_to_an_environment_and_its_topology() -> None:
    result = checked()

    assert result.findings == ()
    assert result.environment is not None
    assert result.topology is not None
    assert [(each.name, each.region, each.nodes) for each in result.topology.scale_sets()] == [
        ("h100-train-train-0", "eastus", 32),
        ("h100-train-train-0", "southcentralus", 64),
    ]
    assert {each.ssh_public_key for each in result.topology.scale_sets()} == {KEY.strip()}


def test_the_same_files_give_the_same_result() -> None:
    assert checked() == checked()


def test_nothing_goes_on_past_an_error_of_any_rule() -> None:
    for wrong in (SAMPLE.replace("job_size: 62", "job_size: 640"), SAMPLE + "unknown: 1\n"):
        result = checked(wrong)

        assert len(result.findings) == 1
        assert (result.environment, result.topology) == (None, None)


def test_a_private_key_stops_at_the_border() -> None:
    result = checked(key="-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n")

    assert [finding.rule for finding in result.findings] == ["ssh-key-unreadable"]
    assert "secret" not in repr(result)


def test_a_size_whose_regions_are_not_known_is_not_refused_in_any() -> None:
    unknown = dataclasses.replace(load_catalog(), prices={})

    assert checked(catalog=unknown).findings == ()


def test_a_file_that_can_not_be_read_is_the_readers_error() -> None:
    with pytest.raises(FileError, match="there is no such file"):
        check("none.yaml", read_text, load_catalog())
