"""Runs without Azure: a test says what each request is answered with, and time passes by itself."""

from __future__ import annotations

from collections.abc import Callable

from provision.apply import scheduler
from provision.apply.lock import LIFE_S, Holder, claim, lock_id
from provision.apply.scheduler import LOCK, RENEWAL, UNLOCK, Progress
from provision.arm import STACKS, Answer, ArmError, Request, ResourceId, group_id, resource_id
from provision.plan.model import Operation

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
HOME = group_id(SUBSCRIPTION, "quick-home")
LOCK_ID = lock_id(SUBSCRIPTION, "quick-home", "quick")
START = 1_796_083_200.0
OURS = Holder(run="run-1", host="here:1", since=START, until=START + LIFE_S)
THEIRS = Holder(run="run-2", host="there:2", since=START - 60, until=START + 300)
POLL = "https://management.azure.com/operations/1"

Outcome = Answer | ArmError
Azure = Callable[[str, Request, float], Outcome]


def a_stack(name: str, *after: str) -> Operation:
    """Return the deployment of a unit, after others."""
    id = resource_id(SUBSCRIPTION, "quick-southcentralus", STACKS, f"quick.{name}")
    return Operation(name, "put-stack", id, name, "southcentralus", after, {"properties": {}}, origin="quick.yaml:9")


def an_operation(kind: str, target: ResourceId, *after: str, mark: str = "", id: str = "it") -> Operation:
    """Return an operation of any kind."""
    return Operation(id, kind, target, "network", "southcentralus", after, mark=mark)


def begun(*operations: Operation, home: tuple[str, ...] = (), looks: tuple[Operation, ...] = ()) -> Progress:
    """Return the progress of a run that has not begun; the lock waits for `home`."""
    lock = Operation(LOCK, "lock", LOCK_ID, "", "", home)
    return scheduler.begun(operations, lock, Operation(UNLOCK, "unlock", LOCK_ID, "", "", ()), OURS, looks)


def gone(code: str = "ResourceNotFound") -> ArmError:
    """Return ARM's refusal to show what there is not."""
    return ArmError(404, code, "The Resource was not found.")


def lock_of(holder: Holder) -> Answer:
    """Return the lock as ARM shows it."""
    return Answer(200, {"id": str(LOCK_ID), "tags": (claim(LOCK_ID, holder).body or {})["tags"]})


class Lock:
    """Azure's side of a lock that nobody holds: claimed with 201, shown as claimed, deleted."""

    def __init__(self) -> None:
        self.tags: object = None

    def __call__(self, request: Request) -> Outcome:
        """Answer a request of the lock."""
        if request.method == "PUT":
            status = 200 if self.tags else 201
            self.tags = (request.body or {})["tags"]
            return Answer(status, {"tags": self.tags})
        if self.tags is None:
            return gone()
        if request.method == "DELETE":
            self.tags = None
            return Answer(200)
        return Answer(200, {"tags": self.tags})


class Drive:
    """Carries a run on: what next_steps wants is sent, and answered in the same moment by `azure`.

    `sent`: (seconds since the start, operation, method) of each request.
    """

    def __init__(self, progress: Progress, azure: Azure, *, takes_s: float = 0.0) -> None:
        self.progress = progress
        self.azure = azure
        self.now = START
        self.takes_s = takes_s
        self.lock = Lock()
        self.sent: list[tuple[float, str, str]] = []

    def step(self) -> None:
        """Send what is due and take the answers, or let time pass until something is."""
        if self.progress.locked:
            self.progress = scheduler.released(self.progress)
        requests, wake_at = scheduler.next_steps(self.progress, self.now)
        for id, request in requests:
            assert not self.progress.states.get(id, scheduler.State()).in_flight
            self.progress = scheduler.sent(self.progress, id, self.now)
            self.sent.append((self.now - START, id, request.method))
        for id, request in requests:
            self.now += self.takes_s
            outcome = self.lock(request) if id in (LOCK, UNLOCK, RENEWAL) else self.azure(id, request, self.now)
            self.progress = scheduler.advance(self.progress, id, outcome, self.now)
        if not requests:
            assert wake_at > self.now, "time would stand still"
            self.now = wake_at

    def run(self) -> Progress:
        """Carry the run on to its end."""
        for _ in range(5000):
            if self.progress.finished:
                return self.progress
            self.step()
        raise AssertionError("the run does not end")

    @property
    def work(self) -> list[tuple[float, str, str]]:
        """Return what was sent, without the lock's own requests."""
        return [row for row in self.sent if row[1] not in (LOCK, UNLOCK, RENEWAL)]


def statuses(progress: Progress) -> dict[str, str]:
    """Return what became of each operation."""
    return {id: state.status.value for id, state in progress.states.items()}
