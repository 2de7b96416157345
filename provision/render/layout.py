"""What templates see: plain frozen values, each as the template writes it. Decides no name and no number.

The choices that are no one's to make stand in the templates; the environment's choices come from the topology.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from provision import arm
from provision.arm import ResourceId
from provision.catalog import Catalog
from provision.render.cloud_init import custom_data
from provision.render.network_layouts import network_layout, peering_layouts
from provision.render.place import Place, Resource
from provision.render.storage_layouts import storage_layout
from provision.source import Path, dotted
from provision.topology import Region, ScaleSet, Topology, names

#: What a unit is known by: its region and its name in it.
UnitKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Image:
    """A marketplace image."""

    publisher: str
    offer: str
    sku: str
    version: str


@dataclass(frozen=True, slots=True)
class ScaleSetLayout:
    """The value `scale_set` of the scale-set templates. `custom_data` is None where there is nothing to say at boot.

    `security_group_id` is None in an existing subnet, whose owner decides what is let in.
    """

    location: str
    tags: Mapping[str, str]
    resource: Resource
    size: str
    nodes: int
    zone: str | None
    infiniband: bool
    rolling: bool
    spot: bool
    computer_name_prefix: str
    admin_user: str
    ssh_key_path: str
    ssh_public_key: str
    custom_data: str | None
    image: Image
    ephemeral_os_disk: bool
    os_disk_size_gib: int | None
    subnet_id: ResourceId
    security_group_id: ResourceId | None


@dataclass(frozen=True, slots=True)
class UnitLayout:
    """One deployment unit before it is rendered: which templates (`folder`), and what they see.

    `after` are the units, of this region or of others, that must stand before.
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

    @property
    def subject(self) -> str:
        """Return what the unit is made for, as messages name it: `pools.train in westus3`."""
        return f"{dotted(self.origin)} in {self.region}"


def layouts(topology: Topology, catalog: Catalog) -> Iterator[UnitLayout]:
    """Yield every unit's layout, each behind those that it waits for.

    By region its network, its storage, its scale sets by pool and index; then each region's peerings, which wait for
    every network.
    """
    boot = {
        share.name: custom_data(share.size, pool=share.name, limit=catalog.limits["custom_data_bytes"])
        for share in {share.name: share for share in topology.pools}.values()
    }
    for region in topology.regions:
        place = Place(topology, catalog, region)
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
    )


def scale_set_layout(
    place: Place, scale_set: ScaleSet, security_group: ResourceId | None, boot: str | None
) -> ScaleSetLayout:
    """Return the layout of a scale set; `boot` is its custom data."""
    settings = scale_set.settings
    return ScaleSetLayout(
        location=place.region.name,
        tags=place.tags(scale_set.unit),
        resource=place.resource(arm.SCALE_SETS, scale_set.name, symbol="scaleSet"),
        size=scale_set.size.name,
        nodes=scale_set.nodes,
        zone=scale_set.zone,
        infiniband=scale_set.infiniband,
        rolling=settings.upgrade == "rolling",
        spot=settings.priority == "spot",
        computer_name_prefix=scale_set.computer_name_prefix,
        admin_user=settings.admin_user,
        ssh_key_path=f"/home/{settings.admin_user}/.ssh/authorized_keys",
        ssh_public_key=scale_set.ssh_public_key,
        custom_data=boot,
        image=Image(*settings.image.split(":")),
        ephemeral_os_disk=settings.os_disk.kind == "ephemeral",
        os_disk_size_gib=settings.os_disk.size_gib,
        subnet_id=place.region.nodes_subnet,
        security_group_id=security_group,
    )
