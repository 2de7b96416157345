"""What Azure may do to any answer that it reads out: ids in another casing, lists in another order.

Both are off unless the tester sets `caseDrift` or `shuffle`. They follow from what is shown alone, so that the same
requests still give the same bytes. What the client wrote comes back as it was: parameters, templates, tags.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from provision.simulator.state.world import World
from provision.simulator.wire.messages import Json, Reply

T = TypeVar("T")

_GIVEN = frozenset({"parameters", "template", "outputs", "tags", "nextLink"})
_GROUP = re.compile(r"/resourceGroups/([^/]+)", re.IGNORECASE)
_NAMESPACE = re.compile(r"/providers/(Microsoft\.[^/]+)", re.IGNORECASE)


def worn(world: World, reply: Reply) -> Reply:
    """Return the reply as the settings want it."""
    drift, shuffle = world.setting("caseDrift", False), world.setting("shuffle", False)
    if reply.body is None or not (drift or shuffle):
        return reply
    return replace(reply, body=_worn(reply.body, drift=drift, shuffle=shuffle, inside=""))


def ordered(world: World, rows: list[T], show: Callable[[T], Json]) -> list[T]:
    """Return the rows of a list, before it is cut into pages, in another order where the settings want that."""
    if not world.setting("shuffle", False):
        return rows
    return sorted(rows, key=lambda row: _hash(_name(show(row))))


def _worn(value: Any, *, drift: bool, shuffle: bool, inside: str) -> Any:
    if isinstance(value, dict):
        # What stands beside an id makes one id drift differently from place to place.
        place = f"{inside}/{value.get('name', '')}"
        return {
            _drifted(key, place) if drift else key: each
            if key in _GIVEN
            else _worn(each, drift=drift, shuffle=shuffle, inside=f"{place}/{key}")
            for key, each in value.items()
        }
    if isinstance(value, list):
        found = [_worn(each, drift=drift, shuffle=shuffle, inside=inside) for each in value]
        named = all(isinstance(each, dict) and ("id" in each or "name" in each) for each in found)
        return sorted(found, key=lambda each: _hash(_name(each))) if shuffle and named else found
    return _drifted(value, inside) if drift and isinstance(value, str) else value


def _drifted(text: str, place: str) -> str:
    """Return an id in one of the casings that Azure is known to use; anything else as it is."""
    if not text.lower().startswith("/subscriptions/"):
        return text
    way = int(_hash(f"{place}|{text.lower()}")[:2], 16) % 4
    if way == 1:
        return _GROUP.sub(lambda found: f"/resourceGroups/{found[1].upper()}", text)
    if way == 2:
        return _GROUP.sub(lambda found: f"/resourcegroups/{found[1]}", text)
    if way == 3:
        return _NAMESPACE.sub(lambda found: f"/providers/{found[1].lower()}", text)
    return text


def _name(body: Json) -> str:
    return f"{body.get('id', '')}|{body.get('name', '')}".lower()


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
