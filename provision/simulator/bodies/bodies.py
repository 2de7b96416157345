"""Request bodies of resources: how one is read by its type's table, how one is merged onto another."""

from __future__ import annotations

import copy
import json
from typing import Any

from provision.simulator.bodies import manners, reading
from provision.simulator.bodies.manners import Manner
from provision.simulator.bodies.reading import How, Misfit
from provision.simulator.bodies.shapes import TAGS, Needed, Object, Shape
from provision.simulator.refusals.errors import Refusal, no_location, unknown_location
from provision.simulator.state.facts import limit, location_name, regions
from provision.simulator.tables import RESOURCES
from provision.simulator.wire.messages import Json

_MANNERS: dict[str, Manner] = {
    "microsoft.compute": manners.compute,
    "microsoft.network": manners.network_service,
    "microsoft.storagecache": manners.compute,
    "microsoft.managedidentity": manners.compute,
}
"""Who words refusals in which way; all others are Resource Manager's own."""

_ENVELOPE = frozenset(
    {
        *("id", "name", "type", "apiversion", "etag", "systemdata", "location", "tags", "properties"),
        *("sku", "kind", "managedby", "plan", "identity", "zones", "extendedlocation", "placement"),
    }
)
"""The top-level keys that Resource Manager knows of any resource. It refuses others before a provider sees them."""

_MEANINGLESS = frozenset({"kind", "managedby"})
"""Keys of the envelope that no provider here looks at."""


def read(type_: str, body: Any, text: str = "", how: How = How()) -> Json:
    """Return what can be written of a body, as Azure spells it; refuse a body that cannot be one of `type_`.

    `text` is the body as it was sent, for the places that messages name; a deployment's bodies have none.
    """
    table = RESOURCES[type_.lower()]
    text = text or json.dumps(body, separators=(",", ":"))
    if not isinstance(body, dict):
        raise manners.gateway(Misfit(reading.WRONG_TYPE, (), body, "ResourceDefinition"), text)
    for key in body:
        if key.lower() not in _ENVELOPE and key.lower() not in table.spelled:
            raise manners.gateway(Misfit(reading.UNKNOWN, (key,), expected="ResourceDefinition"), text)
    known = {key: value for key, value in body.items() if key.lower() not in _MEANINGLESS - table.spelled.keys()}
    envelope = Object("ResourceDefinition", location=str, tags=TAGS)
    top = fit(envelope, {key: known[key] for key in known if key.lower() in envelope.spelled}, text, how)
    if isinstance(table.fields.get("location"), Needed) and not how.partial and not top.get("location"):
        raise no_location()
    check_tags(top.get("tags"))
    namespace = type_.lower().partition("/")[0]
    found: Json = fit(table, known, text, how, _MANNERS.get(namespace, manners.gateway))
    return found


def fit(shape: Shape, body: Any, text: str = "", how: How = How(), manner: Manner = manners.gateway) -> Any:
    """Return what can be written of a body; refuse one that is not of its shape."""
    try:
        return reading.read(shape, body, how)
    except Misfit as found:
        raise manner(found, text or json.dumps(body, separators=(",", ":"))) from found


def check_tags(tags: Any) -> None:
    """Refuse tags that are too many or too long."""
    found = fit(TAGS, tags) or {}
    if len(found) > limit("resource_tags"):
        message = f"The number of tags exceeded the maximum limit of '{limit('resource_tags')}'."
        raise Refusal(400, "InvalidTagsCount", message)
    if any(len(name) > limit("tag_name_characters") for name in found):
        raise Refusal(400, "InvalidTagName", "A tag name is longer than the allowed limit.")
    if any(len(value) > limit("tag_value_characters") for value in found.values()):
        message = f"A tag value is longer than the allowed limit of '{limit('tag_value_characters')}' characters."
        raise Refusal(400, "InvalidTagValueLength", message)


def location_of(body: Json, type_: str) -> str:
    """Return the location by its short name; refuse one that Azure does not have."""
    text = body.get("location")
    if not isinstance(text, str) or not text:
        raise no_location()
    name = location_name(text)
    if name not in regions():
        raise unknown_location(text, type_, sorted(regions()))
    return name


def merged(before: Any, change: Any) -> Any:
    """Return `change` laid deeply onto `before`: lists replace as wholes, an explicit null takes away."""
    if not isinstance(before, dict) or not isinstance(change, dict):
        return without_nulls(change)
    result = dict(before)
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def without_nulls(value: Any) -> Any:
    """Return a copy without keys that hold null: in a write they mean nothing, and Azure does not show them."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    return copy.copy(value)


def at_path(value: Any, path: str) -> Any:
    """Return what stands at a dotted path, or None."""
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value
