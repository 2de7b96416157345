"""What the real Azure gave back for a body is no change against that body, and whatever differs in it is one.

The recordings lie outside the project (they are other people's), so these tests skip where they are not there. Those of
2020 hold no requests; of them a body is what was answered at once, without what only Azure writes, and it is compared
with what was read later, when Azure spells some of it otherwise.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from provision.adapters.policies import load_policies
from provision.arm import GROUPS, ResourceId
from provision.catalog.changes import TypePolicies
from provision.plan.diff import differences
from tests.simulator.recordings import FILES, FOLDER, stripped

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the recordings are not part of the project")

#: What of a body is written at the top of a resource by Azure alone.
_ENVELOPE = ("id", "name", "type", "etag")

#: Where Azure really changed what was sent, by the end of the id and the path.
NORMALISED = {
    ("vmss72600", "properties.virtualMachineProfile.billingProfile.maxPrice"): "a later request set another price",
}


@dataclass(frozen=True)
class Body:
    """A body as it was sent, and one that Azure gave back for it."""

    file: str
    exchange: int
    id: ResourceId
    sent: Mapping[str, Any]
    returned: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.file}-{self.exchange}-{self.id.name}"

    @property
    def rows(self) -> TypePolicies:
        return load_policies().of(self.id.type)


def bodies() -> Iterator[Body]:
    """Yield each body that came back of a resource that was put and whose type we know."""
    known = load_policies().types
    for file in FILES if FOLDER.is_dir() else ():
        sent: dict[str, Mapping[str, Any]] = {}
        for number, each in enumerate(json.loads((FOLDER / f"{file}.json").read_text("utf-8"))["exchanges"]):
            for found in resources_in(each["response_body"]):
                id = ResourceId(found["id"])
                type = id.type or GROUPS
                if type.lower() not in known:
                    continue
                if each["method"] == "PUT":
                    answered = {key: value for key, value in found.items() if key not in _ENVELOPE}
                    sent.setdefault(id.key, each.get("request_body") or stripped(answered))
                if id.key in sent:
                    yield Body(file, number, id, sent[id.key], found)


def resources_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield what looks like a resource in an answer: the body itself, the elements of a list, and what lies in them."""
    if isinstance(value, dict):
        if isinstance(value.get("id"), str) and value["id"].startswith("/subscriptions/") and "properties" in value:
            yield value
        for inner in value.values():
            yield from resources_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from resources_in(inner)


def differing(body: Body, returned: Mapping[str, Any]) -> list[str]:
    found = differences(body.sent, returned, body.sent, body.rows)
    return [each.path for each in found if (body.id.name, each.path) not in NORMALISED]


def leaves(path: str, value: Any, rows: TypePolicies) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield each scalar of a body: its path as plans write it, and the keys that lead to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            for where, keys in leaves(f"{path}.{key}" if path else key, inner, rows):
                yield where, (key, *keys)
    elif isinstance(value, list):
        row = rows.exactly(path)
        for index, inner in enumerate(value):
            name = inner[row.key] if row.key and isinstance(inner, dict) else index
            for where, keys in leaves(path if row.set else f"{path}[{name}]", inner, rows):
                yield where, (index, *keys)
    else:
        yield path, ()


BODIES = list(bodies())


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_what_azure_gave_back_is_no_change_against_what_was_sent(body: Body) -> None:
    assert differing(body, body.returned) == []


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_any_stated_value_that_differs_in_it_is_exactly_one_change(body: Body) -> None:
    tried = 0
    for path, keys in leaves("", body.sent, body.rows):
        if keys[-1] in ("id", "name") and any(isinstance(key, int) for key in keys[-2:-1]):
            continue  # what tells elements apart: another one is another element
        returned: Any = copy.deepcopy(dict(body.returned))
        holder = returned
        try:
            for key in keys[:-1]:
                holder = holder[key]
            value = holder[keys[-1]]
        except (KeyError, IndexError):
            continue  # what never comes back
        holder[keys[-1]] = not value if isinstance(value, bool) else f"{value}-other"
        if path not in body.rows.hidden and not body.rows.exactly(path).words:
            assert differing(body, returned) == [path] or (body.id.name, path) in NORMALISED
            tried += 1
    assert tried


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_ids_in_another_casing_are_no_change_and_tags_are(body: Body) -> None:
    shouted = json.loads(json.dumps(body.returned), object_hook=with_loud_ids)
    tagged = {**body.returned, "tags": {"owner": "ML"}}

    assert differing(body, shouted) == []
    assert [each.path for each in differences({"tags": {"owner": "ml"}}, tagged, None, body.rows)] == ["tags.owner"]


def with_loud_ids(value: dict[str, Any]) -> dict[str, Any]:
    return {key: inner.upper() if key == "id" and isinstance(inner, str) else inner for key, inner in value.items()}
