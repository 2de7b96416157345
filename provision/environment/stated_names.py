"""The names in Azure that an environment file states, instead of those that topology derives; each with its path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from provision import arm
from provision.environment.model import Environment
from provision.source import Path

#: The type of what each key of a region's `names` names.
OF_REGIONS = {
    "virtual_network": arm.VIRTUAL_NETWORKS,
    "nodes_subnet": arm.SUBNETS,
    "lustre_subnet": arm.SUBNETS,
    "security_group": arm.SECURITY_GROUPS,
    "nat_gateway": arm.NAT_GATEWAYS,
    "bastion": arm.BASTIONS,
    "bastion_address": arm.PUBLIC_ADDRESSES,
}


class StatedName(NamedTuple):
    """A name, where it is stated, for which region and what type of resource. `type` is empty of a name in a model."""

    at: Path
    region: str
    type: str
    name: str


def stated_names(environment: Environment) -> Iterator[StatedName]:
    """Yield each name that the file states, by region in the file's order, then those of storage."""
    for region, stated in environment.regions.items():
        at: Path = ("regions", region, "names")
        for key, type in OF_REGIONS.items():
            if (name := getattr(stated.names, key)) is not None:
                yield StatedName((*at, key), region, type, name)
        for number, name in enumerate(stated.names.nat_addresses):
            yield StatedName((*at, "nat_addresses", number), region, arm.PUBLIC_ADDRESSES, name)
        for other, name in stated.names.peerings.items():
            yield StatedName((*at, "peerings", other), region, arm.PEERINGS, name)
        for pool, here in stated.pools.items():
            for number, each in enumerate(here.scale_sets):
                place = ("regions", region, "pools", pool, "scale_sets", number)
                yield StatedName((*place, "name"), region, arm.SCALE_SETS, each.name)
                for key in ("interface", "ip_configuration"):
                    if (name := getattr(each, key)) is not None:
                        yield StatedName((*place, key), region, "", name)
    for key, storage in environment.storage.items():
        if storage.name is not None:
            yield StatedName(("storage", key, "name"), storage.region, arm.FILE_SYSTEMS, storage.name)
