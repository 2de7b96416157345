"""What templates see: plain frozen values, each as the template writes it. Decides no name and no number.

The choices that are no one's to make stand in the templates; the environment's choices come from the topology.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from provision.boot import custom_data_of
from provision.catalog import Catalog
from provision.render.network_layouts import network_layout, peering_layouts
from provision.render.own_layouts import own_unit_layout
from provision.render.place import Place
from provision.render.scale_set_layouts import scale_set_layout
from provision.render.storage_layouts import storage_layout
from provision.source import Path, dotted
from provision.topology import OwnUnit, Region, Topology, names

#: What a unit is known by: its region and its name in it.
UnitKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class UnitLayout:
    """One deployment unit before it is rendered: which templates (`folder`), and what they see.

    `after` are the units, of this region or of others, that must stand before. `own`: it is a unit of one's own.
    """

    region: str
    group: str
    name: str
    after: tuple[UnitKey, ...]
    folder: str
    context: Mapping[str, object]
    pool: str | None
    nodes: int
    gpus: int | None
    protect: bool
    origin: Path
    own: OwnUnit | None = None

    @property
    def subject(self) -> str:
        """Return what the unit is made for, as messages name it: `pools.train in westus3`."""
        return f"{dotted(self.origin)} in {self.region}"


def layouts(topology: Topology, catalog: Catalog) -> Iterator[UnitLayout]:
    """Yield every unit's layout, each behind those that it waits for.

    By region its network, its storage, its scale sets by pool and index, the units of one's own by name; then each
    region's peerings, which wait for every network.
    """
    pools = topology.pools_by_region()
    for region in topology.regions:
        place = Place(topology, catalog, region)
        boot = {
            pool.name: custom_data_of(topology, region, pool, catalog) for pool in pools[region.name] if pool.scale_sets
        }
        network = None if region.network is None else network_layout(place, region.network)
        behind_network: tuple[UnitKey, ...] = ()
        if network is not None:
            yield _unit(region, names.NETWORK, "network", {"network": network}, origin=("network",))
            behind_network = ((region.name, names.NETWORK),)
        if network is not None and network.lustre_subnet is not None:
            storage = storage_layout(place, network.lustre_subnet.resource.id)
            yield _unit(region, names.STORAGE, "storage", {"storage": storage}, behind_network, origin=("storage",))
        for scale_set in region.scale_sets:
            gpus = scale_set.size.gpus
            group = None if network is None else network.security_group.id
            yield UnitLayout(
                region=region.name,
                group=region.group,
                name=scale_set.unit,
                after=behind_network,
                folder="scale-set",
                context={"scale_set": scale_set_layout(place, scale_set, group, boot[scale_set.pool])},
                pool=scale_set.pool,
                nodes=scale_set.nodes,
                gpus=None if gpus is None else gpus * scale_set.nodes,
                protect=scale_set.settings.protect,
                origin=scale_set.origin,
            )
        for own in region.own_units:
            own_layout = own_unit_layout(place, own, None if network is None else network.security_group.id)
            context = {"unit": own_layout}
            yield _unit(region, own.unit, own.template, context, behind_network, own=own, origin=own.origin)
    networks = tuple((region.name, names.NETWORK) for region in topology.regions if region.network is not None)
    for region in topology.regions:
        if region.network is not None and region.peerings:
            peerings = peering_layouts(Place(topology, catalog, region), region.network)
            origin = region.peerings[0].origin
            yield _unit(region, names.PEERING, "peering", {"peerings": peerings}, networks, origin=origin)


def _unit(
    region: Region,
    name: str,
    folder: str,
    context: Mapping[str, object],
    after: tuple[UnitKey, ...] = (),
    *,
    own: OwnUnit | None = None,
    origin: Path,
) -> UnitLayout:
    """Return the layout of a unit without nodes."""
    return UnitLayout(
        region=region.name,
        group=region.group,
        name=name,
        after=after,
        folder=folder,
        context=context,
        pool=None,
        nodes=0,
        gpus=0,
        protect=False,
        origin=origin,
        own=own,
    )
