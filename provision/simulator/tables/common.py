"""Parts that bodies of several providers have in common."""

from __future__ import annotations

from provision.simulator.bodies.shapes import READ_ONLY, TAGS, Each, Echoed, Needed, Object, OneOf, Shape

ENVELOPE: dict[str, Shape] = dict.fromkeys(("id", "name", "type", "apiVersion", "etag", "systemData"), READ_ONLY)
"""Keys at the top of every resource that may come back as they were read."""

TRACKED: dict[str, Shape] = {**ENVELOPE, "location": Needed(str), "tags": TAGS}
"""The same for resources that have a location and tags of their own."""

EXTENDED_LOCATION = Object("ExtendedLocation", name=str, type=OneOf("EdgeZone", name="ExtendedLocationTypes"))
PLAN = Object("Plan", name=str, publisher=str, product=str, promotionCode=str)
DELETE_OPTION = OneOf("Delete", "Detach", name="DeleteOptions")
USED_IDENTITY = Object("UserAssignedIdentityValue", principalId=Echoed(str), clientId=Echoed(str))


def identity(*types: str) -> Object:
    """Return the identities that a resource may have, of the kinds that its type takes."""
    return Object(
        "Identity",
        principalId=READ_ONLY,
        tenantId=READ_ONLY,
        type=OneOf(*types, name="ResourceIdentityType"),
        userAssignedIdentities=Each(USED_IDENTITY),
    )
