"""The typed environment file: what was asked, nothing derived. Its descriptions are the JSON Schema's."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

NAME = r"^[a-z]([a-z0-9-]*[a-z0-9])?$"
GUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
IMAGE = r"^[A-Za-z0-9._-]+:[A-Za-z0-9._-]+:[A-Za-z0-9._-]+:(latest|\d+\.\d+\.\d+)$"
ADMIN = r"^[a-z_][a-z0-9_-]{0,31}$"

#: Part of file format version 1, so it never changes: a newer default would reimage fleets that never asked for it.
DEFAULT_IMAGE = "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026071501"

#: Each pattern in words, and an example.
PATTERNS = {
    NAME: (
        "small letters, digits and hyphens, beginning with a letter and ending with a letter or digit",
        "h100-train",
    ),
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


def _cut_into_blocks(text: str) -> str:
    """Refuse a space whose 128 region blocks would be smaller than /23, or that is larger than Azure's largest."""
    length = int(text.rpartition("/")[2])
    if not 8 <= length <= 16:
        raise UnfitError(
            f"is {text}; it is cut into 128 region blocks of at least /23, so it must be /8 to /16",
            "write a range such as 10.0.0.0/8 or 10.64.0.0/12",
        )
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


class Region(_Part):
    """What is particular to a region."""

    zone: Literal["1", "2", "3"] | None = Field(
        default=None,
        examples=["1"],
        description="The availability zone of the region's scale sets, by this subscription's numbering.",
    )


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
    image: str = Field(
        default=DEFAULT_IMAGE,
        pattern=IMAGE,
        examples=[DEFAULT_IMAGE],
        description="publisher:offer:sku:version of a marketplace image.",
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

    def nodes_in(self, region: str) -> int:
        """Return the nodes asked for in a region."""
        return self.nodes if isinstance(self.nodes, int) else self.nodes.get(region, 0)


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
    limits: Limits = Field(default_factory=lambda: Limits(), description="The blast radius of one apply.")

    @model_validator(mode="before")
    @classmethod
    def _without_extensions(cls, data: Any) -> Any:
        """Drop `x-…` keys at the top: they are the user's own, for anchors and other tools."""
        if isinstance(data, dict):
            return {k: v for k, v in data.items() if not (isinstance(k, str) and k.startswith("x-"))}
        return data
