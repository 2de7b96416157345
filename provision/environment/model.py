"""The typed environment file: what was asked, nothing derived. Its descriptions are the JSON Schema's."""

from __future__ import annotations

import ipaddress
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

NAME = r"^[a-z]([a-z0-9-]*[a-z0-9])?$"
GUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
IMAGE = r"^[A-Za-z0-9._-]+:[A-Za-z0-9._-]+:[A-Za-z0-9._-]+:(latest|\d+\.\d+\.\d+)$"

#: Part of file format version 1, so it never changes: a newer default would reimage fleets that never asked for it.
DEFAULT_IMAGE = "microsoft-dsvm:ubuntu-hpc:2204:22.04.2026071501"


def _network(text: str) -> str:
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"{text!r} is no IPv4 range such as 10.0.0.0/16") from None
    if network.version != 4:
        raise ValueError(f"{text!r} is an IPv6 range; only IPv4 is supported")
    if "/" not in text:
        raise ValueError(f"{text!r} has no prefix length; a single address is {text}/32")
    if str(network) != text:
        raise ValueError(f"{text!r} has bits set behind its prefix; the range is {network}")
    return text


def _none_is_empty(value: Any) -> Any:
    return {} if value is None else value


Cidr = Annotated[str, AfterValidator(_network)]
Name = Annotated[str, Field(pattern=NAME)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class NatGateway(_Part):
    """A NAT gateway for the nodes' way out."""

    addresses: int = Field(1, ge=1, le=16, description="Public addresses of the gateway, 64,512 SNAT ports each.")


class NatOutbound(_Part):
    """The nodes reach the internet through a NAT gateway in each region."""

    nat_gateway: NatGateway = Field(description="The gateway of each region.")


class Network(_Part):
    """Addresses, the way out and the way in."""

    address_space: Cidr = Field(
        "10.0.0.0/8",
        description="Cut into 128 fixed blocks, one a region by the region's permanent number; /8 to /16.",
        examples=["10.0.0.0/8"],
    )
    outbound: NatOutbound | Literal["none"] = Field(
        NatOutbound(nat_gateway=NatGateway(addresses=1)),
        description="The nodes' way to the internet: a NAT gateway in each region, or none.",
    )
    ssh_from: tuple[Cidr, ...] = Field(
        (), description="IPv4 ranges from which SSH to the nodes is let in, besides the virtual network itself."
    )


class Region(_Part):
    """What is particular to a region."""

    zone: Literal["1", "2", "3"] | None = Field(
        None, description="The availability zone of the region's scale sets, by this subscription's numbering."
    )


class OsDisk(_Part):
    """The nodes' system disk."""

    kind: Literal["premium", "ephemeral"] = Field(
        "premium",
        description="premium: a managed disk. ephemeral: on the host; the nodes can then not be deallocated.",
    )
    size_gib: int | None = Field(None, ge=30, le=1023, description="Size in GiB; the image's own when absent.")


class Pool(_Part):
    """N equal nodes in each region."""

    size: str = Field(min_length=1, description="The VM size.", examples=["Standard_ND96isr_H100_v5"])
    nodes: Annotated[int, Field(ge=0, le=10_000)] | dict[str, Annotated[int, Field(ge=0, le=10_000)]] = Field(
        description="Nodes in every region, or a map from region to nodes (regions left out get none)."
    )
    infiniband: Literal["required", "none"] | None = Field(
        None, description="Whether the nodes must share an InfiniBand fabric; by default, if the size can."
    )
    job_size: int | None = Field(
        None, ge=1, description="Nodes that one job must span; such a job never crosses two InfiniBand domains."
    )
    placement_group_limit: int = Field(
        100, ge=1, le=300, description="Nodes that one placement group holds: 100, or what Azure support has granted."
    )
    domain_size: int | None = Field(
        None, ge=1, le=1000, description="Nodes a scale set; by default the placement group's limit."
    )
    image: str = Field(
        DEFAULT_IMAGE, pattern=IMAGE, description="publisher:offer:sku:version of a marketplace image."
    )
    admin_user: str = Field(
        "azureuser", pattern=r"^[a-z_][a-z0-9_-]{0,31}$", description="The nodes' administrator, who logs in by SSH key."
    )
    ssh_public_key_file: str = Field(
        min_length=1, description="The administrator's public key, a path relative to this file."
    )
    os_disk: OsDisk = Field(OsDisk(), description="The nodes' system disk.")
    upgrade: Literal["manual", "rolling"] = Field(
        "manual",
        description="How running nodes take a changed model: when told to, or batch by batch by themselves.",
    )
    priority: Literal["regular", "spot"] = Field(
        "regular", description="spot: cheaper, and deleted when Azure needs the capacity."
    )
    protect: bool = Field(False, description="Refuse each plan that would delete or replace nodes of this pool.")

    def nodes_in(self, region: str) -> int:
        """Return the nodes asked for in a region."""
        return self.nodes if isinstance(self.nodes, int) else self.nodes.get(region, 0)


class Limits(_Part):
    """The blast radius of one apply, which refuses past it."""

    delete_nodes: int | None = Field(None, ge=0, description="The most running nodes that one apply may delete.")
    usd_per_hour_increase: int | float | None = Field(
        None, ge=0, description="The most that one apply may add to the cost, in USD an hour."
    )


class Environment(_Part):
    """Everything that one environment file declares."""

    version: Literal[1] = Field(description="The version of the file format.")
    name: Annotated[str, Field(min_length=2, max_length=24, pattern=NAME)] = Field(
        description="The environment's name: the beginning of the names of all that it deploys."
    )
    subscription: Annotated[str, Field(pattern=GUID)] = Field(description="The id of the Azure subscription.")
    tags: dict[str, str] = Field({}, description="Tags on everything that is deployed.")
    network: Network = Field(Network(), description="Addresses, the way out and the way in.")
    regions: dict[str, Annotated[Region, BeforeValidator(_none_is_empty)]] = Field(
        min_length=1, description="The regions, by Azure's short names."
    )
    pools: dict[Annotated[str, Field(max_length=20, pattern=NAME)], Pool] = Field(
        min_length=1, description="The pools of nodes, by name."
    )
    limits: Limits = Field(Limits(), description="The blast radius of one apply.")

    @model_validator(mode="before")
    @classmethod
    def _without_extensions(cls, data: Any) -> Any:
        """Drop `x-…` keys at the top: they are the user's own, for anchors and other tools."""
        if isinstance(data, dict):
            return {k: v for k, v in data.items() if not (isinstance(k, str) and k.startswith("x-"))}
        return data
