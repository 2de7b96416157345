"""What templates of one's own see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provision.arm import ResourceId, group_id, resource_id
from provision.render.place import Place, Resource
from provision.topology import OwnUnit


@dataclass(frozen=True, slots=True)
class OwnUnitLayout:
    """The value `unit` of a template of one's own.

    `resources` are by their keys in the environment file, in the order of making; `values` are the file's. `zone` is
    None where the region states none, `security_group_id` in an existing subnet, whose owner decides what is let in.
    """

    name: str
    location: str
    zone: str | None
    tags: Mapping[str, str]
    resources: Mapping[str, Resource]
    values: Mapping[str, Any]
    group: str
    group_id: ResourceId
    virtual_network_id: ResourceId
    nodes_subnet_id: ResourceId
    security_group_id: ResourceId | None


def own_unit_layout(place: Place, unit: OwnUnit, security_group: ResourceId | None) -> OwnUnitLayout:
    """Return the layout of a unit of one's own; `security_group` is that of the region's nodes."""
    region = place.region
    return OwnUnitLayout(
        name=unit.unit,
        location=region.name,
        zone=unit.zone,
        tags=place.tags(unit.unit),
        resources=_resources(place, unit),
        values=unit.values,
        group=region.group,
        group_id=group_id(place.topology.subscription, region.group),
        virtual_network_id=region.nodes_subnet.parent,
        nodes_subnet_id=region.nodes_subnet,
        security_group_id=security_group,
    )


def _resources(place: Place, unit: OwnUnit) -> Mapping[str, Resource]:
    """Return the declarations by key: each depends on its parent, and on what it comes after."""
    found: dict[str, Resource] = {}
    for each in unit.resources:
        made = {other.id.key: other for other in found.values()}
        names = each.name.split("/")
        id = resource_id(place.topology.subscription, place.region.group, each.type, *names)
        parent = made.get(id.parent.key)
        found[each.key] = place.resource(
            each.type,
            *names,
            symbol=each.key,
            parent=parent,
            after=tuple(found[key] for key in dict.fromkeys(each.after) if found[key] is not parent),
            api_version=each.api_version,
        )
    return found
