"""The typed environment file: what was asked, nothing derived. Its descriptions are the JSON Schema's."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

NAME = r"^[a-z]([a-z0-9-]*[a-z0-9])?$"
GUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
IMAGE = r"^[A-Za-z0-9._-]+:[A-Za-z0-9._-]+:[A-Za-z0-9._-]+:(latest|\d+\.\d+\.\d+)$"
ADMIN = r"^[a-z_][a-z0-9_-]{0,31}$"
_ID = r"/subscriptions/[0-9a-fA-F-]{36}/resourceGroups/[^/\s]+/providers/"
GALLERY = rf"^{_ID}Microsoft\.Compute/galleries/[^/\s]+/images/[^/\s]+/versions/\d+\.\d+\.\d+$"
NETWORK_ID = rf"^{_ID}Microsoft\.Network/virtualNetworks/[^/\s]+$"
SUBNET_ID = rf"^{_ID}Microsoft\.Network/virtualNetworks/[^/\s]+/subnets/[^/\s]+$"
IDENTITY_ID = rf"^{_ID}Microsoft\.ManagedIdentity/userAssignedIdentities/[^/\s]+$"
GROUP = r"^[-\w._()]*[-\w_()]$"  # without its length: to count letters of any script takes long to prepare
MOUNT = r"^/[a-zA-Z0-9_.-]+(/[a-zA-Z0-9_.-]+)*$"
EXTENSION_VERSION = r"^\d+\.\d+$"
FOLDER = r"^[A-Za-z0-9][A-Za-z0-9_-]*$"
RESOURCE_KEY = r"^[a-z][a-z0-9_]*$"
RESOURCE_TYPE = r"^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)+(/[A-Za-z][A-Za-z0-9]*)+$"
RESOURCE_NAME = r"^[^./\s?#%\\][^/\s?#%\\]*(/[^./\s?#%\\][^/\s?#%\\]*)*$"
API_VERSION = r"^\d{4}-\d{2}-\d{2}(-[a-z]+)?$"
PROPERTY_PATH = r"^[A-Za-z][A-Za-z0-9]*(\[[^\]\s]+\]|\.[^\s.\[\]]+)*$"
IGNORED_AT = r"^(network|(regions\.[a-z0-9]+\.)?pools\.[a-z0-9-]+|(regions|storage|units)\.[a-z0-9-]+)$"
PROPERTY = r"^[A-Za-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9]*)*$"

#: Part of file format version 1, so it never changes: a newer default would reimage fleets that never asked for it.
DEFAULT_IMAGE = "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026071501"

#: Each pattern in words, and an example.
PATTERNS = {
    NAME: (
        "small letters, digits and hyphens, beginning with a letter and ending with a letter or digit",
        "h100-train",
    ),
    NETWORK_ID: ("the id of a virtual network in full", "/subscriptions/…/virtualNetworks/hub"),
    IDENTITY_ID: ("the id of a user-assigned identity in full", "/subscriptions/…/userAssignedIdentities/train"),
    GROUP: ("letters, digits and _ - . ( ), not ending with a dot", "rg-given"),
    MOUNT: ("an absolute path of letters, digits and _ . -", "/lustre"),
    EXTENSION_VERSION: ("two numbers, major.minor", "1.29"),
    FOLDER: ("the name of one folder: letters, digits, hyphens and underscores", "netapp-volume"),
    RESOURCE_KEY: ("small letters, digits and underscores, beginning with a letter", "volume"),
    RESOURCE_TYPE: ("a resource type in full, with its namespace", "Microsoft.KeyVault/vaults"),
    RESOURCE_NAME: ("a name, with its parents' names and a slash in front where it is a child", "account/pool"),
    API_VERSION: ("the date of an API version, quoted", "2025-06-01"),
    PROPERTY: ("the path of a property, with dots", "properties.usageThreshold"),
    PROPERTY_PATH: ("the path of a property, as plans write it", "properties.securityRules[office]"),
    IGNORED_AT: ("`network`, or a pool, region, file system or unit by its path", "pools.train"),
    GUID: ("a GUID, 32 hexadecimal digits in five groups", "3f1c9a52-7d8e-4b06-9c41-5e2a7f80d613"),
    IMAGE: ("publisher:offer:sku:version, with a version of three numbers or latest", DEFAULT_IMAGE),
    ADMIN: (
        "1 to 32 small letters, digits, hyphens and underscores, beginning with a letter or underscore",
        "azureuser",
    ),
}


class UnfitError(ValueError):
    """A value that can't be: what is wrong, to follow its path, and how to fix it."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


def _network(text: str) -> str:
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise UnfitError(f"is {text}, which is no IPv4 range", "write one such as 10.0.0.0/16") from None
    if network.version != 4:
        raise UnfitError(f"is {text}, an IPv6 range; only IPv4 is supported", "write an IPv4 range such as 10.0.0.0/16")
    if "/" not in text:
        raise UnfitError(f"is {text}, an address without a prefix length", f"write {text}/32 for this one address")
    if str(network) != text:
        raise UnfitError(f"is {text}, which has bits set behind its prefix", f"write {network}")
    return text


def _network_or_subnet_id(text: str) -> str:
    if text.startswith("/"):
        if re.fullmatch(SUBNET_ID, text, re.IGNORECASE) is None:
            raise UnfitError(
                f"is {text}, which is no subnet's id", "write .../virtualNetworks/NAME/subnets/NAME in full"
            )
        return text
    return _network(text)


def _image(text: str) -> str:
    if re.fullmatch(GALLERY if text.startswith("/") else IMAGE, text, re.IGNORECASE) is None:
        raise UnfitError(
            f"is {text}, which is no image with a version",
            f"write publisher:offer:sku:version, such as {DEFAULT_IMAGE}, or a gallery image version's id in full",
        )
    return text


def _cut_into_blocks(text: str) -> str:
    """Refuse a space whose 128 region blocks would be smaller than /23, or that is larger than Azure's largest."""
    length = int(text.rpartition("/")[2])
    if not 8 <= length <= 16:
        raise UnfitError(
            f"is {text}; it is cut into 128 region blocks of at least /23, so it must be /8 to /16",
            "write a range such as 10.0.0.0/8 or 10.64.0.0/12",
        )
    return text


def _of_a_region(text: str) -> str:
    """Refuse a region's range that Azure would refuse, or that is too small to hold subnets."""
    if not 8 <= int(text.rpartition("/")[2]) <= 26:
        raise UnfitError(f"is {text}; a region's range must be /8 to /26", "write a range such as 10.2.0.0/20")
    return text


def _may_be_empty(part: Any) -> BeforeValidator:
    """Return a validator that takes a key without a value for an empty map."""
    return BeforeValidator(lambda value: {} if value is None else value, json_schema_input_type=part | None)


def _single_or_map(value: Any) -> str:
    """Return the branch of a union that a value is meant for, so that only that branch's errors are told."""
    return "(map)" if isinstance(value, (dict, BaseModel)) else "(single)"


Cidr = Annotated[str, AfterValidator(_network)]
Name = Annotated[str, Field(pattern=NAME)]
Count = Annotated[int, Field(ge=0, le=10_000)]


def _date(value: Any) -> Any:
    """Return the date that a text is; YAML 1.1's own dates are not read as such."""
    if isinstance(value, str):
        try:
            return date.fromisoformat(value) if len(value) == len("2027-03-01") else value
        except ValueError:
            raise UnfitError(
                f"is {value}, a day that there isn't", "write year-month-day, such as 2027-03-01"
            ) from None
    return value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)


class NatGateway(_Part):
    """A NAT gateway for the nodes' way out."""

    addresses: int = Field(
        default=1, ge=1, le=16, examples=[1], description="Public addresses of the gateway, 64,512 SNAT ports each."
    )


class NatOutbound(_Part):
    """The nodes reach the internet through a NAT gateway in each region."""

    nat_gateway: Annotated[NatGateway, _may_be_empty(NatGateway)] = Field(
        examples=[{"addresses": 1}], description="The gateway of each region."
    )


class PeerNetwork(_Part):
    """A virtual network of others that each region's network is peered with."""

    id: Annotated[str, Field(pattern=NETWORK_ID)] = Field(description="The resource id of the virtual network.")
    address_space: tuple[Cidr, ...] = Field(
        min_length=1, examples=[["192.168.0.0/16"]], description="Its IPv4 ranges, so that overlaps are found offline."
    )


class Network(_Part):
    """Addresses, the way out and the way in."""

    address_space: Annotated[Cidr, AfterValidator(_cut_into_blocks)] = Field(
        default="10.0.0.0/8",
        description="Cut into 128 fixed blocks, one a region by the region's permanent number; /8 to /16.",
        examples=["10.0.0.0/8"],
    )
    outbound: Annotated[
        Annotated[NatOutbound, Tag("(map)")] | Annotated[Literal["none"], Tag("(single)")],
        Discriminator(_single_or_map),
    ] = Field(
        default_factory=lambda: NatOutbound(nat_gateway=NatGateway(addresses=1)),
        examples=["none", {"nat_gateway": {"addresses": 1}}],
        description="The nodes' way to the internet: a NAT gateway in each region, or none.",
    )
    ssh_from: tuple[Cidr, ...] = Field(
        default=(),
        examples=[["203.0.113.0/24"]],
        description="IPv4 ranges from which SSH to the nodes is let in, besides the virtual network itself.",
    )
    peering: Literal["none", "mesh"] = Field(
        default="none", description="mesh: the networks of all regions are peered with each other."
    )
    bastion: bool = Field(
        default=False, description="An Azure Bastion in each region: a way in to nodes without public addresses."
    )
    peer_with: dict[Annotated[str, Field(max_length=20, pattern=NAME)], PeerNetwork] = Field(
        default={}, description="Networks of others, by a name of yours; their halves are made by their owners."
    )


class Subnets(_Part):
    """Ranges of a region's subnets, instead of the ones that are derived from its address space."""

    nodes: Annotated[str, AfterValidator(_network_or_subnet_id)] | None = Field(
        default=None,
        examples=["10.2.8.0/22"],
        description="The nodes' range; or the id of a subnet that exists: its network is then left alone.",
    )
    lustre: Cidr | None = Field(default=None, examples=["10.2.4.0/24"], description="The range of managed Lustre.")
    bastion: Cidr | None = Field(
        default=None, examples=["10.2.7.0/26"], description="The range of the bastion, /26 or larger."
    )


class Names(_Part):
    """Names of the network of a region, and of what belongs to it, instead of the derived ones: as they exist."""

    virtual_network: str | None = Field(default=None, examples=["vnet-hpc"], description="The virtual network.")
    nodes_subnet: str | None = Field(default=None, examples=["snet-nodes"], description="The nodes' subnet in it.")
    lustre_subnet: str | None = Field(default=None, examples=["snet-lustre"], description="The subnet of Lustre.")
    security_group: str | None = Field(default=None, examples=["nsg-hpc"], description="The nodes' security group.")
    nat_gateway: str | None = Field(default=None, examples=["ng-hpc"], description="The NAT gateway.")
    nat_addresses: tuple[str, ...] = Field(
        default=(), examples=[["pip-ng-hpc"]], description="Its public addresses, the first ones first."
    )
    bastion: str | None = Field(default=None, examples=["bas-hpc"], description="The bastion.")
    bastion_address: str | None = Field(default=None, examples=["pip-bas-hpc"], description="Its public address.")
    peerings: dict[str, str] = Field(
        default={},
        examples=[{"hub": "peer-hub"}],
        description="This network's halves of peerings, by the other end: a region, or a name of network.peer_with.",
    )


class NamedScaleSet(_Part):
    """A scale set's own name, and what Azure fixed of it when it was made, instead of what is derived."""

    name: str = Field(examples=["vmss-h100-a"], description="Its name.")
    computer_name_prefix: str | None = Field(
        default=None, examples=["h100a"], description="What its nodes' host names begin with."
    )
    platform_fault_domains: int | None = Field(
        default=None, ge=1, le=5, examples=[5], description="Its fault domain count; 1 when absent."
    )
    interface: str | None = Field(default=None, examples=["nic-1"], description="Its network interface configuration.")
    ip_configuration: str | None = Field(
        default=None, examples=["ipconfig1"], description="The IP configuration of that interface."
    )


class PoolHere(_Part):
    """What a pool may have otherwise in one region."""

    scale_sets: tuple[NamedScaleSet, ...] = Field(
        default=(),
        examples=[[{"name": "vmss-h100-a", "computer_name_prefix": "h100a"}]],
        description="Scale sets of the pool here that have names of their own, in the order in which they fill.",
    )
    admin_user: str | None = Field(
        default=None, pattern=ADMIN, examples=["azureuser"], description="The nodes' administrator here."
    )

    image: Annotated[str, AfterValidator(_image)] | None = Field(
        default=None, examples=[DEFAULT_IMAGE], description="The image here."
    )
    job_size: int | None = Field(default=None, ge=1, description="Nodes that one job must span here.")
    placement_group_limit: int | None = Field(
        default=None, ge=1, le=300, description="Nodes that one placement group holds here."
    )
    domain_size: int | None = Field(default=None, ge=1, le=1000, description="Nodes a scale set here.")
    min_nodes: int | None = Field(default=None, ge=0, description="The fewest nodes here that count as working.")
    max_nodes: int | None = Field(default=None, ge=0, le=10_000, description="The most nodes here.")
    spares: int | None = Field(default=None, ge=0, description="Spare nodes in each InfiniBand domain here.")
    identities: tuple[Annotated[str, Field(pattern=IDENTITY_ID)], ...] | None = Field(
        default=None, description="User-assigned identities of the nodes here."
    )


class Region(_Part):
    """What is particular to a region."""

    zone: Literal["1", "2", "3"] | None = Field(
        default=None,
        examples=["1"],
        description="The availability zone of the region's scale sets, by this subscription's numbering.",
    )
    resource_group: Annotated[str, Field(max_length=90, pattern=GROUP)] | None = Field(
        default=None,
        examples=["rg-given"],
        description="A resource group that exists: it is used, never marked, changed or deleted.",
    )
    address_space: Annotated[Cidr, AfterValidator(_of_a_region)] | None = Field(
        default=None,
        examples=["10.2.0.0/20"],
        description="The region's address range, instead of its block of network.address_space; /8 to /26.",
    )
    subnets: Annotated[Subnets, _may_be_empty(Subnets)] = Field(
        default_factory=lambda: Subnets(), description="Ranges, or an existing subnet, instead of the derived ones."
    )
    names: Names = Field(
        default_factory=lambda: Names(),
        examples=[{"virtual_network": "vnet-hpc", "nodes_subnet": "snet-nodes"}],
        description="Names of the region's network, and of what belongs to it, instead of the derived ones.",
    )
    pools: dict[str, PoolHere] = Field(
        default={}, description="What is different for a pool in this region; every other key is the pool's own."
    )


class DataDisk(_Part):
    """A managed disk of each node, empty when it is made."""

    size_gib: int = Field(ge=4, le=32_767, description="Size in GiB.")
    kind: Literal["premium", "standard"] = Field(default="premium", description="premium: SSD with its own IOPS.")


class Extension(_Part):
    """A VM extension, by the extension's own terms. Secrets have no place here: everyone with Reader sees settings."""

    publisher: str = Field(min_length=1, examples=["Microsoft.Azure.Monitor"], description="Its publisher.")
    type: str = Field(min_length=1, examples=["AzureMonitorLinuxAgent"], description="Its type.")
    version: Annotated[str, Field(pattern=EXTENSION_VERSION)] = Field(
        examples=["1.29"], description="Major.minor version of its handler, quoted."
    )
    auto_upgrade: bool = Field(default=True, description="Take newer minor versions when a node is made.")
    settings: dict[str, Any] = Field(default={}, description="Its public settings.")
    after: tuple[str, ...] = Field(default=(), description="Extensions of this pool that must be done before it.")


class OsDisk(_Part):
    """The nodes' system disk."""

    kind: Literal["premium", "ephemeral"] = Field(
        default="premium",
        description="premium: a managed disk. ephemeral: on the host; the nodes can then not be deallocated.",
    )
    size_gib: int | None = Field(default=None, ge=30, le=1023, description="Size in GiB; the image's own when absent.")


class Pool(_Part):
    """N equal nodes in each region."""

    size: str = Field(min_length=1, description="The VM size.", examples=["Standard_ND96isr_H100_v5"])
    nodes: Annotated[
        Annotated[Count, Tag("(single)")] | Annotated[dict[str, Count], Tag("(map)")], Discriminator(_single_or_map)
    ] = Field(
        examples=[16, {"southcentralus": 64, "westus3": 32}],
        description="Nodes in every region, or a map from region to nodes (regions left out get none).",
    )
    infiniband: Literal["required", "none"] | None = Field(
        default=None, description="Whether the nodes must share an InfiniBand fabric; by default, if the size can."
    )
    job_size: int | None = Field(
        default=None, ge=1, description="Nodes that one job must span; such a job never crosses two InfiniBand domains."
    )
    placement_group_limit: int = Field(
        default=100,
        ge=1,
        le=300,
        description="Nodes that one placement group holds: 100, or what Azure support has granted.",
    )
    domain_size: int | None = Field(
        default=None, ge=1, le=1000, description="Nodes a scale set; by default the placement group's limit."
    )
    image: Annotated[str, AfterValidator(_image)] = Field(
        default=DEFAULT_IMAGE,
        examples=[DEFAULT_IMAGE],
        description="publisher:offer:sku:version of a marketplace image, or the id of a gallery image's version.",
    )
    admin_user: str = Field(
        default="azureuser",
        pattern=ADMIN,
        examples=["azureuser"],
        description="The nodes' administrator, who logs in by SSH key.",
    )
    ssh_public_key_file: str = Field(
        min_length=1,
        examples=["keys/train.pub"],
        description="The administrator's public key, a path relative to this file.",
    )
    os_disk: OsDisk = Field(default_factory=lambda: OsDisk(), description="The nodes' system disk.")
    upgrade: Literal["manual", "rolling"] = Field(
        default="manual",
        description="How running nodes take a changed model: when told to, or batch by batch by themselves.",
    )
    priority: Literal["regular", "spot"] = Field(
        default="regular", description="spot: cheaper, and deleted when Azure needs the capacity."
    )
    protect: bool = Field(
        default=False, description="Refuse each plan that would delete or replace nodes of this pool."
    )

    public_ip: bool = Field(
        default=False, description="A public address for each node; SSH is let in from network.ssh_from only."
    )
    data_disks: tuple[DataDisk, ...] = Field(
        default=(), max_length=32, examples=[[{"size_gib": 1024}]], description="Managed disks of each node."
    )
    cloud_init_file: str | None = Field(
        default=None,
        min_length=1,
        examples=["boot/train.yaml"],
        description="cloud-init of yours, merged with ours; a path relative to this file.",
    )
    identities: tuple[Annotated[str, Field(pattern=IDENTITY_ID)], ...] = Field(
        default=(), description="Ids of user-assigned identities that the nodes act as."
    )
    extensions: dict[str, Extension] = Field(default={}, description="VM extensions, by a name of yours.")
    capacity: Literal["stated", "external"] = Field(
        default="stated",
        description="stated: this file sets the number of nodes. external: an autoscaler does, after the first apply.",
    )
    min_nodes: int | None = Field(
        default=None, ge=0, description="The fewest nodes a region that count as working; all of them when absent."
    )
    max_nodes: int | None = Field(
        default=None,
        ge=0,
        le=10_000,
        description="The most nodes a region that will ever be; addresses are kept for them.",
    )
    spares: int = Field(
        default=0, ge=0, description="Of the nodes of each InfiniBand domain, those kept free to replace others."
    )

    def nodes_in(self, region: str) -> int:
        """Return the nodes asked for in a region."""
        return self.nodes if isinstance(self.nodes, int) else self.nodes.get(region, 0)

    def here(self, other: PoolHere | None) -> Pool:
        """Return the pool as it is in a region where `other` differs."""
        if other is None:
            return self
        return self.model_copy(update=other.model_dump(exclude_unset=True, exclude={"scale_sets"}))


class ManagedLustre(_Part):
    """An Azure Managed Lustre file system, mounted on the nodes of its region."""

    kind: Literal["managed-lustre"] = Field(examples=["managed-lustre"], description="The kind of storage.")
    name: str | None = Field(
        default=None, examples=["amlfs-scratch"], description="Its name in Azure, instead of the derived one."
    )
    region: str = Field(min_length=1, examples=["southcentralus"], description="The region that it stands in.")
    tier: Literal[40, 125, 250, 500] = Field(examples=[250], description="MB/s for each TiB.")
    size_tib: int = Field(ge=4, le=12_500, examples=[512], description="Size in TiB, in steps of the tier.")
    zone: Literal["1", "2", "3"] | None = Field(default=None, examples=["1"], description="Its availability zone.")
    mount: Annotated[str, Field(pattern=MOUNT)] = Field(
        examples=["/lustre"], description="Where the nodes mount it; /scratch is the local NVMe disks'."
    )


class UnitResource(_Part):
    """A resource that a deployment unit of your own makes."""

    type: Annotated[str, Field(pattern=RESOURCE_TYPE)] = Field(
        examples=["Microsoft.NetApp/netAppAccounts"], description="Its type, as Azure's reference writes it."
    )
    api_version: Annotated[str, Field(pattern=API_VERSION)] = Field(
        examples=["2025-06-01"], description="The API version by which it is written, read and deleted; quoted."
    )
    name: Annotated[str, Field(max_length=260, pattern=RESOURCE_NAME)] = Field(
        examples=["h100-home"], description="Its name; of a child, its parents' names in front: account/pool."
    )
    after: tuple[str, ...] = Field(
        default=(), description="Resources of this unit that must be made before it, besides its parent."
    )


class OwnUnit(_Part):
    """A deployment unit of your own: one stack in each of its regions, made from a template of yours."""

    template: Annotated[str, Field(pattern=FOLDER)] | None = Field(
        default=None,
        examples=["netapp-volume"],
        description="A folder of `templates`; by default, of the unit's name.",
    )
    regions: tuple[str, ...] | None = Field(
        default=None,
        min_length=1,
        examples=[["southcentralus"]],
        description="Where it is deployed; every region of the environment when absent.",
    )
    resources: dict[Annotated[str, Field(max_length=40, pattern=RESOURCE_KEY)], UnitResource] = Field(
        min_length=1,
        examples=[{"vault": {"type": "Microsoft.KeyVault/vaults", "api_version": "2024-11-01", "name": "h100-keys"}}],
        description="All that its template states, in the order in which it is made; deleted in the reverse order.",
    )
    values: dict[str, Any] = Field(
        default={}, description="Values for its template, `unit.values`. Everyone with Reader sees them."
    )
    in_place: tuple[Annotated[str, Field(pattern=PROPERTY)], ...] = Field(
        default=(),
        examples=[["properties.usageThreshold"]],
        description="Properties that Azure changes without replacing the resource; every other change replaces it.",
    )


class Suppression(_Part):
    """A finding that is known and accepted, for a reason and for a time."""

    rule: str = Field(min_length=1, examples=["image-version-latest"], description="The rule's id.")
    at: str = Field(min_length=1, examples=["pools.train"], description="The path at or beneath which it is accepted.")
    reason: str = Field(min_length=1, description="Why it is accepted.")
    until: Annotated[date, BeforeValidator(_date)] | None = Field(
        default=None, examples=["2027-03-01"], description="The last day; after it the finding counts again."
    )


class Ignored(_Part):
    """A property that somebody else owns: where Azure has another value than the file, that stays."""

    at: Annotated[str, Field(pattern=IGNORED_AT)] = Field(
        examples=["pools.train"],
        description="Whose property it is: `pools.NAME`, `regions.NAME`, `regions.NAME.pools.NAME`, `network`, "
        "`storage.NAME` or `units.NAME`.",
    )
    property: Annotated[str, Field(pattern=PROPERTY_PATH)] = Field(
        examples=["tags.cost-center"],
        description="The property, as plans write it; what is beneath it is left alone too.",
    )
    owner: str = Field(min_length=1, examples=["finops"], description="Who changes it.")
    until: Annotated[date, BeforeValidator(_date)] | None = Field(
        default=None, examples=["2027-03-01"], description="The last day; after it the entry is an error."
    )


class Limits(_Part):
    """The blast radius of one apply, which refuses past it."""

    delete_nodes: int | None = Field(
        default=None, ge=0, description="The most running nodes that one apply may delete."
    )
    usd_per_hour_increase: float | None = Field(
        default=None, ge=0, description="The most that one apply may add to the cost, in USD an hour."
    )


class Environment(_Part):
    """Everything that one environment file declares."""

    #: Composed before the model sees it, so here always None; it stands here to be described.
    extends: str | None = Field(
        default=None,
        min_length=1,
        examples=["base.yaml"],
        description="A file that this one is laid over: maps merge at every level, lists and scalars replace, "
        "null removes. A path relative to this file, as are the paths in it.",
    )
    version: Literal[1] = Field(examples=[1], description="The version of the file format.")
    name: Annotated[str, Field(min_length=2, max_length=24, pattern=NAME)] = Field(
        examples=["h100-train"],
        description="The environment's name: the beginning of the names of all that it deploys.",
    )
    subscription: Annotated[str, Field(pattern=GUID)] = Field(
        examples=["3f1c9a52-7d8e-4b06-9c41-5e2a7f80d613"], description="The id of the Azure subscription."
    )
    tags: dict[str, str] = Field(
        default={}, examples=[{"owner": "ml-platform"}], description="Tags on everything that is deployed."
    )
    network: Network = Field(default_factory=lambda: Network(), description="Addresses, the way out and the way in.")
    regions: dict[str, Annotated[Region, _may_be_empty(Region)]] = Field(
        min_length=1, examples=[{"southcentralus": {}}], description="The regions, by Azure's short names."
    )
    pools: dict[Annotated[str, Field(max_length=20, pattern=NAME)], Pool] = Field(
        min_length=1,
        examples=[
            {"train": {"size": "Standard_ND96isr_H100_v5", "nodes": 16, "ssh_public_key_file": "keys/train.pub"}}
        ],
        description="The pools of nodes, by name.",
    )
    storage: dict[Annotated[str, Field(max_length=20, pattern=NAME)], ManagedLustre] = Field(
        default={}, description="Shared storage, by name."
    )
    templates: str | None = Field(
        default=None,
        min_length=1,
        examples=["templates"],
        description="A folder of your own templates, in front of the built-in ones; a path relative to this file.",
    )
    units: dict[Annotated[str, Field(max_length=20, pattern=NAME)], OwnUnit] = Field(
        default={}, description="Deployment units of your own, by name, for what no other key makes."
    )
    limits: Limits = Field(default_factory=lambda: Limits(), description="The blast radius of one apply.")
    prices: dict[str, Annotated[float, Field(ge=0)]] = Field(
        default={},
        examples=[{"Standard_ND96isr_H100_v5": 61.5}],
        description="Contract prices in USD a node and hour, by size; else the catalog's list prices.",
    )
    suppress: tuple[Suppression, ...] = Field(default=(), description="Findings that are known and accepted.")
    ignore: tuple[Ignored, ...] = Field(
        default=(), description="Properties that others change, and that an apply leaves as they are."
    )
    severity: dict[str, Literal["error", "warning", "info"]] = Field(
        default={},
        examples=[{"no-way-in": "error"}],
        description="How much the findings of a rule count in this environment, by the rule's id.",
    )

    def shares(self) -> Iterator[tuple[str, str, Pool]]:
        """Yield (name, region, pool as it is there) of each pool and region that its `nodes` speaks of."""
        for name, pool in self.pools.items():
            for region in self.regions if isinstance(pool.nodes, int) else pool.nodes:
                if region in self.regions:
                    yield name, region, pool.here(self.regions[region].pools.get(name))

    def named_scale_sets(self, name: str, region: str) -> tuple[NamedScaleSet, ...]:
        """Return a pool's scale sets in a region that have names of their own, in the order in which they fill."""
        here = self.regions[region].pools.get(name)
        return () if here is None else here.scale_sets

    def where(self, name: str, region: str, key: str) -> tuple[str | int, ...]:
        """Return the path at which a pool's key is stated for a region: the region's own, or the pool's."""
        here = self.regions[region].pools.get(name)
        own = here is not None and key in here.model_fields_set
        return ("regions", region, "pools", name, key) if own else ("pools", name, key)

    @model_validator(mode="before")
    @classmethod
    def _without_extensions(cls, data: Any) -> Any:
        """Drop `x-…` keys at the top: they are the user's own, for anchors and other tools."""
        if isinstance(data, dict):
            return {k: v for k, v in data.items() if not (isinstance(k, str) and k.startswith("x-"))}
        return data
