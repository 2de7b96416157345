"""The paths that tables of routes are written with, and what a route leads to."""

from __future__ import annotations

from collections.abc import Callable

from provision.simulator.handlers.calls import Call
from provision.simulator.wire.messages import Reply

Handler = Callable[[Call], Reply]

SUBSCRIPTION = "subscriptions/{subscription}"
GROUP = f"{SUBSCRIPTION}/resourceGroups/{{group}}"
IN_COMPUTE = f"{GROUP}/providers/Microsoft.Compute"
SETS = f"{IN_COMPUTE}/virtualMachineScaleSets"
SET = f"{SETS}/{{name}}"
INSTANCE = f"{SET}/virtualMachines/{{instance}}"
REGION = f"{SUBSCRIPTION}/providers/Microsoft.Compute/locations/{{location}}"
STACKED = f"{GROUP}/providers/Microsoft.Resources/deploymentStacks"
ONE_STACKED = f"{STACKED}/{{name}}"
STACK_JOBS = f"{SUBSCRIPTION}/providers/Microsoft.Resources/locations/{{location}}"
