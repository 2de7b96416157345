"""Every name, address, placement group and deployment unit of an environment."""

from provision.topology.build import topology_of
from provision.topology.model import Network, PoolInRegion, Region, ScaleSet, Topology

__all__ = ["Network", "PoolInRegion", "Region", "ScaleSet", "Topology", "topology_of"]
