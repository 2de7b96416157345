"""Environments for property tests of the topology: any number of pools and regions, of any size."""

from __future__ import annotations

from hypothesis import strategies as st

from provision.adapters.files import load_catalog
from provision.environment import Environment, Pool, Region
from provision.environment.model import ManagedLustre, Network, PeerNetwork, Subnets
from provision.topology import Topology, topology_of

CATALOG = load_catalog()
SIZES = ("Standard_ND96isr_H100_v5", "Standard_ND96is_H100_v5")

NAMES = st.from_regex(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?", fullmatch=True)
REGIONS = st.sampled_from(CATALOG.regions)


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    """Draw a pool; its domain size, where stated, is one that the rules let pass."""
    limit = draw(st.sampled_from([100, 300]))
    nodes: int | dict[str, int] = draw(st.integers(0, 700) | st.dictionaries(REGIONS, st.integers(0, 700), max_size=4))
    return Pool(
        size=draw(st.sampled_from(SIZES)),
        nodes=nodes,
        placement_group_limit=limit,
        domain_size=draw(st.none() | st.integers(1, limit)),
        ssh_public_key_file="key.pub",
    )


HUB = (
    "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/hub/providers/Microsoft.Network/virtualNetworks"
)


FILE_SYSTEMS = st.sampled_from([(), ("data",), ("data", "scratch")])
NETWORKS = st.sampled_from(
    [
        Network(peering=peering, bastion=bastion, peer_with=peers)
        for peering in ("none", "mesh")
        for bastion in (False, True)
        for peers in ({}, {"hub": PeerNetwork(id=f"{HUB}/hub", address_space=("192.168.0.0/16",))})
    ]
)
#: Plain regions, given groups, own ranges and existing subnets.
STATED_REGIONS = st.sampled_from(
    [
        Region(),
        Region(resource_group="given"),
        Region(address_space="10.2.0.0/20"),
        Region(address_space="10.2.0.0/20", subnets=Subnets(nodes="10.2.8.0/22", lustre="10.2.4.0/24")),
        Region(subnets=Subnets(bastion="10.2.15.0/26"), resource_group="given"),
        Region(subnets=Subnets(nodes=f"{HUB}/a/subnets/compute")),
    ]
)


def a_file_system(region: str) -> ManagedLustre:
    """Return a file system in a region."""
    return ManagedLustre(kind="managed-lustre", region=region, tier=250, size_tib=8, mount="/data")


@st.composite
def environments(draw: st.DrawFn) -> Environment:
    """Draw an environment."""
    stated = draw(st.dictionaries(REGIONS, STATED_REGIONS, min_size=1, max_size=6))
    return Environment(
        version=1,
        name=draw(st.from_regex(r"[a-z][a-z0-9-]{0,22}[a-z0-9]", fullmatch=True)),
        subscription="00000000-0000-0000-0000-000000000001",
        network=draw(NETWORKS),
        regions=stated,
        storage={name: a_file_system(draw(st.sampled_from(sorted(stated)))) for name in draw(FILE_SYSTEMS)},
        pools=draw(st.dictionaries(NAMES, pools(), min_size=1, max_size=5)),
    )


def topology(environment: Environment) -> Topology:
    """Return an environment's topology, with a key for its pools."""
    return topology_of(environment, CATALOG, {"key.pub": "ssh-ed25519 AAAA"})
