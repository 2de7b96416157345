"""What the scale-set templates see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provision import arm
from provision.arm import ResourceId
from provision.boot import CustomData
from provision.environment import Pool
from provision.render.place import Place, Resource
from provision.topology import ScaleSet


@dataclass(frozen=True, slots=True)
class MarketplaceImage:
    """An image by its four names."""

    publisher: str
    offer: str
    sku: str
    version: str


@dataclass(frozen=True, slots=True)
class DataDisk:
    """An empty managed disk; `lun` is its number on the node."""

    lun: int
    size_gib: int
    type: str


@dataclass(frozen=True, slots=True)
class Extension:
    """A VM extension; `after` are those that must be done before it."""

    name: str
    publisher: str
    type: str
    version: str
    auto_upgrade: bool
    settings: Mapping[str, Any]
    after: tuple[str, ...]


#: Tells Azure whether a node is healthy, without which it does not roll. A set can have one source of health only.
HEALTH = Extension(
    name="health",
    publisher="Microsoft.ManagedServices",
    type="ApplicationHealthLinux",
    version="1.0",
    auto_upgrade=True,
    settings={"protocol": "tcp", "port": 22},
    after=(),
)


@dataclass(frozen=True, slots=True)
class ScaleSetLayout:
    """The value `scale_set` of the scale-set templates. `custom_data` is None where there is nothing to say at boot.

    Either `image` or `image_id` is None. `identities` are by their ids. `security_group_id` is None in an existing
    subnet, whose owner decides what is let in.
    """

    location: str
    tags: Mapping[str, str]
    resource: Resource
    size: str
    nodes: int
    zone: str | None
    identities: Mapping[str, Mapping[str, str]]
    infiniband: bool
    rolling: bool
    spot: bool
    platform_fault_domains: int
    interface: str
    ip_configuration: str
    computer_name_prefix: str
    admin_user: str
    ssh_key_path: str
    ssh_public_key: str
    custom_data: str | None
    image: MarketplaceImage | None
    image_id: str | None
    ephemeral_os_disk: bool
    os_disk_size_gib: int | None
    data_disks: tuple[DataDisk, ...]
    subnet_id: ResourceId
    security_group_id: ResourceId | None
    public_ip: bool
    extensions: tuple[Extension, ...]


def scale_set_layout(
    place: Place, scale_set: ScaleSet, security_group: ResourceId | None, boot: CustomData | None
) -> ScaleSetLayout:
    """Return the layout of a scale set; `boot` is its custom data."""
    settings = scale_set.settings
    from_gallery = settings.image.startswith("/")
    return ScaleSetLayout(
        location=place.region.name,
        tags=place.tags(scale_set.unit),
        resource=place.resource(arm.SCALE_SETS, scale_set.name, symbol="scaleSet"),
        size=scale_set.size.name,
        nodes=scale_set.nodes,
        zone=scale_set.zone,
        identities={id: {} for id in sorted(settings.identities)},
        infiniband=scale_set.infiniband,
        rolling=settings.upgrade == "rolling",
        spot=settings.priority == "spot",
        platform_fault_domains=scale_set.platform_fault_domains,
        interface=scale_set.interface,
        ip_configuration=scale_set.ip_configuration,
        computer_name_prefix=scale_set.computer_name_prefix,
        admin_user=settings.admin_user,
        ssh_key_path=f"/home/{settings.admin_user}/.ssh/authorized_keys",
        ssh_public_key=scale_set.ssh_public_key,
        custom_data=None if boot is None else boot.encoded,
        image=None if from_gallery else MarketplaceImage(*settings.image.split(":")),
        image_id=settings.image if from_gallery else None,
        ephemeral_os_disk=settings.os_disk.kind == "ephemeral",
        os_disk_size_gib=settings.os_disk.size_gib,
        data_disks=_data_disks(settings),
        subnet_id=place.region.nodes_subnet,
        security_group_id=security_group,
        public_ip=settings.public_ip,
        extensions=_extensions(settings),
    )


def _data_disks(settings: Pool) -> tuple[DataDisk, ...]:
    """Return the data disks, numbered by their place in the file."""
    types = {"premium": "Premium_LRS", "standard": "Standard_LRS"}
    return tuple(DataDisk(lun, disk.size_gib, types[disk.kind]) for lun, disk in enumerate(settings.data_disks))


def _extensions(settings: Pool) -> tuple[Extension, ...]:
    """Return the extensions by name, so that their order in the file changes nothing."""
    own = [
        Extension(
            name=name,
            publisher=each.publisher,
            type=each.type,
            version=each.version,
            auto_upgrade=each.auto_upgrade,
            settings=each.settings,
            after=tuple(sorted(each.after)),
        )
        for name, each in settings.extensions.items()
    ]
    return tuple(sorted((*own, HEALTH) if settings.upgrade == "rolling" else own, key=lambda each: each.name))
