"""Decides how each kind of operation goes: what is asked first, what an answer means, what is asked next.

Pure: a step takes an answer and returns a move. Every write first looks, and says in what it looks for, what it rests
on: a resource that is no longer ours is not deleted, nor a group in which something is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from provision.apply import shown
from provision.apply.lock import Holder, claim, holder_in
from provision.arm import (
    PEERINGS,
    SUBNETS,
    VIRTUAL_NETWORKS,
    Answer,
    ArmError,
    Request,
    ResourceId,
    innermost,
)
from provision.failures import passes, retry_in
from provision.plan.model import Operation
from provision.plan.observed import is_marked, mark_of

#: Seconds between polls where Azure names none: at first, and at most (Compute allows 15 polls a minute).
POLL_S = 5.0
POLL_MOST_S = 15.0
#: Seconds between looks at a subnet, and at what was deleted and may still show.
LOOK_S = 10.0
#: Deployments that are repeated because what stopped them passes: another write to the same network, mostly.
MOST_AGAIN = 6
#: Looks after which what should be gone counts as stuck.
MOST_LOOKS = 90
#: Looks at a group's lists after which what they do not show is let be: others may have changed it meanwhile.
MOST_LOOKS_AT_LISTS = 12
#: Seconds between looks at a stack itself: its deployment was begun by another run, or its operation cannot be asked.
ATTACH_S = 15.0
#: Seconds after which a lock that was taken over is looked at: of two runs that did so, the later one has it.
SETTLE_S = 15.0
#: Seconds after which an operation counts as stuck, whatever Azure says; of the lock, which nothing holds up for long.
LONGEST_S = 8 * 3600.0
LONGEST_LOCK_S = 600.0

_TERMINAL = {"succeeded": True, "failed": False, "canceled": False}


@dataclass(frozen=True, slots=True)
class Ask:
    """Send a request, after `wait_s` seconds; `phase` says what its answer is for. `told`: worth an event."""

    phase: str
    request: Request
    wait_s: float = 0.0
    told: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The operation has succeeded. `detail`: what is worth saying about it."""

    detail: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The operation has failed: `code` and message of the innermost causes."""

    code: str
    message: str


Move = Ask | Done | Failed


def first(operation: Operation, holder: Holder) -> Ask:
    """Return what an operation asks first."""
    match operation.kind:
        case "put-group" | "put-stack":
            return Ask("write", Request("PUT", operation.target, operation.body))
        case "delete" | "delete-instances" | "await-empty" | "lock" | "unlock":
            return Ask("look", _get(operation))
        case "delete-group":
            return Ask("look", Request("LIST", operation.target))
        case shown.KIND:
            return Ask(_looks_at(operation.target), Request("LIST", operation.target))
        case "delete-stack":
            return Ask("write", _delete(operation))
        case kind:
            raise AssertionError(f"no operation is of kind {kind}")


def answered(operation: Operation, phase: str, answer: Answer, polls: int, holder: Holder, now: float) -> Move:
    """Return what follows from an answer; `polls` counts the answers that this phase has had, from 1."""
    match phase:
        case _ if operation.kind == shown.KIND:
            place = next(each for each in shown.places(operation) if _looks_at(each) == phase)
            return _seen(operation, place, answer.body.get("value") or (), polls)
        case "look":
            return _looked(operation, answer, polls, holder, now)
        case "nodes" | "gone":
            return _nodes_left(operation, phase, answer, polls)
        case "claim":
            if answer.status == 201:
                return Done()
            return Failed("LockHeld", "another run claimed the lock in the same moment")
        case "take-over":
            return Ask("look", _get(operation), SETTLE_S)
        case "write":
            if answer.operation_url:
                return _poll(operation, answer, answer.operation_url, 0)
            return _written(operation)
        case "poll":
            return _polled(operation, answer, polls)
        case "attach":
            state = _state(answer)
            if state not in _TERMINAL:
                return Ask("attach", _get(operation), ATTACH_S)
            return first(operation, holder)
        case "explain":
            return _explained(operation, answer)
        case "verify":
            if polls > MOST_LOOKS:
                return Failed("StillThere", "Azure says that it is deleted, and still shows it")
            return Ask("verify", _get(operation), LOOK_S)
    raise AssertionError(f"no operation has a phase {phase}")


def refused(operation: Operation, ask: Ask, error: ArmError, attempt: int, holder: Holder, now: float) -> Move:
    """Return what follows from a refusal; `attempt` counts the refusals of this request, from 1."""
    if error.status == 404:
        if operation.kind == "lock" and ask.phase == "look":
            return Ask("claim", claim(operation.target, holder))
        if operation.kind == "unlock" and ask.phase == "look":
            # Ours is there, or somebody has deleted it: a read may not show yet what was claimed a moment ago.
            return Ask("write", Request("DELETE", operation.target))
        if operation.kind == shown.KIND:
            return _seen(operation, ask.request.id, None, attempt)
        if operation.kind in ("delete", "await-empty", "delete-group", "delete-stack", "unlock"):
            if ask.phase == "poll":  # ARM has forgotten its operation, which says nothing about the resource
                return _written(operation)
            return Done("" if ask.phase == "verify" else "was gone already")
        if ask.phase == "attach":
            return first(operation, holder)
    if error.code == "DeploymentStackInNonTerminalState" and operation.kind == "put-stack":
        told = "its deployment runs already; waiting for it to end"
        return Ask("attach", _get(operation), ATTACH_S, told)
    wait = retry_in(error, attempt)
    if wait is not None:
        told = f"{error.code}; attempt {attempt + 1} in {wait:.0f} s"
        if operation.kind == "lock":  # its last write may have got through: only a look tells whose it is
            return Ask("look", _get(operation), wait, told)
        if operation.kind == "delete-instances" and ask.phase == "write":  # so may this one: who is gone is not named
            return Ask("nodes", _nodes(operation), wait, told)
        return Ask(ask.phase, ask.request, wait, told)
    if operation.kind == "delete-instances" and ask.phase == "write" and error.code == "Conflict":
        return Ask("nodes", _nodes(operation), LOOK_S, "something is done to the set already; looking again")
    if ask.phase == "poll" and operation.kind == "put-stack":
        return Ask("explain", _get(operation), ATTACH_S, f"{error.code}; looking at the stack itself")
    causes = error.details or ((error.code, error.text, ""),)
    return Failed(causes[0][0] or error.code, _told(causes))


def in_time(operation: Operation, move: Move, elapsed_s: float) -> Move:
    """Return the move, or a failure where the operation would wait for longer than any takes."""
    longest = LONGEST_LOCK_S if operation.kind in ("lock", "unlock") else LONGEST_S
    if not isinstance(move, Ask) or elapsed_s + move.wait_s <= longest:
        return move
    why = f"; the last time: {move.told}" if move.told else ""
    return Failed("NoEnd", f"it has not ended after {elapsed_s / 60:.0f} min{why}")


def _looked(operation: Operation, answer: Answer, polls: int, holder: Holder, now: float) -> Move:
    if operation.kind in ("lock", "unlock"):
        held = holder_in(answer.body)
        if operation.kind == "unlock":
            ours = held.run == holder.run
            return Ask("write", _delete(operation)) if ours else Done(f"it is held by {held.told()}")
        if held.run == holder.run:
            return Done()
        if held.until > now and not holder.alone:
            if polls > 1:
                return Failed("LockHeld", held.told())
            # A read may still show what was released a moment ago.
            return Ask("look", Request("GET", operation.target), LOOK_S, f"it is held by {held.told()}; looking again")
        state = "dead run's" if held.until > now else "expired"
        return Ask("take-over", claim(operation.target, holder), told=f"taking over the {state} lock of {held.told()}")
    if operation.kind == "await-empty":
        interfaces = answer.body.get("properties", {}).get("ipConfigurations")
        if interfaces and polls > MOST_LOOKS:
            return Failed("SubnetInUse", f"{len(interfaces)} interfaces stay in it, {interfaces[0].get('id')} for one")
        if interfaces:
            return Ask("look", _get(operation), LOOK_S)
        return Done()
    if operation.kind == "delete-group":
        left = answer.body.get("value") or ()
        # What is ours was deleted before: a list shows it for a while longer.
        if any(is_marked(each, operation.mark) for each in left) and polls <= MOST_LOOKS_AT_LISTS:
            return Ask("look", Request("LIST", operation.target), LOOK_S)
        if left:
            return Done(f"kept: {left[0].get('name')} is in it and not ours")
        return Ask("write", _delete(operation))
    if problem := _not_to_delete(operation, answer.body):
        return Failed("NotOurs", problem)
    if operation.kind == "delete-instances":
        return Ask("nodes", _nodes(operation))
    return Ask("write", _delete(operation))


def _nodes_left(operation: Operation, phase: str, answer: Answer, polls: int) -> Move:
    """Return what follows from a list of the nodes of a set some of which go; `gone`: their deletion has ended."""
    states = {str(each["instanceId"]): _state_in(each) for each in answer.body.get("value") or ()}
    left = [number for number in (operation.body or {})["instanceIds"] if number in states]
    if not left:
        return Done()
    staying = [number for number in left if states[number] != "deleting"]
    if phase == "nodes" and staying:
        return Ask("write", Request("POST", operation.target, {"instanceIds": staying}))
    if polls > MOST_LOOKS_AT_LISTS:
        return Failed("StillThere", f"Azure says that they are deleted, and still shows nodes {', '.join(left)}")
    return Ask("gone", _nodes(operation), LOOK_S)


def _seen(operation: Operation, place: ResourceId, listed: Sequence[Mapping[str, Any]] | None, polls: int) -> Move:
    """Return what follows from a list that should show what the run did; None of a group that there is not."""
    if listed is None and shown.expects_nothing(operation):
        return Done()
    if listed is not None and shown.is_shown(operation, place, listed):
        later = shown.places(operation)[shown.places(operation).index(place) + 1 :]
        return Ask(_looks_at(later[0]), Request("LIST", later[0])) if later else Done()
    if polls > MOST_LOOKS_AT_LISTS:
        return Done("Azure's lists do not show all of it yet")
    return Ask(_looks_at(place), Request("LIST", place), LOOK_S, "Azure's lists do not show all of it yet")


def _looks_at(place: ResourceId) -> str:
    """Return the phase in which a look lists what is at a place."""
    return f"look at {place.type}"


def _not_to_delete(operation: Operation, body: Mapping[str, Any]) -> str:
    """Return why a resource must not be deleted after all; empty if it may."""
    type = operation.target.type.lower()
    if type not in (SUBNETS.lower(), PEERINGS.lower()) and mark_of(body) != (operation.mark or None):
        return "it no longer carries our mark, so it was left alone"
    subnets = body.get("properties", {}).get("subnets") or ()
    if type == VIRTUAL_NETWORKS.lower() and subnets:
        return f"subnet {subnets[0].get('name')} in it is not ours, so it was left alone"
    return ""


def _poll(operation: Operation, answer: Answer, url: str, polls: int) -> Ask:
    wait = answer.retry_after_s or min(POLL_MOST_S, POLL_S * 1.25 ** min(polls, 20))
    return Ask("poll", Request("GET", operation.target, url=url), wait)


def _polled(operation: Operation, answer: Answer, polls: int) -> Move:
    state = str(answer.body.get("status", "")).lower()
    if answer.status == 202 or (state and state not in _TERMINAL):
        # The URL that a 202 names again may be signed anew; one that it leaves out stays.
        return _poll(operation, answer, answer.operation_url, polls)
    if not state or _TERMINAL[state]:
        return _written(operation)
    if operation.kind == "put-stack":
        return Ask("explain", _get(operation))
    causes = tuple(innermost(answer.body)) or (("OperationFailed", "Azure gave no reason", ""),)
    return Failed(causes[0][0], _told(causes))


def _written(operation: Operation) -> Move:
    """Return what follows when ARM says that a write is done: a deletion is believed when it is seen."""
    if operation.kind in ("delete", "delete-group"):
        return Ask("verify", _get(operation))
    if operation.kind == "delete-instances":
        return Ask("gone", _nodes(operation))
    return Done()


def once_more(operation: Operation, phase: str, failed: Failed, again: int) -> Ask | None:
    """Return what follows when a deployment ended badly for a reason that passes; None when it is final.

    `again` counts the deployments that this operation has repeated.
    """
    if operation.kind != "put-stack" or phase != "explain" or not passes(failed.code) or again >= MOST_AGAIN:
        return None
    wait = min(60.0, 10.0 * 2**again)
    told = f"{failed.code}; deploying once more in {wait:.0f} s"
    return Ask("write", Request("PUT", operation.target, operation.body), wait, told)


def _explained(operation: Operation, answer: Answer) -> Move:
    """Return what the stack itself says of its deployment."""
    properties = answer.body.get("properties", {})
    if _state(answer) not in _TERMINAL:
        return Ask("explain", _get(operation), ATTACH_S)
    if _TERMINAL[_state(answer)]:
        return Done()
    causes = tuple(innermost(properties.get("error")))
    for failed in properties.get("failedResources") or () if not causes else ():
        causes += tuple(innermost(failed))
    causes = causes or (("DeploymentFailed", "Azure gave no reason", ""),)
    return Failed(causes[0][0], _told(causes))


def _get(operation: Operation) -> Request:
    return Request("GET", operation.target, api_version=operation.api_version)


def _nodes(operation: Operation) -> Request:
    return Request("NODES", operation.target)


def _delete(operation: Operation) -> Request:
    return Request("DELETE", operation.target, api_version=operation.api_version)


def _state(answer: Answer) -> str:
    return _state_in(answer.body)


def _state_in(body: Mapping[str, Any]) -> str:
    return str(body.get("properties", {}).get("provisioningState", "")).lower()


def _told(causes: tuple[tuple[str, str, str], ...]) -> str:
    texts = dict.fromkeys(f"{code}: {message}" if code else message for code, message, _ in causes)
    return "; ".join(texts)
