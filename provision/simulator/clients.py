"""A simulated Azure in this process with Microsoft's clients on it, and its control side as methods: for tests."""

from __future__ import annotations

import json
from functools import cached_property
from itertools import count
from typing import Any

from azure.core.credentials import AccessToken
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.network import NetworkManagementClient
from azure.mgmt.resource.deployments import DeploymentsMgmtClient
from azure.mgmt.resource.deploymentstacks import DeploymentStacksClient
from azure.mgmt.resource.resources import ResourceManagementClient

from provision.simulator import scenarios
from provision.simulator.simulator import CONTROL, Simulator
from provision.simulator.transport import SimulatorTransport
from provision.simulator.wire.messages import Json

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"


class Credential:
    """Gives a token of its own at each asking, so that one that has expired is followed by one that has not."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def get_token(self, *scopes: str, **kwargs: Any) -> AccessToken:
        return AccessToken(f"tester#{next(self._numbers)}", 2**31)


class Control:
    """What a tester may see and set that Azure shows nobody. Raises ValueError, saying why, where it makes no sense."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def ask(self, method: str, part: str, body: Any = None) -> Any:
        """Send a request to `/_simulator/<part>` and return the JSON of its answer."""
        content = b"" if body is None else json.dumps(body).encode()
        answer = self._simulator.handle(method, f"https://management.azure.com{CONTROL}{part}", {}, content)
        if answer.status != 200:
            raise ValueError(answer.json()["error"])
        return answer.json()

    @property
    def world(self) -> Json:
        """Everything there is: `{resourceGroups, resources, stacks, locks, operations, quota, capacity, …}`."""
        found: Json = self.ask("GET", "world")
        return found

    def set_world(self, **parts: Any) -> None:
        """Replace the parts that are given."""
        self.ask("PUT", "world", parts)

    def set(self, **settings: Any) -> None:
        """Change some settings; the others stay as they are."""
        self.set_world(settings={**self.world["settings"], **settings})

    def play(self, scenario: str) -> None:
        """Take over a scenario: one that comes with the simulator by its name, another by its path."""
        self.ask("POST", "scenario", scenarios.read(scenario))

    def fault(self, effect: str, *, match: Json | None = None, **keys: Any) -> None:
        """Add a fault."""
        self.ask("POST", "faults", {"effect": effect, "match": match or {}, **keys})

    @property
    def faults(self) -> list[Json]:
        """The faults that are still due, and how often each has matched and been applied."""
        found: list[Json] = self.ask("GET", "faults")
        return found

    def drop_faults(self) -> None:
        self.ask("DELETE", "faults")

    @property
    def log(self) -> list[Json]:
        """Every request so far: `{at, method, url, status}`, and `faults` where it met some."""
        return self._simulator.log

    def forget(self) -> None:
        """Empty the log."""
        self.ask("DELETE", "log")

    @property
    def now(self) -> float:
        """The virtual time in seconds since 1970."""
        return self._simulator.now

    def wait(self, seconds: float) -> None:
        """Let virtual time pass."""
        self._simulator.advance_to(self._simulator.now + seconds)

    def set_nodes(self, scale_set: str, *instances: str, **state: Any) -> None:
        """Put instances of a scale set, by their ids, into a state: `power`, `health`, `failed`."""
        self.ask("POST", "nodes", {"scaleSet": scale_set, "instances": list(instances), **state})


class SimulatedAzure:
    """A simulator, its control side, and Microsoft's clients, made when they are first asked for.

    A client that sleeps, between two polls or before a retry, moves the simulator's clock and no other. `options` are
    passed to each client. Without a simulator it has one of its own.
    """

    def __init__(self, simulator: Simulator | None = None, **options: Any) -> None:
        self.simulator = simulator or Simulator()
        self.control = Control(self.simulator)
        self.transport = SimulatorTransport(self.simulator)
        self.credential = Credential()
        self.subscription = SUBSCRIPTION
        self._options: dict[str, Any] = {"transport": self.transport, **options}

    @cached_property
    def compute(self) -> ComputeManagementClient:
        return ComputeManagementClient(self.credential, self.subscription, **self._options)

    @cached_property
    def network(self) -> NetworkManagementClient:
        return NetworkManagementClient(self.credential, self.subscription, **self._options)

    @cached_property
    def resources(self) -> ResourceManagementClient:
        return ResourceManagementClient(self.credential, self.subscription, **self._options)

    @cached_property
    def deployments(self) -> DeploymentsMgmtClient:
        return DeploymentsMgmtClient(self.credential, self.subscription, **self._options)

    @cached_property
    def stacks(self) -> DeploymentStacksClient:
        return DeploymentStacksClient(self.credential, self.subscription, **self._options)
