"""What templates see: plain frozen values, each as the template writes it. Decides no name and no number.

The choices that are no one's to make stand in the templates; the environment's choices come from the topology.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from provision import arm
from provision.arm import ResourceId, resource_id
from provision.catalog import Catalog
from provision.render.bicep import Identifier
from provision.render.cloud_init import custom_data
from provision.source import Path, dotted
from provision.topology import Region, ScaleSet, Topology
from provision.topology.names import MARK


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource as it is declared.

    `name` has its parents' names in front, as ARM JSON wants it, `own_name` has not; `declaration` is TYPE@VERSION;
    `depends_on` has the parent, `depends_on_symbols` has not: Bicep knows.
    """

    id: ResourceId
    type: str
    api_version: str
    name: str
    own_name: str
    declaration: str
    symbol: Identifier
    depends_on: tuple[ResourceId, ...]
    depends_on_symbols: tuple[Identifier, ...]


@dataclass(frozen=True, slots=True)
class NetworkLayout:
    """The value `network` of the network templates."""

    location: str
    tags: Mapping[str, str]
    security_group: Resource
    ssh_from: tuple[str, ...]
    addresses: tuple[Resource, ...]
    nat_gateway: Resource | None
    virtual_network: Resource
    address_space: str
    subnet: Resource
    subnet_range: str


@dataclass(frozen=True, slots=True)
class Image:
    """A marketplace image."""

    publisher: str
    offer: str
    sku: str
    version: str


@dataclass(frozen=True, slots=True)
class ScaleSetLayout:
    """The value `scale_set` of the scale-set templates. `custom_data` is None where there is nothing to say at boot."""

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
    security_group_id: ResourceId


@dataclass(frozen=True, slots=True)
class UnitLayout:
    """One deployment unit before it is rendered: which templates (`folder`), and what they see.

    `after` are the units of the same region that must stand before.
    """

    region: str
    group: str
    name: str
    after: tuple[str, ...]
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
    """Yield every unit's layout: by region, its network first, then its scale sets by pool and index."""
    boot = {
        share.name: custom_data(share.size, pool=share.name, limit=catalog.limits["custom_data_bytes"])
        for share in {share.name: share for share in topology.pools}.values()
    }
    for region in topology.regions:
        place = _Place(topology, catalog, region)
        network = place.network()
        yield UnitLayout(
            region=region.name,
            group=region.group,
            name=region.network.unit,
            after=(),
            folder="network",
            context={"network": network},
            pool=None,
            nodes=0,
            gpus=0,
            protect=False,
            origin=("network",),
        )
        for scale_set in region.scale_sets:
            gpus = scale_set.size.gpus
            yield UnitLayout(
                region=region.name,
                group=region.group,
                name=scale_set.unit,
                after=(region.network.unit,),
                folder="scale-set",
                context={"scale_set": place.scale_set(scale_set, network, boot[scale_set.pool])},
                pool=scale_set.pool,
                nodes=scale_set.nodes,
                gpus=None if gpus is None else gpus * scale_set.nodes,
                protect=scale_set.settings.protect,
                origin=scale_set.origin,
            )


@dataclass(frozen=True, slots=True)
class _Place:
    """A region of a topology: what its resources are named after."""

    topology: Topology
    catalog: Catalog
    region: Region

    def network(self) -> NetworkLayout:
        network = self.region.network
        group = self._resource(arm.SECURITY_GROUPS, network.security_group, symbol="securityGroup")
        addresses = tuple(
            self._resource(arm.PUBLIC_ADDRESSES, name, symbol=f"natAddress{index}")
            for index, name in enumerate(network.nat_addresses)
        )
        nat = network.nat_gateway and self._resource(
            arm.NAT_GATEWAYS, network.nat_gateway, symbol="natGateway", after=addresses
        )
        virtual_network = self._resource(arm.VIRTUAL_NETWORKS, network.virtual_network, symbol="virtualNetwork")
        subnet = self._resource(
            arm.SUBNETS,
            network.virtual_network,
            network.subnet,
            symbol="nodesSubnet",
            parent=virtual_network,
            after=(group, nat) if nat else (group,),
        )
        return NetworkLayout(
            location=self.region.name,
            tags=self._tags(network.unit),
            security_group=group,
            ssh_from=network.ssh_from,
            addresses=addresses,
            nat_gateway=nat or None,
            virtual_network=virtual_network,
            address_space=network.address_space,
            subnet=subnet,
            subnet_range=network.subnet_range,
        )

    def scale_set(self, scale_set: ScaleSet, network: NetworkLayout, boot: str | None) -> ScaleSetLayout:
        settings = scale_set.settings
        return ScaleSetLayout(
            location=self.region.name,
            tags=self._tags(scale_set.unit),
            resource=self._resource(arm.SCALE_SETS, scale_set.name, symbol="scaleSet"),
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
            subnet_id=network.subnet.id,
            security_group_id=network.security_group.id,
        )

    def _tags(self, unit: str) -> Mapping[str, str]:
        return {**self.topology.tags, MARK: f"{self.topology.environment}/{unit}"}

    def _resource(
        self,
        type: str,
        *names: str,
        symbol: str,
        parent: Resource | None = None,
        after: tuple[Resource, ...] = (),
    ) -> Resource:
        version = self.catalog.api_versions[type]
        id = resource_id(self.topology.subscription, self.region.group, type, *names)
        return Resource(
            id=id,
            type=type,
            api_version=version,
            name="/".join(names),
            own_name=names[-1],
            declaration=f"{type}@{version}",
            symbol=Identifier(symbol),
            depends_on=tuple(other.id for other in ((parent, *after) if parent else after)),
            depends_on_symbols=tuple(other.symbol for other in after),
        )
