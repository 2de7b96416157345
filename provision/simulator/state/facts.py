"""The plain facts of Azure that the simulator reads: which sizes exist, what they hold and where they are offered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).resolve().parents[2] / "data"


@dataclass(frozen=True, slots=True)
class Region:
    name: str
    display_name: str
    geography: str
    paired_region: str | None
    zones: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Size:
    name: str
    vcpus: int
    """0 where the data does not know it: such a size draws on no quota."""
    family: str
    facts: dict[str, Any]
    regions: frozenset[str]
    """Where the size has a price; every region where no price of it is known at all."""


@dataclass(frozen=True, slots=True)
class LustreTier:
    name: str
    throughput_mbps_per_tib: int
    step_tib: int
    """Both the smallest capacity and the step to the next."""
    most_tib: int
    """What is taken without a support request; the tester's quota by the tier's name overrides it."""


@cache
def regions() -> dict[str, Region]:
    rows = _rows("regions.json", "regions")
    return {
        row["name"]: Region(
            row["name"],
            row["display_name"],
            row["geography"],
            row["paired_region"],
            tuple(row["zones"]),
        )
        for row in rows
    }


@cache
def sizes() -> dict[str, Size]:
    """Return every size by its lower-case name, in the order of the data."""
    everywhere = frozenset(regions())
    offered = {row["size"].lower(): frozenset(row["usd_per_hour"]) for row in _rows("prices.json", "prices")}
    return {
        row["name"].lower(): Size(
            row["name"],
            row.get("vcpus", 0),
            row.get("quota_family", ""),
            row,
            offered.get(row["name"].lower(), everywhere),
        )
        for row in _rows("sizes.json", "sizes")
    }


@cache
def lustre_tiers() -> dict[str, LustreTier]:
    """Return the tiers of managed Lustre by the lower-case name of their SKU."""
    tiers = [
        LustreTier(f"AMLFS-Durable-Premium-{row['tier']}", row["tier"], row["step_tib"], row["most_tib"])
        for row in _rows("lustre.json", "tiers")
    ]
    return {tier.name.lower(): tier for tier in tiers}


@cache
def images() -> dict[str, dict[str, Any]]:
    """Return what is known of marketplace images by their lower-case `publisher:offer:sku`."""
    return {row["image"].lower(): row for row in _rows("images.json", "images")}


@cache
def limit(name: str) -> int:
    return next(int(row["value"]) for row in _rows("limits.json", "limits") if row["name"] == name)


def location_name(text: str) -> str:
    """Return `East US` as `eastus`: ARM takes both."""
    return text.replace(" ", "").lower()


def _rows(file: str, key: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((_DATA / file).read_text("utf-8"))[key]
    return rows
