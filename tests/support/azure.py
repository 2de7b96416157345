"""A simulated Azure in this process, met as the engine meets Azure: through Microsoft's own clients."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from provision.adapters.azure import AzureArm
from provision.adapters.files import load_catalog
from provision.adapters.flight import InlineInFlight, VirtualClock
from provision.apply import Applying, Event, Progress
from provision.apply.shown import KIND
from provision.cli.planning import adoptions_of, observed_again, plan_for
from provision.cli.target import Target
from provision.errors import StalePlan
from provision.observe.status import PoolStatus, read_status
from provision.plan import Chosen, Plan
from provision.plan.adopt import Adoption
from provision.simulator import Simulator
from provision.simulator.transport import SimulatedCredential, SimulatorTransport
from tests.support.hard import HARD
from tests.support.worlds import QUICK, SUBSCRIPTION, checked

#: Nothing listens there: whatever left this process would fail at once.
ENDPOINT = "http://127.0.0.1:1"


@dataclass(frozen=True)
class Run:
    """What one apply came to."""

    events: tuple[Event, ...]
    progress: Progress

    def named(self, *names: str) -> list[tuple[str, str]]:
        """Return (operation, detail) of the events of these names, in order; not of the looks at what was done."""
        operations = self.progress.operations
        looks = {id for id, operation in operations.items() if operation.kind == KIND}
        return [
            (event.operation, event.detail)
            for event in self.events
            if event.event in names and event.operation not in looks
        ]

    @property
    def statuses(self) -> dict[str, str]:
        """Return what became of each operation, the lock's own among them, but not the looks at what was done."""
        states, operations = self.progress.states, self.progress.operations
        return {id: state.status.value for id, state in states.items() if operations[id].kind != KIND}


class Azure:
    """A simulator, the engine's way to it, and a virtual clock that moves only when nothing is in flight.

    `hard`: with all that makes Azure hard and harms nobody who is careful (`HARD`).
    """

    def __init__(self, simulator: Simulator | None = None, *, hard: bool = True) -> None:
        self.simulator = simulator or Simulator()
        self._runs = 0
        self.control("PUT", "world", {"settings": HARD if hard else {}})
        transport = SimulatorTransport(self.simulator)
        versions = load_catalog().api_versions
        self.clock = VirtualClock(self.simulator.now, self.simulator.advance_to)
        self.arm = AzureArm(
            SUBSCRIPTION,
            versions,
            SimulatedCredential(self.simulator),
            endpoint=ENDPOINT,
            transport=transport,
            clock=self.clock,
        )

    def plan(self, text: str = QUICK, *, destroying: bool = False, part: Chosen | None = None) -> Plan:
        """Return the plan of an environment's text, or a part of it, against what is there now."""
        return plan_for(checked(text), Target(self.arm, self.clock), destroying=destroying, part=part)

    def applying(self, plan: Plan, *, run: str = "") -> Applying:
        """Return the run of a plan, not begun; its requests are answered at once and in order.

        `run`: its name; by default run-1, run-2 and so on.
        """
        self._runs += 1
        return Applying(
            plan,
            self.clock,
            InlineInFlight(self.arm, self.clock),
            run=run or f"run-{self._runs}",
            host="here:1",
            read_again=lambda: observed_again(plan, self.arm).digests(also=plan.read),
        )

    def apply(
        self, text: str = QUICK, *, destroying: bool = False, each: Callable[[Event, Applying], None] | None = None
    ) -> Run:
        """Plan an environment's text and carry the plan out; `each` is called with every event as it comes."""
        return self.carry_out(self.plan(text, destroying=destroying), each=each)

    def carry_out(self, plan: Plan, *, run: str = "", each: Callable[[Event, Applying], None] | None = None) -> Run:
        """Carry a plan out; `each` is called with every event as it comes."""
        applying = self.applying(plan, run=run)
        events = []
        for event in applying.events():
            events.append(event)
            if each is not None:
                each(event, applying)
        return Run(tuple(events), applying.progress)

    def adoption(self, text: str) -> Adoption:
        """Return what an environment's text would take over of what is there now."""
        ((found, _),) = adoptions_of([checked(text)], {SUBSCRIPTION: Target(self.arm, self.clock)})
        return found

    def put(self, id: str, body: dict[str, Any], version: str) -> None:
        """Make a resource as somebody else would, and wait until it stands."""
        url = f"{ENDPOINT}{id}?api-version={version}"
        headers = {"Content-Type": "application/json", "Authorization": "Bearer somebody"}
        answer = self.simulator.handle("PUT", url, headers, json.dumps(body).encode())
        assert answer.status < 300, answer.body
        self.wait(600)

    def apply_again(self, text: str = QUICK) -> Run:
        """Apply until no plan is overtaken: Azure may still be at work on what an earlier run began."""
        for _ in range(10):
            try:
                return self.apply(text)
            except StalePlan:
                self.wait(20)
        raise AssertionError("every plan was overtaken")

    def status(self, text: str = QUICK) -> tuple[PoolStatus, ...]:
        """Return how the nodes are."""
        topology = checked(text).topology
        assert topology is not None
        return read_status(self.arm, topology)

    def fault(self, effect: str, code: str, *, method: str = "PUT", url: str = "", **more: Any) -> None:
        """Make the simulator misbehave: `url` is a regular expression; `status`, `message`, `count`, `headers`."""
        self.control(
            "POST", "faults", [{"match": {"method": method, "url": url}, "effect": effect, "code": code, **more}]
        )

    def control(self, method: str, part: str, body: Any = None) -> Any:
        """Ask the simulator's own side: `world`, `log`, `clock`, `faults`."""
        content = b"" if body is None else json.dumps(body).encode()
        answer = self.simulator.handle(method, f"{ENDPOINT}/_simulator/{part}", {}, content)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    def wait(self, seconds: float) -> None:
        """Let virtual time pass."""
        self.clock.sleep_until(self.simulator.now + seconds)

    def requests(self, *methods: str) -> list[tuple[str, str, int]]:
        """Return (method, path without the subscription, status) of what Azure was asked, by these methods or all."""
        prefix = f"/subscriptions/{SUBSCRIPTION}"
        return [
            (row["method"], urlsplit(row["url"]).path.removeprefix(prefix), row["status"])
            for row in self.simulator.log
            if not methods or row["method"] in methods
        ]

    def ids(self) -> list[str]:
        """Return the names of all that exists: groups, resources and stacks, sorted."""
        world = self.control("GET", "world")
        return sorted(
            row["id"].rsplit("/", 1)[1] for part in ("resourceGroups", "resources", "stacks") for row in world[part]
        )
