"""In which regions a pool has a share, and as what."""

from __future__ import annotations

from provision.adapters.files import load_catalog
from provision.topology import topology_of
from tests.support.topologies import a_pool, an_environment

ENVIRONMENT = an_environment(
    regions={"westus3": {}, "eastus": {"pools": {"train": {"spares": 1}}}},
    pools={
        "train": a_pool(),
        "east": a_pool(nodes={"eastus": 1}),
        "idle": a_pool(nodes={"westus3": 0}),
        "none": a_pool(nodes={}),
        "lost": a_pool(nodes={"westeurope": 1}),
    },
)


def test_a_pool_has_a_share_in_each_region_that_its_nodes_speak_of() -> None:
    assert [(name, region, pool.spares) for name, region, pool in ENVIRONMENT.shares()] == [
        ("train", "westus3", 0),
        ("train", "eastus", 1),
        ("east", "eastus", 0),
        ("idle", "westus3", 0),
    ]


def test_the_topology_has_the_same_shares_by_pool_and_by_region() -> None:
    topology = topology_of(ENVIRONMENT, load_catalog(), {})

    assert [(pool.name, pool.region, pool.nodes) for pool in topology.pools] == [
        ("east", "eastus", 1),
        ("idle", "westus3", 0),
        ("train", "eastus", 2),
        ("train", "westus3", 2),
    ]
    by_region = {region: [pool.name for pool in pools] for region, pools in topology.pools_by_region().items()}
    assert by_region == {"eastus": ["east", "train"], "westus3": ["idle", "train"]}
