"""The simulator's tables beside Microsoft's published types: every property, with its kind, flags and values.

The types lie outside the project (they are other people's), so these tests skip where they are not there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from provision.simulator.bodies.shapes import (
    Demanded,
    Each,
    Echoed,
    Fixed,
    Ignored,
    Needed,
    Object,
    OneOf,
    ReadOnly,
    Reference,
    Since,
    Text,
    Whole,
)
from provision.simulator.tables import RESOURCES
from provision.simulator.tables.common import ENVELOPE

TYPES = Path(__file__).resolve().parents[3] / "shared" / "data" / "azure-types"
REQUIRED, READ_ONLY = 1, 2
SUBNET = "virtualnetworks/subnets"
PEERING = "virtualnetworks/virtualnetworkpeerings"

NOT_IN_TYPES = {
    # A child's place is its parent's; templates that state one all the same are taken.
    **{f"{kind} {key}": "taken and not looked at" for kind in (SUBNET, PEERING) for key in ("location", "tags")},
    "deployments properties.whatIfSettings": "of the body of a what-if, which is the same otherwise",
}
"""Properties of ours that Microsoft's types do not have: by type and path, with the reason."""

STRICTER = {
    "location": "Resource Manager wants it of every tracked resource",
    "virtualmachinescalesets properties": "Compute refuses a set without",
    "virtualmachinescalesets …networkInterfaceConfigurations[].properties": "Compute refuses an interface without",
    "virtualmachinescalesets …ipConfigurations[].properties": "Compute refuses an ip configuration without",
    "virtualmachinescalesets/extensions properties": "Compute refuses an extension without",
    "virtualmachinescalesets …extensions[].name": "Compute refuses an extension without",
    "virtualmachinescalesets …extensions[].properties": "Compute refuses an extension without",
    "capacityreservationgroups/capacityreservations sku.name": "a reservation is for a size",
    "amlfilesystems sku": "a file system has a tier",
    "amlfilesystems sku.name": "a file system has a tier",
    "amlfilesystems properties": "what they hold is required",
    "bastionhosts …ipConfigurations[].properties": "what they hold is required",
    "networksecuritygroups/securityrules properties": "what they hold is required",
    "…securityRules[].properties": "what they hold is required",
    "virtualnetworks …remoteVirtualNetwork": "a peering leads somewhere",
    f"{PEERING} properties": "a peering leads somewhere",
    f"{PEERING} properties.remoteVirtualNetwork": "a peering leads somewhere",
    "virtualnetworks …virtualNetworkPeerings[].properties": "a peering leads somewhere",
    "deploymentstacks properties": "what they hold is required",
    "[].name": "Network refuses an entry of a list without a name",
}
"""What we want and Microsoft's types do not require: by type and the end of the path, with the reason."""


@cache
def types_of(file: str) -> list[Any]:
    found: list[Any] = json.loads((TYPES / file).read_text("utf-8"))
    return found


@cache
def index() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((TYPES / "index.json").read_text("utf-8"))
    return found


def newest(type_: str) -> str:
    return max(key.split("@")[1] for key in index() if key.split("@")[0] == type_)


class Comparison:
    """One resource type's table beside its published type."""

    def __init__(self, type_: str) -> None:
        self.version = newest(type_)
        self.kind = type_.partition("/")[2]
        file, number = index()[f"{type_}@{self.version}"]
        self.types = types_of(file)
        self.body = self.at(self.types[number]["body"])
        self.met: set[tuple[int, int]] = set()
        self.stricter: set[str] = set()
        self.extra: set[str] = set()

    def at(self, reference: Any) -> Any:
        return self.types[int(reference["$ref"].rsplit("/", 1)[1])]

    def whole(self, table: Object) -> list[str]:
        properties = {key: each for key, each in self.body["properties"].items() if key not in ENVELOPE}
        fields = {key: each for key, each in table.fields.items() if key not in ENVELOPE}
        return list(self.fields("", fields, properties))

    def fields(self, path: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
        for key, published in theirs.items():
            here = f"{path}.{key}".lstrip(".")
            if key not in ours:
                yield f"{here}: it is missing"
                continue
            yield from self.flags(here, ours[key], published["flags"])
            if not isinstance(ours[key], ReadOnly | Echoed):
                yield from self.shape(here, bare(ours[key]), self.at(published["type"]))
        for key in ours.keys() - theirs.keys():
            here = f"{path}.{key}".lstrip(".")
            later = isinstance(ours[key], Since) and ours[key].version > self.version
            if not later and not self.stated(NOT_IN_TYPES, here, self.extra):
                yield f"{here}: the types do not have it"

    def flags(self, path: str, ours: Any, flags: int) -> Iterator[str]:
        if isinstance(ours, ReadOnly | Echoed) != bool(flags & READ_ONLY):
            yield f"{path}: read-only in one of the two"
        needed = isinstance(ours, Needed | Demanded)
        if bool(flags & REQUIRED) and not flags & READ_ONLY and not needed:
            yield f"{path}: it is required"
        if needed and not flags & REQUIRED and not self.stated(STRICTER, path, self.stricter):
            yield f"{path}: it is not required"

    def shape(self, path: str, ours: Any, theirs: Any) -> Iterator[str]:
        if (id(ours), id(theirs)) in self.met:
            return
        self.met.add((id(ours), id(theirs)))
        kind = theirs["$type"]
        if isinstance(ours, OneOf):
            published = literals(self, theirs)
            if published != set(ours.values):
                yield f"{path}: {sorted(ours.values)} against {sorted(published)}"
        elif isinstance(ours, Object):
            yield from self.objects(path, ours, theirs)
        elif isinstance(ours, Reference):
            fields = {"id": str} | (ours.rest.fields if ours.rest is not None else {})
            yield from self.objects(path, Object("", **{key: fields[key] for key in fields}), theirs)
        elif isinstance(ours, Each):
            if kind != "ObjectType" or "additionalProperties" not in theirs:
                yield f"{path}: free keys against {kind}"
            else:
                yield from self.shape(f"{path}.*", bare(ours.shape), self.at(theirs["additionalProperties"]))
        elif isinstance(ours, list):
            if kind != "ArrayType":
                yield f"{path}: a list against {kind}"
            else:
                yield from self.shape(f"{path}[]", bare(ours[0]), self.at(theirs["itemType"]))
        elif isinstance(ours, dict):
            if kind != "AnyType" and "additionalProperties" not in theirs:
                yield f"{path}: anything against {kind}"
        else:
            yield from simple(path, ours, theirs)

    def objects(self, path: str, ours: Object, theirs: Any) -> Iterator[str]:
        if theirs["$type"] != "ObjectType":
            yield f"{path}: an object against {theirs['$type']}"
        else:
            yield from self.fields(path, ours.fields, theirs.get("properties", {}))

    def stated(self, table: dict[str, str], path: str, seen: set[str]) -> bool:
        """Return whether a difference is in a table; its rows name a type, a path, or the end of one after `…`."""
        for row in table:
            kind, _, place = row.rpartition(" ")
            ends = path == place or (place.startswith(("…", "[]")) and path.endswith(place.lstrip("…")))
            if ends and kind in ("", self.kind):
                seen.add(row)
                return True
        return False


def bare(shape: Any) -> Any:
    while isinstance(shape, Needed | Demanded | Since | Ignored | Echoed | Fixed):
        shape = shape.shape
    return shape


def literals(comparison: Comparison, theirs: Any) -> set[str]:
    elements = [comparison.at(each) for each in theirs["elements"]] if theirs["$type"] == "UnionType" else [theirs]
    return {each["value"] for each in elements if each["$type"] == "StringLiteralType"}


def simple(path: str, ours: Any, theirs: Any) -> Iterator[str]:
    kinds = {str: "StringType", bool: "BooleanType", int: "IntegerType", float: "IntegerType", object: "AnyType"}
    made = {Whole: "IntegerType", Text: "StringType"}
    expected = made[type(ours)] if type(ours) in made else kinds[ours]
    if theirs["$type"] != expected:
        yield f"{path}: {ours} against {theirs['$type']}"
    limits = {"minValue": "least", "maxValue": "most", "minLength": "shortest", "maxLength": "longest"}
    for name, our_name in limits.items():
        if name in theirs and getattr(ours, our_name, None) != theirs[name]:
            yield f"{path}: {name} is {theirs[name]}"


needs_types = pytest.mark.skipif(not TYPES.is_dir(), reason="Microsoft's types are not part of the project")


@needs_types
@pytest.mark.parametrize("type_", sorted(RESOURCES))
def test_a_table_has_what_microsofts_types_have(type_: str) -> None:
    assert Comparison(type_).whole(RESOURCES[type_]) == []


@needs_types
def test_every_stated_difference_is_one() -> None:
    stricter: set[str] = set()
    extra: set[str] = set()
    for type_, table in RESOURCES.items():
        comparison = Comparison(type_)
        comparison.whole(table)
        stricter |= comparison.stricter
        extra |= comparison.extra

    assert (sorted(set(STRICTER) - stricter), sorted(set(NOT_IN_TYPES) - extra)) == ([], [])


@needs_types
def test_a_table_that_differs_is_told() -> None:
    lock = RESOURCES["microsoft.authorization/locks"]
    properties = Object("ManagementLockProperties", level=OneOf("ReadOnly"), notes=int, colour=str)

    assert sorted(Comparison("microsoft.authorization/locks").whole(lock.having(properties=properties))) == [
        "properties.colour: the types do not have it",
        "properties.level: ['ReadOnly'] against ['CanNotDelete', 'NotSpecified', 'ReadOnly']",
        "properties.level: it is required",
        "properties.notes: <class 'int'> against StringType",
        "properties.owners: it is missing",
        "properties: it is required",
    ]
