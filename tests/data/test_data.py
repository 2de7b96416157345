"""Plain facts: every row has its source and its date, and the files agree with each other."""

from __future__ import annotations

import datetime
import json
import re
from importlib import resources
from typing import Any

import pytest

from provision.adapters.files import load_catalog

ROOT = resources.files("provision")
FILES = sorted(f"data/{path.name}" for path in ROOT.joinpath("data").iterdir() if path.name.endswith(".json"))


def rows(file: str) -> list[dict[str, Any]]:
    document = json.loads(ROOT.joinpath(file).read_text("utf-8"))
    return [row for value in document.values() if isinstance(value, list) for row in value]


@pytest.mark.parametrize("file", FILES)
def test_every_row_has_its_source_and_its_date(file: str) -> None:
    for row in rows(file):
        assert row["source"].strip(), row
        assert datetime.date.fromisoformat(row["date"]) <= datetime.date(2100, 1, 1), row


@pytest.mark.parametrize("file", FILES)
def test_no_row_stands_twice(file: str) -> None:
    names = [str(row.get("name") or row.get("image") or row.get("size")) for row in rows(file)]

    assert len(names) == len({name.lower() for name in names})


@pytest.mark.parametrize("name", ["catalog/api_versions.json", "catalog/unsupported_sizes.json"])
def test_every_policy_has_its_reason_and_its_date(name: str) -> None:
    (table,) = (v for v in json.loads(ROOT.joinpath(name).read_text("utf-8")).values() if isinstance(v, dict))
    for row in table.values():
        assert row.get("why") or row.get("reason"), row
        assert datetime.date.fromisoformat(row["date"]), row


def test_every_limit_has_a_link_and_a_unit() -> None:
    for row in rows("data/limits.json"):
        assert row["link"].startswith("https://learn.microsoft.com/"), row
        assert row["unit"], row
        assert row["value"] > 0, row


def test_every_price_is_of_a_known_size_and_region() -> None:
    catalog = load_catalog()
    for size, prices in catalog.prices.items():
        assert size in catalog.sizes
        assert set(prices) <= set(catalog.regions)
        assert all(price > 0 for price in prices.values())


def test_a_size_with_infiniband_has_an_r_in_its_name() -> None:
    for size in load_catalog().sizes.values():
        letters = re.match(r"Standard_[A-Z]+\d+(?:rs|[a-z]*)", size.name)
        assert letters is not None
        assert ("r" in letters.group().rpartition("_")[2].lstrip("NDHBdhb0123456789")) == size.rdma, size.name


def test_every_region_has_a_permanent_number_of_its_own() -> None:
    catalog = load_catalog()

    assert set(catalog.slots) == set(catalog.regions)
    assert len(set(catalog.slots.values())) == len(catalog.slots)
    assert all(0 <= slot < 128 for slot in catalog.slots.values())


def test_the_numbers_of_the_first_regions_never_change() -> None:
    slots = load_catalog().slots

    assert (slots["eastus"], slots["southcentralus"], slots["westus3"]) == (16, 43, 60)


def test_lustre_comes_in_these_steps_and_takes_these_addresses() -> None:
    lustre = load_catalog().lustre

    assert lustre.steps_tib == {40: 48, 125: 16, 250: 8, 500: 4}
    taken = {tib: lustre.addresses_of(500, tib) for tib in (4, 16, 20, 40, 44, 256, 260, 512, 516, 1024)}
    assert taken == {4: 27, 16: 27, 20: 59, 40: 59, 44: 123, 256: 123, 260: 251, 512: 251, 516: 507, 1024: 507}
    assert [lustre.addresses_of(*each) for each in ((40, 480), (125, 512), (250, 512))] == [59, 123, 123]
