"""Decides the deployment units of one's own in a region. Their names and order are the environment's own."""

from __future__ import annotations

from provision.environment import Environment
from provision.topology.model import OwnResource, OwnUnit


def own_units_of(environment: Environment, region: str) -> tuple[OwnUnit, ...]:
    """Return the units of one's own in a region, by name."""
    return tuple(
        OwnUnit(
            unit=name,
            template=unit.template or name,
            zone=environment.regions[region].zone,
            resources=tuple(
                OwnResource(key, each.type, each.api_version, each.name, each.after)
                for key, each in unit.resources.items()
            ),
            values=unit.values,
            in_place=unit.in_place,
            origin=("units", name),
        )
        for name, unit in sorted(environment.units.items())
        if unit.regions is None or region in unit.regions
    )
