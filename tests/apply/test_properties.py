"""Whatever Azure answers, a run ends, in order, and leaves no lock that it took."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from provision.apply import scheduler
from provision.apply.lock import Holder, claim
from provision.apply.scheduler import LOCK, RENEWAL, UNLOCK, Status
from provision.arm import NAT_GATEWAYS, SUBNETS, Answer, ArmError, Request, resource_id
from provision.plan.model import Operation
from tests.apply.runs import HOME, LOCK_ID, POLL, START, SUBSCRIPTION, Outcome, a_stack, an_operation, begun, gone

GROUP = "quick-southcentralus"
TARGETS = {
    "delete": resource_id(SUBSCRIPTION, GROUP, NAT_GATEWAYS, "nat"),
    "await-empty": resource_id(SUBSCRIPTION, GROUP, SUBNETS, "vnet", "nodes"),
    "delete-group": HOME,
    "put-group": HOME,
    "delete-stack": a_stack("x").target,
    "put-stack": a_stack("x").target,
}
MARKED = {"tags": {"provision": "quick/network"}}
ANSWERS: list[Outcome] = [
    Answer(200, MARKED),
    Answer(201, MARKED),
    Answer(202, operation_url=POLL),
    Answer(202, operation_url=POLL, retry_after_s=0),
    Answer(204),
    Answer(200, {"status": "InProgress"}, retry_after_s=61),
    Answer(200, {"status": "Succeeded"}),
    Answer(200, {"status": "failed", "error": {"code": "Conflict", "message": "why"}}),
    Answer(200, {"properties": {"provisioningState": "deploying"}}),
    Answer(200, {"properties": {"provisioningState": "succeeded"}}),
    Answer(200, {"properties": {"provisioningState": "failed"}}),
    Answer(200, {"properties": {"ipConfigurations": [{"id": "/nic"}]}}),
    Answer(200, {"value": [{"name": "theirs"}]}),
    ArmError(429, "TooManyRequests", "later", retry_after_s=13),
    ArmError(503, "ServiceUnavailable", "later"),
    ArmError(0, "ConnectionFailed", "later"),
    ArmError(409, "DeploymentStackInNonTerminalState", "it runs"),
    ArmError(403, "AuthorizationFailed", "never"),
    gone(),
]


@st.composite
def operations(draw: st.DrawFn) -> tuple[Operation, ...]:
    """Return up to six operations, each after some of those before it."""
    found: list[Operation] = []
    for number in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(sorted(TARGETS)))
        after = draw(st.sets(st.sampled_from([op.id for op in found]))) if found else set()
        found.append(an_operation(kind, TARGETS[kind], *sorted(after), mark="quick/network", id=f"op {number}"))
    return tuple(found)


class Lock:
    """Azure's side of the lock, which now and then refuses, or does as asked and loses the answer."""

    def __init__(self, holder: Holder | None, chances: st.DataObject) -> None:
        self.run = holder.run if holder else None
        self.tags = (claim(LOCK_ID, holder).body or {})["tags"] if holder else None
        self.chances = chances

    def __call__(self, request: Request) -> Outcome:
        chance = self.chances.draw(st.integers(0, 9))
        if chance == 0:
            return ArmError(503, "ServiceUnavailable", "later")
        status = 200 if self.tags else 201
        if self.tags is None and request.method != "PUT":
            return gone()
        if request.method == "PUT":
            self.tags = (request.body or {})["tags"]
        if request.method == "DELETE":
            self.tags = None
        return ArmError(503, "ConnectionBroken", "lost") if chance == 1 else Answer(status, {"tags": self.tags})


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(
    operations(),
    st.sampled_from(["free", "held", "expired"]),
    st.integers(0, 60),
    st.data(),
)
def test_a_run_ends_in_order_and_releases_its_lock_whatever_azure_answers(
    planned: tuple[Operation, ...], lock: str, stop_at: int, data: st.DataObject
) -> None:
    until = START + 900 if lock == "held" else START - 900
    azure = Lock(None if lock == "free" else Holder("run-2", "there:2", START - 2000, until), data)
    progress = begun(*planned)
    now, took_lock, waiting = START, False, list[tuple[str, Request]]()

    for turn in range(20_000):
        if turn == stop_at * 5 and stop_at:
            progress = scheduler.stopped(progress, "the run was stopped")
        if scheduler.lapsed(progress, now):
            progress = scheduler.stopped(progress, "the lock ran out")
        if progress.finished:
            break
        if progress.locked:
            progress = scheduler.released(progress)
        requests, wake_at = scheduler.next_steps(progress, now)
        for id, request in requests:
            assert id not in [flying for flying, _ in waiting], "two requests of one operation are in flight"
            if id not in (RENEWAL, UNLOCK) and progress.states[id].status is Status.WAITING:
                needs = progress.operations[id].after
                assert all(progress.states[need].status is Status.DONE for need in needs), "too early"
                assert not progress.stopping, "a run that stops begins something"
            progress = scheduler.sent(progress, id, now)
            waiting.append((id, request))
        if not waiting:
            assert wake_at > now, "time would stand still"
            now = wake_at
            continue
        id, request = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)) if len(waiting) > 1 else 0)
        of_lock = id in (LOCK, UNLOCK, RENEWAL)
        outcome = azure(request) if of_lock else data.draw(st.sampled_from(ANSWERS))
        progress = scheduler.advance(progress, id, outcome, now)
        took_lock = took_lock or progress.states[LOCK].status is Status.DONE
    else:
        raise AssertionError("the run does not end")

    if progress.states[UNLOCK].status is Status.DONE:
        assert azure.tags is None or azure.tags["provision-run"] != "run-1", "a lock that was taken is still there"
    if took_lock:
        assert progress.states[UNLOCK].status in (Status.DONE, Status.FAILED)
    if lock == "held" and not took_lock:
        assert progress.states[LOCK].status in (Status.FAILED, Status.SKIPPED, Status.RUNNING)
        assert azure.tags is not None
    assert not waiting
