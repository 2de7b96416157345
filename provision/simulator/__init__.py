"""A simulated Azure: Resource Manager, Compute and Network on loopback or in process. Shares no code with the rest.

`SimulatorTransport`, which needs Azure's packages, is imported from `provision.simulator.transport`.
"""

from provision.simulator.simulator import Simulator
from provision.simulator.wire.messages import Answer

__all__ = ["Answer", "Simulator"]
