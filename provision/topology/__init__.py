"""Every name, address, placement group and deployment unit of an environment."""

from provision.topology.build import topology_of
from provision.topology.model import (
    Bastion,
    FileSystem,
    Network,
    OwnResource,
    OwnUnit,
    Peering,
    PoolInRegion,
    Region,
    ScaleSet,
    Subnet,
    Topology,
)

__all__ = [
    "Bastion",
    "FileSystem",
    "Network",
    "OwnResource",
    "OwnUnit",
    "Peering",
    "PoolInRegion",
    "Region",
    "ScaleSet",
    "Subnet",
    "Topology",
    "topology_of",
]
